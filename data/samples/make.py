"""Write the sample data: `python data/samples/make.py [FOLDER]`.

Makes `<task>/{train,dev,test}.tsv` in FOLDER (default: the folder of this file) from the frames
and lexicons in `grammar/`. The same seed gives the same bytes. No sentence stands in two splits.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from grammar import answers, entailments, paraphrases, similarities

SEED = 20160
# Questions with one, no and two right answers, a split.
QUESTIONS = {"train": (130, 5, 3), "dev": (28, 1, 1), "test": (40, 2, 2)}
# Pairs of each label, a split.
PARAPHRASES = {
    "train": {"1": 374, "0": 306},
    "dev": {"1": 55, "0": 45},
    "test": {"1": 88, "0": 72},
}
ENTAILMENTS = {
    split: dict.fromkeys(("entailment", "neutral", "contradiction"), count)
    for split, count in {"train": 270, "dev": 40, "test": 55}.items()
}
# Pairs, a split.
SIMILARITIES = {"train": 520, "dev": 80, "test": 120}

Row = tuple[str, ...]


class Unseen:
    """Sentences used so far, so that none comes twice."""

    def __init__(self) -> None:
        self.seen: set[str] = set()

    def accept(self, sentences: list[str]) -> bool:
        """Whether all of these are new and different; if so they are used from now on."""
        if len(set(sentences)) < len(sentences) or not self.seen.isdisjoint(sentences):
            return False
        self.seen.update(sentences)
        return True


def question_rows(rng: Random) -> Iterator[tuple[str, list[Row]]]:
    """Each split's rows for answer selection."""
    unseen = Unseen()
    number = 0
    for split, (one, none, two) in QUESTIONS.items():
        plan = [1] * one + [0] * none + [2] * two
        rng.shuffle(plan)
        rows: list[Row] = [("question_id", "question", "candidate_id", "answer", "label")]
        for right in plan:
            standing = rng.random()  # uniform, so that shared words do not give the answer away
            drawn = answers.draw_question(right, standing, rng)
            while drawn is None or not unseen.accept([drawn[0], *(text for text, _ in drawn[1])]):
                drawn = answers.draw_question(right, standing, rng)
            question, candidates = drawn
            number += 1
            name = f"q{number}"
            rows += [
                (name, question, f"{name}c{place}", answer, label)
                for place, (answer, label) in enumerate(candidates, start=1)
            ]
        yield split, rows


def pair_rows(
    header: Row,
    draw_pair: Callable[[str, Random], tuple[str, str] | None],
    counts: dict[str, dict[str, int]],
    rng: Random,
) -> Iterator[tuple[str, list[Row]]]:
    """Each split's rows for a task of pairs with `counts[split][label]` pairs a label."""
    unseen = Unseen()
    for split, labels in counts.items():
        plan = [label for label, count in labels.items() for _ in range(count)]
        rng.shuffle(plan)
        rows = [header]
        for label in plan:
            pair = draw_pair(label, rng)
            while pair is None or not unseen.accept(list(pair)):
                pair = draw_pair(label, rng)
            rows.append((*pair, label))
        yield split, rows


def graded_rows(rng: Random) -> Iterator[tuple[str, list[Row]]]:
    """Each split's rows for similarity."""
    unseen = Unseen()
    for split, count in SIMILARITIES.items():
        rows: list[Row] = [("sentence1", "sentence2", "label")]
        while len(rows) <= count:
            left, right, grade = similarities.draw_pair(rng)
            if unseen.accept([left, right]):
                rows.append((left, right, grade))
        yield split, rows


def main(folder: Path) -> None:
    """Write all splits of all tasks into `folder`."""
    tasks = {
        "answer-selection": question_rows(Random(f"{SEED} answer-selection")),
        "paraphrase": pair_rows(
            ("sentence1", "sentence2", "label"),
            paraphrases.draw_pair,
            PARAPHRASES,
            Random(f"{SEED} paraphrase"),
        ),
        "entailment": pair_rows(
            ("premise", "hypothesis", "label"),
            entailments.draw_pair,
            ENTAILMENTS,
            Random(f"{SEED} entailment"),
        ),
        "similarity": graded_rows(Random(f"{SEED} similarity")),
    }
    for task, splits in tasks.items():
        (folder / task).mkdir(parents=True, exist_ok=True)
        for split, rows in splits:
            text = "".join("\t".join(row) + "\n" for row in rows)
            (folder / task / f"{split}.tsv").write_bytes(text.encode("utf-8"))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
