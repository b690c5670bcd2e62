"""The paper's output layer: a logistic regression over all scores and features."""

from __future__ import annotations

from collections.abc import Sequence

import keras


def logistic_head(scores: Sequence, features, *, outputs: int, dropout: float, regularizer=None):
    """Logits of a pair, float32 under every policy.

    scores: one `(batch, n)` a block; features `(batch, k)` -> `(batch, outputs)`: one logit for a
    yes-or-no task (answer selection, paraphrase), one a label otherwise (entailment).

    Source: Yin et al. 2016, section 3 "Output layer".
    """
    joined = keras.layers.Concatenate(name="scores_and_features", dtype="float32")(
        [*scores, features]
    )
    if dropout:
        joined = keras.layers.Dropout(dropout, name="score_dropout", dtype="float32")(joined)
    return keras.layers.Dense(
        outputs, kernel_regularizer=regularizer, name="logits", dtype="float32"
    )(joined)
