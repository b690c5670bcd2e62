"""Grades: what a pair is judged by where a number says how much, not a label which."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from abcnn.errors import InputError
from abcnn.pairs import PairBatch
from abcnn.readers.labels import label_ids

MOST_GRADES = 101
"""Whole grades of the widest range that a distribution may be over: 0 to 100."""


@dataclass(frozen=True, slots=True)
class Grades:
    """The range of grades, from `low` to `high`.

    `stated` says that a user gave it, so that a grade outside is a mistake; otherwise it is that of
    the training pairs, and others may lie outside.
    """

    low: float
    high: float
    stated: bool = False

    def __str__(self) -> str:
        return f"{self.low:g} to {self.high:g}"

    @property
    def whole(self) -> tuple[int, ...]:
        """The whole grades of a range with whole ends; none for another, or a very wide one."""
        if not (self.low.is_integer() and self.high.is_integer()):
            return ()
        if self.high - self.low >= MOST_GRADES:
            return ()
        return tuple(range(int(self.low), int(self.high) + 1))

    def shares(self, grades: np.ndarray) -> np.ndarray:
        """Grades as shares of the way from `low`, 0, to `high`, 1."""
        return (grades - self.low) / (self.high - self.low)

    def grades(self, shares: np.ndarray) -> np.ndarray:
        """The inverse of `shares`."""
        return self.low + (self.high - self.low) * shares

    def to_dict(self) -> dict[str, Any]:
        """The fields by name, ready for JSON."""
        return {"low": self.low, "high": self.high, "stated": self.stated}


Scale = tuple[str, ...] | Grades
"""What the pairs of a task are judged by: the names of labels in their order, or grades."""


def scale_of(config: dict[str, Any]) -> Scale:
    """The scale in the `config.json` of a bundle."""
    grades = config.get("grades")
    return tuple(config["labels"]) if grades is None else Grades(**grades)


def true_values(batch: PairBatch, scale: Scale) -> np.ndarray:
    """What is true of pairs: the place of each label in the scale, int64, or the grades, float64.

    Raises InputError, which names the row, for a batch without labels, a label that is not one of
    the scale's, and a grade that is no finite number or outside a stated range.
    """
    if isinstance(scale, Grades):
        return grade_values(batch, scale if scale.stated else None)
    return np.asarray(label_ids(batch, scale), dtype=np.int64)


def grade_values(batch: PairBatch, within: Grades | None = None) -> np.ndarray:
    """The grades of labelled pairs as numbers, float64 `(pairs,)`; InputError as `true_values`."""
    if batch.labels is None:
        raise InputError(f"{batch.source}: expected graded pairs. Received: no grades")
    values = grade_numbers(batch.labels)
    expected = "a finite number"
    bad = ~np.isfinite(values)
    if within is not None:
        expected = f"a number from {within}"
        bad |= (values < within.low) | (values > within.high)
    if bad.any():
        index = int(np.argmax(bad))
        raise InputError(
            f"{batch.source}, row {batch.row(index)}: column `{batch.label_column}` must be "
            f"{expected}. Received: {batch.labels[index]!r}"
        )
    return values


def grade_numbers(texts: Sequence[str]) -> np.ndarray:
    """Grades as float64 `(grades,)`; NaN for text that is no number, such as `1_000`."""
    return np.fromiter(map(_number, texts), np.float64, len(texts))


def _number(text: str) -> float:
    try:
        return float("_" if "_" in text else text)
    except ValueError:
        return math.nan


def range_of(values: np.ndarray, source: str, column: str) -> Grades:
    """The range of the grades `values`; InputError when all are the same."""
    low, high = float(values.min()), float(values.max())
    if low == high:
        raise InputError(
            f"{source}: column `{column}` must hold at least two different grades. "
            f"Received: {low:g} in all {len(values):,} rows"
        )
    return Grades(low, high)


def grade_bins(values: np.ndarray, bins: int = 4) -> list[str]:
    """For every grade the name of its part, `2 to 3`, of `bins` equal parts of their range."""
    edges = np.linspace(values.min(), values.max(), bins + 1)
    names = [f"{low:.4g} to {high:.4g}" for low, high in pairwise(edges)]
    return [names[place] for place in np.searchsorted(edges[1:-1], values, side="right")]
