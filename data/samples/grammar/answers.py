"""Questions, each with sentences about the same thing of which one answers it.

Every subject has several facts (who made it, when, where, of what colour, ...), and every fact has
a few questions and a few statements. The candidates for a question are statements of the subject's
facts: all name the subject, many share the question's verb, and only the kind of answer (a person,
a year, a number, a reason) and the verb together tell which one is right.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from grammar.lexicon import sentence, slots


def words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(","))


FILLERS = {
    "town": words(
        "Arden, Belford, Corwen, Dunmore, Elsworth, Farley, Glenrock, Harwick, Ilton, Kelham,"
        "Lindale, Marston, Norbury, Oakham, Penrith, Redhill, Selby, Thornton, Upton, Wexham"
    ),
    "who": words(
        "Clara Voss, Tom Hale, Maria Ferris, Peter Lund, Anna Brook, Samuel Grey, Ruth Palmer,"
        "David Stone, Helen Marsh, Oscar Field, Laura Kemp, Henry Wood, Nina Cole, Paul Archer"
    ),
    "year": words("1824, 1851, 1867, 1879, 1893, 1906, 1912, 1927, 1934, 1948, 1955, 1963"),
    "month": words("January, March, April, May, June, July, September, October, December"),
    "count": words("three, five, seven, nine, eleven, fourteen, sixteen, thirty, forty, ninety"),
    "span": words("two hours, six hours, ten days, four weeks, eight months, twenty years"),
    "colour": words("red, blue, green, yellow, white, black, brown, orange, purple, grey"),
    "stuff": words("stone, brick, oak, iron, glass, copper, marble, clay, steel, wool"),
    "spot": words(
        "on a hill, by the river, behind the market, near the harbour, beside the old wall,"
        "at the end of the lane, across the square, under the cliffs"
    ),
    "cause": words(
        "the winters were cold, the old one had burnt down, the people asked for it,"
        "the roads were bad, the mayor wished it, there was too little room, the food ran short,"
        "the war was over"
    ),
}


@dataclass(frozen=True)
class Fact:
    """What can be asked and said about one side of a subject; a frame's `{it}` is the subject."""

    questions: tuple[str, ...]
    statements: tuple[str, ...]


def fact(questions: str, statements: str) -> Fact:
    return Fact(tuple(questions.split(" / ")), tuple(statements.split(" / ")))


# (the nouns of a kind of subject, the facts of that kind); all questions of a fact ask the same,
# and each of its statements answers them.
SUBJECTS: tuple[tuple[tuple[str, ...], tuple[Fact, ...]], ...] = (
    (
        words("bridge, lighthouse, chapel, library, windmill, station, theatre, hotel, school"),
        (
            fact(
                "Who built {it}? / Which person planned and built {it}?",
                "{it} was built by {who}. / {who} planned and built {it}. / {it} is the work of {who}.",
            ),
            fact(
                "When was {it} built? / In what year was {it} built?",
                "{it} was built in {year}. / {it} dates from {year}, when it was built. / {it} dates from {year}.",
            ),
            fact(
                "Why was {it} built? / For what reason was {it} built?",
                "{it} was built because {cause}. / Because {cause}, {it} was built. / They needed {it} because {cause}.",
            ),
            fact(
                "What is {it} built of? / What material is {it} made of?",
                "{it} is built of {stuff}. / Workers made {it} of solid {stuff}. / Solid {stuff} holds {it} together.",
            ),
            fact(
                "Where was {it} built? / Where does {it} stand?",
                "{it} was built {spot}. / {it} stands {spot}. / You see {it} {spot}.",
            ),
            fact(
                "What colour is {it}? / What colour did they paint {it}?",
                "{it} is painted {colour}. / The walls of {it} are {colour}. / {it} has {colour} walls.",
            ),
            fact(
                "How many windows does {it} have? / How many windows were built into {it}?",
                "{it} has {count} windows. / There are {count} windows built into {it}. / Light comes into {it} on {count} sides.",
            ),
            fact(
                "How long did it take to build {it}? / How long was {it} being built?",
                "It took {span} until {it} was built. / They built {it} in only {span}. / Work on {it} went on for {span}.",
            ),
            fact(
                "Who looks after {it} today? / Who takes care of {it} today?",
                "{who} looks after {it} today. / Today {it} is looked after by {who}. / {who} holds the keys of {it}.",
            ),
        ),
    ),
    (
        words("festival, parade, market, race, exhibition, concert, flower show, book fair"),
        (
            fact(
                "Who started {it}? / Who held the first {bare}?",
                "{it} was started by {who}. / {who} held the first {bare}. / The idea of {it} came from {who}.",
            ),
            fact(
                "When was the first {bare} held? / In what year was {it} first held?",
                "The first {bare} was held in {year}. / {it} was held in {year} for the first time. / {it} goes back to {year}.",
            ),
            fact(
                "In which month is {it} held? / What month is {it} held in?",
                "{it} is held in {month}. / Every {month} people come when {it} is held. / {it} falls in {month}.",
            ),
            fact(
                "Where is {it} held? / At what place is {it} held?",
                "{it} is held {spot}. / The place where {it} is held lies {spot}. / You will find {it} {spot}.",
            ),
            fact(
                "Why was {it} started? / For what reason is {it} held?",
                "{it} is held because {cause}. / They started {it} because {cause}. / Because {cause}, the town has {it}.",
            ),
            fact(
                "How many people came to {it}? / How many guests did {it} have?",
                "{count} people came to {it}. / {it} had {count} guests when it was last held. / {count} visitors saw {it}.",
            ),
            fact(
                "How long does {it} last? / For how long is {it} held?",
                "{it} lasts {span}. / {it} is held for {span}. / {it} is over after {span}.",
            ),
            fact(
                "What colour are the flags at {it}? / What colour flags does {it} have?",
                "The flags at {it} are {colour}. / At {it} people hold {colour} flags. / {it} shows {colour} banners.",
            ),
            fact(
                "Who won the prize at {it}? / Who took home the prize at {it}?",
                "{who} won the prize at {it}. / At {it} the prize was won by {who}. / {who} was best at {it}.",
            ),
        ),
    ),
    (
        words("parrot, horse, sheepdog, donkey, goat, raven, pony, tortoise"),
        (
            fact(
                "Who owns {it}? / Who does {it} belong to?",
                "{who} owns {it}. / {it} belongs to {who}. / The master of {it} is {who}.",
            ),
            fact(
                "When was {it} born? / In what year was {it} born?",
                "{it} was born in {year}. / {year} is the year in which {it} was born. / {it} came into the world in {year}.",
            ),
            fact(
                "Where was {it} born? / At what place was {it} born?",
                "{it} was born {spot}. / The place where {it} was born lies {spot}. / {it} first saw the light {spot}.",
            ),
            fact(
                "What colour is {it}? / What colour was {it} born?",
                "{it} is {colour}. / {it} was born {colour}. / The back of {it} is {colour}.",
            ),
            fact(
                "How many young did {it} have? / How many young were born to {it}?",
                "{it} has {count} young. / {count} young were born to {it}. / {it} is the mother of {count}.",
            ),
            fact(
                "Why is {it} famous? / For what reason did {it} become famous?",
                "{it} became famous because {cause}. / Because {cause}, {it} is famous. / Everyone knows {it} because {cause}.",
            ),
            fact(
                "How long did {it} live? / For how long was {it} alive?",
                "{it} was alive for {span}. / {it} lived for {span}. / {it} reached the age of {span}.",
            ),
            fact(
                "Who trained {it}? / Who taught {it} its tricks?",
                "{it} was trained by {who}. / {who} taught {it} all its tricks. / {it} learnt from {who}.",
            ),
            fact(
                "What is the house of {it} made of? / What is the house of {it} built of?",
                "The house of {it} is built of {stuff}. / {it} has a house made of {stuff}. / {it} sleeps under a roof of {stuff}.",
            ),
        ),
    ),
    (
        words("ferry, steamer, night train, airship, sailing boat, tram, balloon, mail coach"),
        (
            fact(
                "Who was the captain of {it}? / Who was in charge of {it}?",
                "The captain of {it} was {who}. / {who} was in charge of {it}. / {it} obeyed {who}.",
            ),
            fact(
                "When did {it} make its first trip? / In what year did {it} first run?",
                "{it} made its first trip in {year}. / In {year} {it} first ran. / {it} has been on the move since {year}.",
            ),
            fact(
                "Where did {it} stop on its first trip? / Where was the first stop of {it}?",
                "The first stop of {it} was {spot}. / On its first trip {it} stopped {spot}. / {it} came to rest {spot}.",
            ),
            fact(
                "How many passengers did {it} carry? / How many people fit into {it}?",
                "{it} carried {count} passengers. / {count} people fit into {it}. / {it} has {count} seats.",
            ),
            fact(
                "How long did the first trip of {it} take? / How long was {it} on its first trip?",
                "The first trip of {it} took {span}. / {it} was on its first trip for {span}. / After {span} {it} arrived.",
            ),
            fact(
                "Why did {it} stop running? / For what reason was {it} stopped?",
                "{it} stopped running because {cause}. / {it} was stopped because {cause}. / Because {cause}, {it} was given up.",
            ),
            fact(
                "What colour was {it}? / What colour did they paint {it}?",
                "They painted {it} {colour}. / {it} was {colour} on its first trip. / {it} shone {colour} in the sun.",
            ),
            fact(
                "What was {it} made of? / What material was {it} built of?",
                "{it} was made of {stuff}. / They built {it} of {stuff}. / {it} had sides of {stuff}.",
            ),
            fact(
                "Who paid for {it}? / Who gave the money for {it}?",
                "{it} was paid for by {who}. / {who} gave the money for {it}. / The cost of {it} was met by {who}.",
            ),
        ),
    ),
    (
        words("novel, song, play, poem, ballad, opera, diary, cookbook"),
        (
            fact(
                "Who wrote {it}? / By whom was {it} written?",
                "{it} was written by {who}. / {who} wrote {it}. / {it} is the work of {who}.",
            ),
            fact(
                "When was {it} written? / In what year was {it} written?",
                "{it} was written in {year}. / {year} is the year in which {it} was written. / {it} dates from {year}.",
            ),
            fact(
                "Where was {it} written? / At what place was {it} written?",
                "{it} was written in a house {spot}. / The place where {it} was written lies {spot}. / The desk for {it} stood {spot}.",
            ),
            fact(
                "Why was {it} written? / For what reason was {it} written?",
                "{it} was written because {cause}. / Because {cause}, {it} was written. / The town needed {it} because {cause}.",
            ),
            fact(
                "How many parts does {it} have? / How many parts of {it} were written?",
                "{it} has {count} parts. / {count} parts of {it} were written. / {it} is divided into {count}.",
            ),
            fact(
                "How long did it take to write {it}? / How long was {it} being written?",
                "It took {span} to write {it}. / {it} was written in only {span}. / Work on {it} went on for {span}.",
            ),
            fact(
                "What colour is the cover of {it}? / What colour cover does {it} have?",
                "The cover of {it} is {colour}. / {it} has a {colour} cover. / {it} is bound in {colour}.",
            ),
            fact(
                "Who found {it} in a drawer? / By whom was {it} found?",
                "{it} was found by {who}. / {who} found {it} in a drawer. / {it} came to light thanks to {who}.",
            ),
            fact(
                "In which month was {it} printed? / What month was {it} printed in?",
                "{it} was printed in {month}. / In {month} {it} was printed. / {it} came out in {month}.",
            ),
        ),
    ),
)
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
    (0 before all of them, nearly 1 behind); None when the candidates drawn do not come so.
    """
    nouns, facts = rng.choice(SUBJECTS)
    bare = f"{rng.choice(FILLERS['town'])} {rng.choice(nouns)}"
    asked, *others = rng.sample(facts, len(facts))
    question = fill(rng.choice(asked.questions), bare, rng)
    wrong = [
        (fill(rng.choice(other.statements), bare, rng), "0") for other in others[: rng.choice(WRONG)]
    ]
    answers = [(fill(frame, bare, rng), "1") for frame in rng.sample(asked.statements, right)]
    if answers:
        words_shared = shared(question, answers[0][0])
        more = [shared(question, answer) - words_shared for answer, _ in wrong]
        ahead = sum(difference > 0 for difference in more)
        level = sum(difference == 0 for difference in more)
        if ahead + rng.randint(0, level) != int(standing * (len(wrong) + 1)):
            return None
    candidates = answers + wrong
    rng.shuffle(candidates)
    return question, candidates
