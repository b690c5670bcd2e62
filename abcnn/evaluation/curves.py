"""Precision, recall and the rest as the threshold moves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from abcnn.evaluation.columns import finite_numbers, same_length


@dataclass(frozen=True, slots=True, eq=False)
class ThresholdCurve:
    """Measures of deciding "positive" from a threshold on, one entry a threshold, ascending.

    The thresholds are the different probabilities. Precision, recall, f1, accuracy are float64.
    """

    thresholds: np.ndarray
    precision: np.ndarray
    recall: np.ndarray
    f1: np.ndarray
    accuracy: np.ndarray

    @property
    def average_precision(self) -> float:
        """The area under the precision-recall steps, `sum_n (R_n - R_{n+1}) P_n`."""
        steps = -np.diff(self.recall, append=0.0)
        return float((steps * self.precision).sum())


def threshold_curve(probabilities: np.ndarray, positive: np.ndarray) -> ThresholdCurve:
    """The measures of `probability >= threshold`, for probabilities and truth `(pairs,)`.

    `InputError`: columns of different lengths or without entries.
    """
    pairs = same_length(probabilities=probabilities, positive=positive)
    values = finite_numbers("probabilities", probabilities)
    truth = np.asarray(positive, bool)
    thresholds = np.unique(values)
    said = pairs - np.searchsorted(np.sort(values), thresholds)
    right = truth.sum() - np.searchsorted(np.sort(values[truth]), thresholds)
    are = max(int(truth.sum()), 1)
    return ThresholdCurve(
        thresholds=thresholds,
        precision=right / said,
        recall=right / are,
        f1=2 * right / (said + truth.sum()),
        accuracy=(right + (pairs - truth.sum() - said + right)) / pairs,
    )
