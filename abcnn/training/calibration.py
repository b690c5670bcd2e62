"""From logits to those of probabilities, on dev."""

from __future__ import annotations

from dataclasses import dataclass

import keras
import numpy as np

from abcnn.scoring.calibration import Calibration, log_odds

_TILT = 0.001  # of a step to both sides, in log-odds


def even_odds(logits: np.ndarray, labels: np.ndarray) -> float:
    """The probability, in the network's own terms, at which dev pairs are as often right as wrong.

    logits float32 `(pairs, 1)`, labels 0 or 1 `(pairs,)` -> the threshold for the best accuracy, by
    a logistic regression on the logits. On the few hundred pairs of a dev set it is steadier than
    the one that happens to count the most right decisions.
    """
    scale, shift = _fit(logits, labels)
    if scale <= 0:
        return 0.5
    return float(1.0 / (1.0 + np.exp(np.clip(shift / scale, -700, 700))))


def _fit(logits: np.ndarray, labels: np.ndarray) -> tuple[float, float]:
    """Scale and shift of logits that give the likeliest probabilities; 0 and 0 for one class.

    A pair counts as right with probability `(n + 1) / (n + 2)`, or wrong with that of its own
    count, as Platt has it: logits that part the labels wholly would else be scaled without end.
    """
    from sklearn.linear_model import LogisticRegression

    positive = np.asarray(labels) == 1
    count, others = positive.sum(), (~positive).sum()
    if not (count and others):
        return 0.0, 0.0
    targets = np.where(positive, (count + 1) / (count + 2), 1 / (others + 2))
    values = np.tile(logits.astype(np.float64), (2, 1))
    sides = np.repeat([1, 0], len(targets))
    weights = np.concatenate([targets, 1 - targets])
    fitted = LogisticRegression(C=1e6).fit(values, sides, sample_weight=weights)
    return float(fitted.coef_[0, 0]), float(fitted.intercept_[0])


@dataclass(frozen=True)
class Adjustment:
    """What dev decides of a network's logits: `(logits * scale + shift) / temperature`, then
    `calibration`, which is no change of weights; `note` is what the bundle says of it."""

    scale: float = 1.0
    shift: float = 0.0
    temperature: float = 1.0
    calibration: Calibration | None = None
    note: str | None = None

    @property
    def of_weights(self) -> bool:
        """Whether weights change by it."""
        return (self.scale, self.shift, self.temperature) != (1.0, 0.0, 1.0)

    def logits(self, logits: np.ndarray) -> np.ndarray:
        """What a network gives after `apply` in place of some logits."""
        return (logits * self.scale + self.shift) / self.temperature

    def apply(self, network: keras.Model) -> None:
        """Change the weights of the network's output layer accordingly."""
        scale_logits(network, self.scale, self.shift)
        if self.temperature != 1:
            divide_logits(network, self.temperature)


def platt(logits: np.ndarray, labels: np.ndarray) -> tuple[float, float]:
    """Scale and shift that make one logit that of a probability, without a change in any order.

    A loss that compares the candidates of a question leaves the logits' scale and zero open. Both
    are fitted here by logistic regression on dev pairs, logits float32 `(pairs, 1)` and labels 0 or
    1 `(pairs,)`. Where higher logits are not those of right answers they are 1 and 0.

    Source: Platt 1999, "Probabilistic outputs for support vector machines".
    """
    scale, shift = _fit(logits, labels)
    return (scale, shift) if scale > 0 else (1.0, 0.0)


def scale_logits(network: keras.Model, scale: float, shift: float) -> None:
    """Have the network give its logits times `scale` plus `shift`: a change of its output layer."""
    if (scale, shift) != (1.0, 0.0):
        layer = network.get_layer("logits")
        kernel, bias = layer.get_weights()
        layer.set_weights([kernel * scale, bias * scale + shift])


def temperature(logits: np.ndarray, labels: np.ndarray) -> float:
    """The number by which logits `(pairs, outputs)` are divided to make dev `labels` likeliest.

    From 1/20 to 20: logits that part the labels wholly would else be scaled without end.

    Source: Guo et al. 2017, "On calibration of modern neural networks", section 4.2.
    """
    from scipy.optimize import minimize_scalar

    values = _two_or_more(logits)
    right = np.arange(len(values)), np.asarray(labels)

    def surprise(log_temperature: float) -> float:
        scaled = values / np.exp(log_temperature)
        return float((np.logaddexp.reduce(scaled, axis=1) - scaled[right]).mean())

    found = minimize_scalar(surprise, bounds=(-np.log(20), np.log(20)), method="bounded")
    return float(np.exp(found.x))


def divide_logits(network: keras.Model, by: float) -> None:
    """Have the network give its logits divided by a number: a change of its output layer."""
    layer = network.get_layer("logits")
    layer.set_weights([weights / by for weights in layer.get_weights()])


def isotonic(logits: np.ndarray, labels: np.ndarray) -> Calibration | None:
    """The rising map of log-odds that fits dev `labels` best; logits `(pairs, outputs)`.

    Isotonic regression makes steps, which would tie what was ranked. Each step is tilted here by
    0.002 at most, so that the map rises everywhere and no order changes; between steps it is
    linear. Of n pairs no step says less than `1 / (n + 2)` or more than `(n + 1) / (n + 2)`. None
    when a label does not occur on dev, or none of the others does.

    Source: Zadrozny and Elkan 2002, also for one map a label.
    """
    labels = np.asarray(labels)
    one_logit = logits.shape[1] == 1
    odds = logits.astype(np.float64) if one_logit else log_odds(logits.astype(np.float64))
    knots = []
    for output in range(odds.shape[1]):
        positive = labels == (1 if one_logit else output)
        if not positive.any() or positive.all():
            return None
        knots.append(_steps(odds[:, output], positive))
    return Calibration(tuple(knots))


def _steps(odds: np.ndarray, positive: np.ndarray) -> tuple[tuple[float, float], ...]:
    from sklearn.isotonic import IsotonicRegression

    count = len(odds)
    fitted = IsotonicRegression(y_min=1 / (count + 2), y_max=(count + 1) / (count + 2))
    order = np.argsort(odds, kind="stable")
    values, starts = np.unique(fitted.fit_transform(odds, positive)[order], return_index=True)
    heights = np.log(values / (1 - values))
    tilt = min(_TILT, float(np.diff(heights).min(initial=np.inf)) / 4)
    lows = odds[order][starts]
    highs = odds[order][np.append(starts[1:], count) - 1]
    points = [
        point
        for low, high, height in zip(lows.tolist(), highs.tolist(), heights.tolist(), strict=True)
        for point in (
            [(low, height)] if low == high else [(low, height - tilt), (high, height + tilt)]
        )
    ]
    return tuple(points)


def _two_or_more(logits: np.ndarray) -> np.ndarray:
    """One logit a label: a single one is that of the last of two labels, the first's is 0."""
    values = logits.astype(np.float64)
    return (
        np.concatenate([np.zeros_like(values), values], axis=1) if values.shape[1] == 1 else values
    )
