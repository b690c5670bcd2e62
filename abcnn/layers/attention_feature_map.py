"""The attention feature maps of ABCNN-1 (Yin et al. 2016, section 4.1)."""

from __future__ import annotations

import keras
from keras import ops

from abcnn.layers._arguments import positive_integer, rank


def attention_feature_map(attention, left_weights, right_weights):
    """`left_map[i] = sum_j A[i,j] W0[j]` and `right_map[j] = sum_i A[i,j] W1[i]`.

    attention `(batch, left_length, right_length)`, left_weights `(right_length, dim)`,
    right_weights `(left_length, dim)` -> `(batch, left_length, dim)`, `(batch, right_length, dim)`.
    """
    left_map = ops.matmul(attention, left_weights)
    right_map = ops.matmul(ops.transpose(attention, (0, 2, 1)), right_weights)
    return left_map, right_map


@keras.saving.register_keras_serializable(package="abcnn")
class AttentionFeatureMap(keras.layers.Layer):
    """What each unit's row of the attention matrix says, as a vector as long as the unit's own.

    Args:
        dim: size of a unit's vector.
        max_length: the longest sentence, in units; the weights have one row for each position.
        share_weights: whether W0 and W1 are one array, as in the paper's own set-up.
        regularizer: Keras regulariser of the weights.

    Call: `(attention)` with `(batch, left_length, right_length)` ->
    `(batch, left_length, dim)`, `(batch, right_length, dim)`.

    Masking: none needed. The matrix is 0 where a unit is padding, so a padded unit adds nothing
    and has a map of exactly 0.

    Raises:
        ValueError: `dim` or `max_length` below 1; a sentence longer than `max_length`.

    Source: Yin et al. 2016, `F0a = W0 A^T` and `F1a = W1 A`, here with units as rows.
    """

    def __init__(
        self, dim: int, max_length: int, share_weights: bool = True, regularizer=None, **kwargs
    ):
        super().__init__(**kwargs)
        self.dim = positive_integer("dim", dim)
        self.max_length = positive_integer("max_length", max_length)
        self.share_weights = share_weights
        self.regularizer = keras.regularizers.get(regularizer)

    def build(self, attention_shape):
        self.left_weights = self._position_weights("left_weights")
        self.right_weights = (
            self.left_weights if self.share_weights else self._position_weights("right_weights")
        )

    def _position_weights(self, name: str):
        return self.add_weight(
            name=name,
            shape=(self.max_length, self.dim),
            initializer="glorot_uniform",
            regularizer=self.regularizer,
        )

    def call(self, attention):
        self._check(attention.shape)
        left_length, right_length = ops.shape(attention)[1:]
        return attention_feature_map(
            attention,
            ops.convert_to_tensor(self.left_weights)[:right_length],
            ops.convert_to_tensor(self.right_weights)[:left_length],
        )

    def compute_output_shape(self, attention_shape):
        self._check(attention_shape)
        batch, left_length, right_length = attention_shape
        return (batch, left_length, self.dim), (batch, right_length, self.dim)

    def _check(self, shape) -> None:
        rank("AttentionFeatureMap", "attention", shape, 3)
        for side, length in (("left", shape[1]), ("right", shape[2])):
            if length is not None and length > self.max_length:
                raise ValueError(
                    f"AttentionFeatureMap: the {side} length must be at most `max_length`, "
                    f"{self.max_length}. Received: {length}"
                )

    def get_config(self):
        return {
            **super().get_config(),
            "dim": self.dim,
            "max_length": self.max_length,
            "share_weights": self.share_weights,
            "regularizer": keras.regularizers.serialize(self.regularizer),
        }
