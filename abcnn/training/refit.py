"""The final decision fitted anew on the trained network's scores and features."""

from __future__ import annotations

from typing import Any

import keras
import numpy as np

from abcnn.scoring.matcher import network_logits
from abcnn.text.batches import EncodedPairs


def refit(
    network: keras.Model,
    pairs: EncodedPairs,
    kind: str,
    *,
    max_length: int,
    seed: int,
    label_weights: np.ndarray | None = None,
) -> None:
    """Replace the output layer's weights by those of a scikit-learn model of its input.

    The input, similarity scores and features, is brought to mean 0 and deviation 1 on the training
    pairs, and the model fitted with its defaults: `kind` "logistic" is `LogisticRegression`, "svm"
    `LinearSVC`. Scaling is folded into the weights, so the network stays what it was but for these
    numbers. The logits of an SVM are margins. `pairs` have labels; `label_weights` float
    `(labels,)` weigh the pairs of each label.

    Source: Yin et al. 2016, section 5: "we use logistic regression and linear SVM".
    """
    layer = network.get_layer("logits")
    inputs = network_logits(keras.Model(network.inputs, layer.input), pairs, max_length)
    values = inputs.astype(np.float64)
    deviation = values.std(axis=0)
    mean, scale = values.mean(axis=0), np.where(deviation > 0, deviation, 1.0)
    labels = np.asarray(pairs.labels)
    model = _model(kind, seed).fit(
        (values - mean) / scale,
        labels,
        sample_weight=None if label_weights is None else label_weights[labels],
    )
    weights, bias = model.coef_, model.intercept_
    outputs = network.output_shape[-1]
    if outputs > len(weights):  # one logit a label, where scikit-learn has one for two labels
        weights, bias = (np.concatenate([0 * one, one]) for one in (weights, bias))
    layer.set_weights([(weights / scale).T, bias - (weights / scale) @ mean])


def _model(kind: str, seed: int) -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import LinearSVC

    if kind == "svm":
        return LinearSVC(random_state=seed, max_iter=10_000)
    return LogisticRegression(max_iter=1000)
