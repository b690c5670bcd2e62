"""What a matcher says of pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from abcnn.readers.grades import Grades, Scale
from abcnn.scoring.calibration import Calibration


@dataclass(frozen=True)
class Predictions:
    """Probabilities and decisions, or grades, one entry a pair, in the order of the pairs.

    `names` are the labels in their order; `probabilities` float64 `(pairs, labels)`, rows sum to 1;
    `labels` int64 `(pairs,)`, places in `names`. Where pairs are graded there are no names and
    probabilities, all `labels` are -1, and `grades` is float64 `(pairs,)`; otherwise it is None.
    """

    names: tuple[str, ...]
    probabilities: np.ndarray
    labels: np.ndarray
    grades: np.ndarray | None = None

    @classmethod
    def of_values(cls, values: np.ndarray, scale: Scale, threshold: float) -> Predictions:
        """What `values` was of: probabilities `(pairs, labels)`, or grades `(pairs, 1)`."""
        if isinstance(scale, Grades):
            none = np.zeros((len(values), 0))
            return cls((), none, np.full(len(values), -1), values[:, 0])
        return cls(scale, values, decided(values, threshold))

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def scores(self) -> np.ndarray:
        """One number a pair, float64 `(pairs,)`.

        The grade; with two labels the probability of the last one ("1", "yes"), by which candidates
        are ranked; otherwise the probability of the label that was decided for.
        """
        if self.grades is not None:
            return self.grades
        if len(self.names) == 2:
            return self.probabilities[:, 1]
        return self.probabilities[np.arange(len(self)), self.labels]

    @property
    def values(self) -> np.ndarray:
        """All that was said, in one array: `probabilities`, or the grades as `(pairs, 1)`."""
        return self.probabilities if self.grades is None else self.grades[:, None]

    @property
    def label_names(self) -> list[str]:
        """The decided label of every pair by name; none where pairs are graded."""
        return [] if self.grades is not None else [self.names[label] for label in self.labels]


def mean_logits(members: Sequence[np.ndarray]) -> np.ndarray:
    """The mean of the logits of several networks, float32 `(pairs, outputs)` each.

    Of logits and not of probabilities: networks that agree lose no confidence by it, one that is
    wrong and sure of it counts more. Its probabilities are the geometric mean of the networks',
    brought to a sum of 1.
    """
    if len(members) == 1:
        return members[0]
    return np.stack(members).mean(axis=0, dtype=np.float64).astype(np.float32)


def decide(
    logits: np.ndarray,
    scale: Scale,
    threshold: float,
    calibration: Calibration | None = None,
) -> Predictions:
    """Turn logits float32 `(pairs, outputs)`, calibrated first, into what they say.

    Of labels, one logit is that of the last of two; more logits are one a label. Of grades, the
    logistic function of one logit is the share of the way from the lowest to the highest; more
    logits are one a whole grade, and the grade is their expectation (Tai et al. 2015, equation 14).
    """
    values = calibration(logits) if calibration else logits.astype(np.float64)
    if values.shape[1] == 1:
        positive = 1.0 / (1.0 + np.exp(-np.clip(values[:, 0], -700, 700)))
        probabilities = np.stack([1.0 - positive, positive], axis=1)
    else:
        shifted = np.exp(values - values.max(axis=1, keepdims=True, initial=-np.inf))
        probabilities = shifted / shifted.sum(axis=1, keepdims=True)
    if isinstance(scale, Grades):
        shares = probabilities @ np.linspace(0.0, 1.0, probabilities.shape[1])
        # Of probabilities that sum to 1 but for rounding, the mean may lie outside by as much.
        probabilities = scale.grades(np.clip(shares, 0.0, 1.0))[:, None]
    return Predictions.of_values(probabilities, scale, threshold)


def decided(probabilities: np.ndarray, threshold: float) -> np.ndarray:
    """The labels that are decided for: float64 `(pairs, labels)` -> int64 `(pairs,)`.

    Of two labels the last, from `threshold` on; of more the most probable. A row of NaN gets the
    first.
    """
    if probabilities.shape[1] == 2:
        return (probabilities[:, 1] >= threshold).astype(np.int64)
    return np.nan_to_num(probabilities).argmax(axis=1)
