"""From a ranking's scores to probabilities."""

from __future__ import annotations

import keras
import numpy as np


def calibrate(network: keras.Model, logits: np.ndarray, labels: np.ndarray) -> None:
    """Have the network's one logit be that of a probability, without a change in any order.

    A loss that compares the candidates of a question leaves the logits' scale and zero open. Both
    are fitted here by logistic regression on dev pairs, logits float32 `(pairs, 1)` and labels 0 or
    1 `(pairs,)`, and become part of the output layer's weights. Where higher logits are not those
    of right answers nothing is changed.

    Source: Platt 1999, "Probabilistic outputs for support vector machines".
    """
    from sklearn.linear_model import LogisticRegression

    fitted = LogisticRegression(C=1e6).fit(logits.astype(np.float64), labels)
    scale, shift = float(fitted.coef_[0, 0]), float(fitted.intercept_[0])
    if scale > 0:
        layer = network.get_layer("logits")
        kernel, bias = layer.get_weights()
        layer.set_weights([kernel * scale, bias * scale + shift])
