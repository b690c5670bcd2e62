"""Whether probabilities are what they say: how often what has a probability of 0.8 happens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from abcnn.errors import InputError
from abcnn.evaluation.columns import finite_numbers, same_length


@dataclass(frozen=True, slots=True, eq=False)
class Reliability:
    """Probabilities in bins of equal width, the lowest first; one entry a bin.

    `counts` int64; `probability` the mean probability of a bin's entries and `share` how many of
    them happened, float64, NaN for an empty bin.
    """

    edges: np.ndarray
    counts: np.ndarray
    probability: np.ndarray
    share: np.ndarray

    @property
    def expected_error(self) -> float:
        """Expected calibration error: `sum_b n_b / n |share_b - probability_b|`, in [0, 1].

        Source: Naeini et al. 2015; Guo et al. 2017, equation 3.
        """
        gaps = np.abs(np.nan_to_num(self.share - self.probability))
        return float((gaps * self.counts).sum() / self.counts.sum())


def reliability(
    probabilities: Sequence[float] | np.ndarray,
    happened: Sequence[bool] | np.ndarray,
    *,
    bins: int = 10,
) -> Reliability:
    """Compare probabilities `(pairs,)` with what happened `(pairs,)`.

    A probability on an edge belongs to the upper bin, 1 to the last.

    `InputError`: columns of different lengths or without entries, a probability outside [0, 1].
    """
    same_length(probabilities=probabilities, happened=happened)
    values = finite_numbers("probabilities", probabilities)
    outside = np.flatnonzero((values < 0) | (values > 1))
    if outside.size:
        raise InputError(
            f"`probabilities`, row {outside[0] + 1}: expected a number from 0 to 1. "
            f"Received: {values[outside[0]]}"
        )
    edges = np.linspace(0, 1, bins + 1)
    places = bin_places(values, edges)
    counts = np.bincount(places, minlength=bins)

    def mean(of: np.ndarray) -> np.ndarray:
        sums = np.bincount(places, weights=of, minlength=bins)
        return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)

    return Reliability(edges, counts, mean(values), mean(np.asarray(happened, np.float64)))


def bin_places(values: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """The bin between the ascending `edges` in which each value lies, int64, from 0."""
    return np.clip(np.searchsorted(edges, values, side="right") - 1, 0, len(edges) - 2)


def claims(
    probabilities: np.ndarray, decided: np.ndarray, labels: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """What the probabilities `(pairs, labels)` claim, and whether it is so: both `(pairs,)`.

    With two labels the claim is that the label is the last one; with more, that it is the one
    `decided` for (Guo et al.'s confidence). `labels` are the true ones, as places.
    """
    if probabilities.shape[1] == 2:
        return probabilities[:, 1], labels == 1
    return probabilities[np.arange(len(decided)), decided], decided == labels
