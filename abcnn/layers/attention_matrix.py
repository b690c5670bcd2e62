"""The attention matrix of two sentences (Yin et al. 2016, section 4.1, equation 1)."""

from __future__ import annotations

import keras
from keras import ops

from abcnn.layers._arguments import one_of, rank
from abcnn.layers.attention_map import AttentionMap
from abcnn.layers.match_scores import MATCH_SCORES, MATCH_WEIGHTS


def attention_matrix(left, right, match_score, left_mask=None, right_mask=None, weights=()):
    """`A[i, j] = match_score(left_i, right_j)`, and 0 where either unit is padding.

    left `(batch, left_length, dim)`, right `(batch, right_length, dim)`, masks boolean
    `(batch, length)` with True for a real unit -> `(batch, left_length, right_length)`, float32.
    `weights` are the match score's own.
    """
    attention = match_score(left, right, *weights)
    # `where`, not a product: a padded unit may hold anything, and NaN times 0 is NaN.
    if left_mask is not None:
        attention = ops.where(ops.expand_dims(ops.cast(left_mask, "bool"), -1), attention, 0.0)
    if right_mask is not None:
        attention = ops.where(ops.expand_dims(ops.cast(right_mask, "bool"), 1), attention, 0.0)
    return attention


@keras.saving.register_keras_serializable(package="abcnn")
class AttentionMatrix(keras.layers.Layer):
    """Match scores of every unit of the left sentence with every unit of the right one.

    Args:
        match_score: "euclidean" `1 / (1 + |x - y|)`, "manhattan", "cosine", "dot", "scaled_dot",
            "bilinear" or "additive" (see `abcnn.layers.match_scores`).
        regularizer: Keras regulariser of the match score's weights, where it has any.

    Call: `(left, right, left_mask=None, right_mask=None)` with `(batch, left_length, dim)` and
    `(batch, right_length, dim)` -> `(batch, left_length, right_length)`; rows are left units. Both
    sides have one `dim`, but for "bilinear" and "additive", which have weights. Those are float32;
    the hidden layer of "additive" is as large as a left unit.

    Masking: True is a real unit; an entry with a padded unit is exactly 0; the result has no mask.
    Precision: computed in float32 under every policy.

    Raises:
        ValueError: unknown `match_score`; inputs that are not of three axes or differ in `dim`.

    Source: Yin et al. 2016, equation 1 and the match score below it.
    """

    def __init__(self, match_score: str = "euclidean", regularizer=None, **kwargs):
        super().__init__(**kwargs)
        self.match_score = one_of("match_score", match_score, MATCH_SCORES)
        self.regularizer = keras.regularizers.get(regularizer)
        self.supports_masking = True
        self.match_weights: list[keras.Variable] = []

    def build(self, left_shape, right_shape):
        if self.match_score in MATCH_WEIGHTS:
            shapes = MATCH_WEIGHTS[self.match_score](left_shape[-1], right_shape[-1])
            self.match_weights = [
                self.add_weight(
                    name=name,
                    shape=shape,
                    initializer="glorot_uniform",
                    regularizer=self.regularizer,
                    autocast=False,
                )
                for name, shape in shapes.items()
            ]

    def call(self, left, right, left_mask=None, right_mask=None):
        self.compute_output_shape(left.shape, right.shape)  # refuses wrong shapes
        score = MATCH_SCORES[self.match_score]
        weights = [ops.convert_to_tensor(weight) for weight in self.match_weights]
        attention = attention_matrix(left, right, score, left_mask, right_mask, weights)
        return ops.cast(attention, self.compute_dtype)

    def attentions(self, left, right, left_mask=None, right_mask=None) -> tuple[AttentionMap, ...]:
        """The layer's own result, under its name."""
        return (AttentionMap(self.name, self.call(left, right, left_mask, right_mask)),)

    def compute_mask(self, left, right=None, *_masks):
        return None

    def compute_output_shape(self, left_shape, right_shape):
        rank("AttentionMatrix", "left", left_shape, 3)
        rank("AttentionMatrix", "right", right_shape, 3)
        one_dim = self.match_score in MATCH_WEIGHTS or left_shape[2] == right_shape[2]
        if not one_dim and None not in (left_shape[2], right_shape[2]):
            raise ValueError(
                "AttentionMatrix: `left` and `right` must have one vector size. "
                f"Received shapes: {left_shape}, {right_shape}"
            )
        return (left_shape[0], left_shape[1], right_shape[1])

    def get_config(self):
        return {
            **super().get_config(),
            "match_score": self.match_score,
            "regularizer": keras.regularizers.serialize(self.regularizer),
        }
