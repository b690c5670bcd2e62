"""The paper's output layer: a logistic regression over all scores and features."""

from __future__ import annotations

from collections.abc import Sequence

import keras
from keras import ops


@keras.saving.register_keras_serializable(package="abcnn")
class TrustScores(keras.initializers.Initializer):
    """First weights of one logit: 1 for each similarity score, 0 for all else.

    A higher similarity speaks for the positive label before anything is learnt. From weights that
    happen to be negative, the trainable vectors of a small training set learn to be unlike instead.

    Args:
        scores: how many of the inputs are similarity scores; they come first.
    """

    def __init__(self, scores: int):
        self.scores = scores

    def __call__(self, shape, dtype=None):
        inputs, outputs = shape
        first = ops.arange(inputs) < self.scores
        return ops.broadcast_to(ops.cast(first, dtype or "float32")[:, None], (inputs, outputs))

    def get_config(self):
        return {"scores": self.scores}


def logistic_head(inputs: Sequence, *, scores: int, outputs: int, dropout: float, regularizer=None):
    """Logits of a pair, float32 under every policy.

    inputs: those of `abcnn.network_config.head_inputs`, each `(batch, n)`, of which `scores`
    numbers are similarity scores -> `(batch, outputs)`: one logit for a yes-or-no task (answer
    selection, paraphrase), which starts from `TrustScores`, and one a label otherwise (entailment).

    Source: Yin et al. 2016, section 3 "Output layer".
    """
    joined = keras.layers.Concatenate(name="scores_and_features", dtype="float32")(list(inputs))
    if dropout:
        joined = keras.layers.Dropout(dropout, name="score_dropout", dtype="float32")(joined)
    return keras.layers.Dense(
        outputs,
        kernel_initializer=TrustScores(scores) if outputs == 1 else "glorot_uniform",
        kernel_regularizer=regularizer,
        name="logits",
        dtype="float32",
    )(joined)
