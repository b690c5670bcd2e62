"""A map from a network's logits to logits that are those of probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Calibration:
    """A rising, piecewise linear map of log-odds, one an output of the network.

    `knots` has for every output its points `(log-odds said, log-odds that are so)`, ascending in
    both; beyond the first and the last the map goes on with slope 1, so no order changes. With one
    output its log-odds are the logit. With more, a label's are its logit less the log-sum-exp of
    the others; the mapped probabilities are brought to a sum of 1.
    """

    knots: tuple[tuple[tuple[float, float], ...], ...]

    def __call__(self, logits: np.ndarray) -> np.ndarray:
        """Logits `(pairs, outputs)` -> calibrated ones, float64 of the same shape."""
        values = logits.astype(np.float64)
        if values.shape[1] == 1:
            return rising(values[:, 0], self.knots[0])[:, None]
        odds = log_odds(values)
        mapped = [rising(odds[:, label], points) for label, points in enumerate(self.knots)]
        # log of the probability; the softmax of these brings them to a sum of 1.
        return -np.logaddexp(0.0, -np.stack(mapped, axis=1))

    def to_lists(self) -> list[list[list[float]]]:
        """The knots, ready for JSON."""
        return [[list(point) for point in points] for points in self.knots]

    @classmethod
    def from_lists(cls, knots: Sequence[Sequence[Sequence[float]]]) -> Calibration:
        """What `to_lists` gave."""
        return cls(tuple(tuple((float(x), float(y)) for x, y in points) for points in knots))


def rising(values: np.ndarray, points: Sequence[tuple[float, float]]) -> np.ndarray:
    """The map through `points` at `values`: linear between them, with slope 1 outside."""
    x, y = np.asarray(points, dtype=np.float64).T
    inside = np.interp(values, x, y)
    return inside + np.minimum(values - x[0], 0.0) + np.maximum(values - x[-1], 0.0)


def log_odds(logits: np.ndarray) -> np.ndarray:
    """Each label's logit less the log-sum-exp of the others, `(pairs, labels)`, labels >= 2."""
    labels = logits.shape[1]
    others = [np.delete(logits, label, axis=1) for label in range(labels)]
    return np.stack(
        [logits[:, n] - np.logaddexp.reduce(others[n], axis=1) for n in range(labels)], axis=1
    )
