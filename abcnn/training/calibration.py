"""From a ranking's scores to probabilities."""

from __future__ import annotations

import keras
import numpy as np


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


def calibrate(network: keras.Model, logits: np.ndarray, labels: np.ndarray) -> None:
    """Have the network's one logit be that of a probability, without a change in any order.

    A loss that compares the candidates of a question leaves the logits' scale and zero open. Both
    are fitted here by logistic regression on dev pairs, logits float32 `(pairs, 1)` and labels 0 or
    1 `(pairs,)`, and become part of the output layer's weights. Where higher logits are not those
    of right answers nothing is changed.

    Source: Platt 1999, "Probabilistic outputs for support vector machines".
    """
    scale, shift = _fit(logits, labels)
    if scale > 0:
        layer = network.get_layer("logits")
        kernel, bias = layer.get_weights()
        layer.set_weights([kernel * scale, bias * scale + shift])
