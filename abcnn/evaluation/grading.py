"""Measures of graded scores: how far they go with the true grades, and how far off they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from abcnn.evaluation.columns import finite_numbers, same_length

# A resample's variance below this share of the whole column's is that of equal numbers, rounded.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class GradeMeasures:
    """Measures of `pairs` graded scores: correlations in [-1, 1], mean squared error in grades²."""

    pearson: float
    spearman: float
    mse: float
    pairs: int

    def to_dict(self) -> dict[str, Any]:
        """The measures by name, ready for JSON."""
        return asdict(self)


def grade_measures(
    true: Sequence[float] | np.ndarray, said: Sequence[float] | np.ndarray
) -> GradeMeasures:
    """Compare true grades with scores, one a pair.

    `InputError`: columns of different lengths or without entries, an entry that is no finite
    number.
    """
    pairs = same_length(true=true, said=said)
    grades, scores = finite_numbers("true", true), finite_numbers("said", said)
    return GradeMeasures(
        pearson=pearson(grades, scores),
        spearman=pearson(ranks(grades), ranks(scores)),
        mse=float(np.mean((grades - scores) ** 2)),
        pairs=pairs,
    )


def pearson(one: np.ndarray, other: np.ndarray) -> float:
    """Pearson's correlation of two columns of finite numbers `(pairs,)`, in [-1, 1].

    0 where all entries of a column are equal, a single one too: the quotient is not defined, and a
    constant tells nothing of the other column. (SciPy gives NaN with a warning.)
    """
    if np.ptp(one) == 0 or np.ptp(other) == 0:
        return 0.0
    one, other = _centred(one), _centred(other)
    return float(np.clip(one @ other / np.sqrt((one @ one) * (other @ other)), -1.0, 1.0))


def ranks(values: np.ndarray) -> np.ndarray:
    """The ranks of numbers `(pairs,)` from 1; equal ones have the mean of theirs, float64."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[places]


def pearson_terms(true: np.ndarray, said: np.ndarray) -> np.ndarray:
    """What pairs add to the sums that `pearson_of_sums` takes: float64 `(pairs, 6)`."""
    x, y = _centred(true), _centred(said)
    return np.stack([np.ones(len(x)), x, y, x * x, y * y, x * y], axis=1)


def pearson_of_sums(sums: np.ndarray) -> np.ndarray:
    """Pearson's correlation from sums or means of `pearson_terms`: `(rounds, 6)` -> `(rounds,)`.

    0 where one of the columns is constant, as in `pearson`.
    """
    count = sums[:, 0]
    x, y, xx, yy, xy = (sums[:, 1:] / count[:, None]).T
    x_variance, y_variance = xx - x * x, yy - y * y
    varies = (x_variance > _ROUNDING * xx) & (y_variance > _ROUNDING * yy)
    scale = np.sqrt(np.where(varies, x_variance * y_variance, 1.0))
    return np.where(varies, np.clip((xy - x * y) / scale, -1.0, 1.0), 0.0)


def _centred(values: np.ndarray) -> np.ndarray:
    """The numbers less their mean, the largest brought to 1, so that no square overflows."""
    largest = np.abs(values).max()
    values = values / largest if largest > 0 else values
    values = values - values.mean()
    largest = np.abs(values).max()
    return values / largest if largest > 0 else values
