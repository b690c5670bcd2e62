"""Measures of predicted labels, and the threshold that turns probabilities into labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from abcnn.errors import InputError
from abcnn.evaluation.columns import finite_numbers, one_of, same_length

ThresholdMeasure = Literal["accuracy", "f1"]


@dataclass(frozen=True, slots=True)
class ClassificationMeasures:
    """Measures of predicted labels; `names` gives the labels' order everywhere.

    `precision`, `recall`, `f1` have one entry a label, 0 where nothing was predicted or nothing is
    true. `macro_f1` is the mean F1 of the labels that occur, true or predicted. `confusion` counts
    pairs: rows are true labels, columns predicted ones.
    """

    names: tuple[str, ...]
    pairs: int
    accuracy: float
    precision: tuple[float, ...]
    recall: tuple[float, ...]
    f1: tuple[float, ...]
    macro_f1: float
    confusion: tuple[tuple[int, ...], ...]

    @property
    def positive_f1(self) -> float | None:
        """With two labels the F1 of the positive one, which is the last; else None."""
        return self.f1[-1] if len(self.names) == 2 else None

    def to_dict(self) -> dict[str, Any]:
        """The measures by name, ready for JSON; with two labels also those of the positive one."""
        measures: dict[str, Any] = {"accuracy": self.accuracy, "macro_f1": self.macro_f1}
        if len(self.names) == 2:
            measures |= {
                "positive_label": self.names[-1],
                "precision": self.precision[-1],
                "recall": self.recall[-1],
                "f1": self.f1[-1],
            }
        return measures | {
            "pairs": self.pairs,
            "labels": {
                name: {
                    "precision": self.precision[label],
                    "recall": self.recall[label],
                    "f1": self.f1[label],
                    "pairs": sum(self.confusion[label]),
                    "predicted": sum(row[label] for row in self.confusion),
                }
                for label, name in enumerate(self.names)
            },
            "confusion": [list(row) for row in self.confusion],
        }


def classification_measures(
    true: Sequence[int] | np.ndarray, predicted: Sequence[int] | np.ndarray, names: Sequence[str]
) -> ClassificationMeasures:
    """Compare true and predicted labels, given as places in `names`, the labels in their order.

    `InputError`: columns of different lengths or without entries, a label outside `names`.
    """
    pairs = same_length(true=true, predicted=predicted)
    count = len(names)
    cells = _label_numbers("true", true, count) * count + _label_numbers(
        "predicted", predicted, count
    )
    confusion = np.bincount(cells, minlength=count * count).reshape(count, count)
    right, are, said = np.diag(confusion), confusion.sum(axis=1), confusion.sum(axis=0)
    # A label that does not occur has no F1; twice 0 over 1 keeps the division quiet.
    f1 = 2 * right / np.maximum(are + said, 1)
    return ClassificationMeasures(
        names=tuple(names),
        pairs=pairs,
        accuracy=float(right.sum() / pairs),
        precision=tuple((right / np.maximum(said, 1)).tolist()),
        recall=tuple((right / np.maximum(are, 1)).tolist()),
        f1=tuple(f1.tolist()),
        macro_f1=float(f1[are + said > 0].mean()),
        confusion=tuple(tuple(row) for row in confusion.tolist()),
    )


def best_threshold(
    probabilities: Sequence[float] | np.ndarray,
    positive: Sequence[bool] | np.ndarray,
    measure: ThresholdMeasure = "accuracy",
) -> float:
    """The threshold with the best `measure` when `probability >= threshold` means positive.

    The choice is among the middles between neighbouring probabilities, 0 and 1 being neighbours
    of the outermost (so a probability of exactly 0 is never positive, of 1 always). Of equally good
    ones the nearest to 0.5 wins, then the lower. Compare float64 probabilities with it: float32
    would round it.

    `InputError`: columns of different lengths or without entries, a probability outside [0, 1].
    """
    one_of("measure", measure, get_args(ThresholdMeasure))
    same_length(probabilities=probabilities, positive=positive)
    values = finite_numbers("probabilities", probabilities)
    outside = np.flatnonzero((values < 0) | (values > 1))
    if outside.size:
        raise InputError(
            f"`probabilities`, row {outside[0] + 1}: expected a number from 0 to 1. "
            f"Received: {values[outside[0]]}"
        )
    truth = np.asarray(positive, bool)
    edges = np.unique(np.concatenate([[0.0, 1.0], values]))
    middles = edges[:-1] + np.diff(edges) / 2
    # The middle of two neighbouring floats can be the lower one, which must stay below.
    thresholds = np.where(middles > edges[:-1], middles, edges[1:])
    said = values.size - np.searchsorted(np.sort(values), thresholds)
    right = truth.sum() - np.searchsorted(np.sort(values[truth]), thresholds)
    if measure == "accuracy":
        quality = 2 * right - said  # accuracy, but for constants; whole numbers tie exactly
    else:
        quality = 2 * right / np.maximum(said + truth.sum(), 1)
    best = thresholds[quality == quality.max()]
    return float(best[np.argmin(np.abs(best - 0.5))])


def _label_numbers(name: str, labels: Sequence[int] | np.ndarray, count: int) -> np.ndarray:
    numbers = finite_numbers(name, labels)
    bad = np.flatnonzero((numbers < 0) | (numbers >= count) | (numbers != np.floor(numbers)))
    if bad.size:
        raise InputError(
            f"`{name}`, row {bad[0] + 1}: expected the place of one of {count} labels, "
            f"0 to {count - 1}. Received: {labels[bad[0]]}"
        )
    return numbers.astype(int)
