"""Which positions of a batch of token ids hold a word."""

from __future__ import annotations

import keras
from keras import ops

from abcnn.text.vocabulary import PAD


@keras.saving.register_keras_serializable(package="abcnn")
class PaddingMask(keras.layers.Layer):
    """Call: `(ids)` with integers `(batch, length)` -> boolean `(batch, length)`, True = a word."""

    def call(self, ids):
        return ops.not_equal(ids, PAD)

    def compute_output_spec(self, ids):
        return keras.KerasTensor(ids.shape, dtype="bool")
