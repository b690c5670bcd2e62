"""The tasks: a table of what each of them scores, learns from, is measured by and decides."""

from __future__ import annotations

from dataclasses import dataclass

from abcnn.errors import InputError


@dataclass(frozen=True)
class Task:
    """One way of using a pair model.

    Attributes:
        name: as on the command line.
        ranks: whether pairs are candidates of a question, ranked against each other.
        two_labels: whether there are exactly two labels and so one logit, that of the last label;
            otherwise there is one logit a label.
        graded: whether pairs have a grade, a number, in the place of a label
            (`abcnn.readers.grades.Grades`).
        scores: similarity scores kept of each block (`abcnn.layers.SimilarityScores`).
        features: default features (`abcnn.features.catalogue.FEATURES`).
        paper: what `--features paper` stands for, features and groups: those of Yin et al. (2016).
        losses: losses that fit, the default first (`abcnn.training.losses`).
        measure: the measure by which epochs are chosen on dev: "map", "accuracy" or "pearson".
        max_length: default length in tokens from which a sentence is cut.
        width: default width of the filters, in words, the paper's for the task.
        learning_rate: default step of the optimiser.
        symmetric: whether the two sentences of a pair may change places.
    """

    name: str
    ranks: bool
    two_labels: bool
    scores: tuple[str, ...]
    features: tuple[str, ...]
    paper: tuple[str, ...]
    losses: tuple[str, ...]
    measure: str
    max_length: int
    width: int
    learning_rate: float
    graded: bool = False
    symmetric: bool = False

    @property
    def orders(self) -> bool:
        """Whether a pair has one score of one meaning, so that pairs can be put in an order."""
        return self.two_labels or self.graded


TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        Task(
            name="answer-selection",
            ranks=True,
            two_labels=True,
            scores=("cosine",),
            features=("left_length", "right_length", "word_count", "weighted_word_count"),
            paper=("left_length", "right_length", "word_count", "weighted_word_count"),
            losses=("listwise", "pairwise", "hard-negative", "pointwise"),
            measure="map",
            max_length=40,
            width=4,
            learning_rate=0.002,
        ),
        Task(
            name="paraphrase",
            ranks=False,
            two_labels=True,
            symmetric=True,
            scores=("euclidean",),
            features=(
                "left_length",
                "right_length",
                "left_rest",
                "right_rest",
                "left_overlap",
                "right_overlap",
                "left_bigram_overlap",
                "right_bigram_overlap",
                "left_weighted_overlap",
                "right_weighted_overlap",
                "left_subsequence",
                "right_subsequence",
                "character_overlap",
                "length_difference",
                "word_count",
                "weighted_word_count",
                "number_mismatch",
                "number_inclusion",
            ),
            paper=("translation", "left_length", "right_length"),
            losses=("pointwise",),
            measure="accuracy",
            max_length=60,
            width=3,
            learning_rate=0.005,
        ),
        Task(
            name="entailment",
            ranks=False,
            two_labels=False,
            scores=("cosine", "euclidean"),
            features=(
                "left_length",
                "right_length",
                "left_rest",
                "right_rest",
                "word_count",
                "weighted_word_count",
                "negation",
            ),
            paper=(
                "translation",
                "negation",
                "relations",
                "left_length",
                "right_length",
                "left_rest",
                "right_rest",
            ),
            losses=("pointwise",),
            measure="accuracy",
            max_length=40,
            width=3,
            learning_rate=0.005,
        ),
        Task(
            name="similarity",
            ranks=False,
            two_labels=False,
            graded=True,
            symmetric=True,
            scores=("cosine", "euclidean"),
            features=(
                "left_length",
                "right_length",
                "left_rest",
                "right_rest",
                "left_overlap",
                "right_overlap",
                "left_weighted_overlap",
                "right_weighted_overlap",
                "left_subsequence",
                "right_subsequence",
                "character_overlap",
                "length_difference",
                "word_count",
                "weighted_word_count",
                "negation",
            ),
            # The paper has no such task; these are the features of its nearest one, on SICK.
            paper=(
                "translation",
                "negation",
                "relations",
                "left_length",
                "right_length",
                "left_rest",
                "right_rest",
            ),
            losses=("mse", "distribution"),
            measure="pearson",
            max_length=40,
            width=3,
            learning_rate=0.005,
        ),
    )
}


def task_named(name: str) -> Task:
    """The task of a name, or InputError."""
    if name not in TASKS:
        raise InputError(f"`task` must be one of {', '.join(TASKS)}. Received: {name!r}")
    return TASKS[name]
