"""Questions, each with sentences about the same thing of which one answers it.

Every subject has several facts (who made it, when, where, of what colour, ...), and every fact has
a few questions and a few statements. The candidates for a question are statements of the subject's
facts: all name the subject, many share the question's verb, and only the kind of answer (a person,
a year, a number, a reason) and the verb together tell which one is right.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from random import Random

from grammar.lexicon import sentence, slots


def words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(","))


FILLERS = {
    "town": words(
        "Arden, Belford, Corwen, Dunmore, Farley, Harwick, Kelham, Marston, Oakham, Selby"
    ),
    "who": words(
        "Clara Voss, Tom Hale, Maria Ferris, Peter Lund, Anna Brook, Samuel Grey, Ruth Palmer,"
        "David Stone"
    ),
    "year": words("1824, 1851, 1867, 1893, 1912, 1934, 1955, 1963"),
    "month": words("January, March, May, July, September, December"),
    "count": words("three, five, seven, nine, sixteen, thirty, forty, ninety"),
    "span": words("two hours, six hours, ten days, four weeks, eight months, twenty years"),
    "colour": words("red, blue, green, yellow, white, black, brown, grey"),
    "stuff": words("stone, brick, oak, iron, glass, copper, marble, clay"),
    "spot": words(
        "on a hill, by the river, behind the market, near the harbour, beside the old wall,"
        "under the cliffs"
    ),
    "cause": words(
        "the winters were cold, the old one was gone, the people asked for it, the roads were bad,"
        "the mayor wished it, there was too little room"
    ),
}


@dataclass(frozen=True)
class Fact:
    """What can be asked and said about one side of a subject; a frame's `{it}` is the subject.

    All questions ask the same, and each of the statements answers them.
    """

    questions: tuple[str, ...]
    statements: tuple[str, ...]


@dataclass(frozen=True)
class Subject:
    """A kind of thing: the nouns for it, and the facts that it has."""

    nouns: tuple[str, ...]
    facts: tuple[Fact, ...]


def subjects(text: str) -> tuple[Subject, ...]:
    """Read subjects: `# nouns`, then a paragraph a fact, `?` its questions, `-` its statements."""
    return tuple(subject(part) for part in text.split("# ")[1:])


def subject(text: str) -> Subject:
    nouns, *paragraphs = text.strip().split("\n\n")
    return Subject(
        words(nouns),
        tuple(Fact(marked("? ", lines), marked("- ", lines)) for lines in paragraphs),
    )


def marked(mark: str, lines: str) -> tuple[str, ...]:
    return tuple(line.removeprefix(mark) for line in lines.split("\n") if line.startswith(mark))


SUBJECTS = subjects(Path(__file__).with_name("facts.txt").read_text("utf-8"))
WRONG = (3, 4, 4, 5)  # how many wrong candidates a question has


def shared(left: str, right: str) -> int:
    """How many different words stand in both sentences, large and small letters alike."""
    return len(set(left.lower().strip("?.").split()) & set(right.lower().strip("?.").split()))


def fill(frame: str, bare: str, rng: Random) -> str:
    """The frame about one subject, its other slots filled at random."""
    filled = {slot: rng.choice(FILLERS[slot]) for slot in slots(frame) if slot in FILLERS}
    return sentence(frame, filled | {"it": f"the {bare}", "bare": bare})


def draw_question(
    right: int, standing: float, rng: Random
) -> tuple[str, list[tuple[str, str]]] | None:
    """A question and its candidates, each with the label "1" or "0", in random order.

    `right` of the candidates (0, 1 or 2) answer the question. With the wrong candidates ordered by
    the number of words shared with the question, the first right one is to stand at `standing`
    (0 before all of them, 1 behind all); None when the candidates drawn do not come so.
    """
    topic = rng.choice(SUBJECTS)
    bare = f"{rng.choice(FILLERS['town'])} {rng.choice(topic.nouns)}"
    asked, *others = rng.sample(topic.facts, len(topic.facts))
    question = fill(rng.choice(asked.questions), bare, rng)
    wrong = [
        (fill(rng.choice(other.statements), bare, rng), "0")
        for other in others[: rng.choice(WRONG)]
    ]
    answers = [(fill(frame, bare, rng), "1") for frame in rng.sample(asked.statements, right)]
    if answers:
        words_shared = shared(question, answers[0][0])
        more = [shared(question, answer) - words_shared for answer, _ in wrong]
        ahead = sum(difference > 0 for difference in more)
        level = sum(difference == 0 for difference in more)
        if abs(ahead + level / 2 - standing * len(wrong)) > 0.5:
            return None
    candidates = answers + wrong
    rng.shuffle(candidates)
    return question, candidates
