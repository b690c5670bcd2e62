"""What a matcher says of pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from abcnn.scoring.calibration import Calibration


@dataclass(frozen=True)
class Predictions:
    """Probabilities and decisions, one entry a pair, in the order of the pairs.

    `names` are the labels in their order; `probabilities` float64 `(pairs, labels)`, rows sum to 1;
    `labels` int64 `(pairs,)`, places in `names`.
    """

    names: tuple[str, ...]
    probabilities: np.ndarray
    labels: np.ndarray

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def scores(self) -> np.ndarray:
        """One number a pair, float64 `(pairs,)`.

        With two labels the probability of the last one ("1", "yes"), by which candidates are
        ranked; otherwise the probability of the label that was decided for.
        """
        if len(self.names) == 2:
            return self.probabilities[:, 1]
        return self.probabilities[np.arange(len(self)), self.labels]

    @property
    def label_names(self) -> list[str]:
        """The decided label of every pair by name."""
        return [self.names[label] for label in self.labels]


def decide(
    logits: np.ndarray,
    names: tuple[str, ...],
    threshold: float,
    calibration: Calibration | None = None,
) -> Predictions:
    """Turn logits float32 `(pairs, outputs)`, calibrated first, into probabilities and labels.

    One logit is that of the last of two labels; more logits are one a label.
    """
    values = calibration(logits) if calibration else logits.astype(np.float64)
    if values.shape[1] == 1:
        positive = 1.0 / (1.0 + np.exp(-np.clip(values[:, 0], -700, 700)))
        probabilities = np.stack([1.0 - positive, positive], axis=1)
        return Predictions(names, probabilities, decided(probabilities, threshold))
    shifted = np.exp(values - values.max(axis=1, keepdims=True, initial=-np.inf))
    probabilities = shifted / shifted.sum(axis=1, keepdims=True)
    return Predictions(names, probabilities, decided(probabilities, threshold))


def decided(probabilities: np.ndarray, threshold: float) -> np.ndarray:
    """The labels that are decided for: float64 `(pairs, labels)` -> int64 `(pairs,)`.

    Of two labels the last, from `threshold` on; of more the most probable. A row of NaN gets the
    first.
    """
    if probabilities.shape[1] == 2:
        return (probabilities[:, 1] >= threshold).astype(np.int64)
    return np.nan_to_num(probabilities).argmax(axis=1)
