"""The attention matrix of two sentences (Yin et al. 2016, section 4.1, equation 1)."""

from __future__ import annotations

import keras
from keras import ops

from abcnn.layers._arguments import one_of, rank
from abcnn.layers.match_scores import MATCH_SCORES


def attention_matrix(left, right, match_score, left_mask=None, right_mask=None):
    """`A[i, j] = match_score(left_i, right_j)`, and 0 where either unit is padding.

    left `(batch, left_length, dim)`, right `(batch, right_length, dim)`, masks boolean
    `(batch, length)` with True for a real unit -> `(batch, left_length, right_length)`, float32.
    """
    attention = match_score(left, right)
    # `where`, not a product: a padded unit may hold anything, and NaN times 0 is NaN.
    if left_mask is not None:
        attention = ops.where(ops.cast(left_mask, "bool")[:, :, None], attention, 0.0)
    if right_mask is not None:
        attention = ops.where(ops.cast(right_mask, "bool")[:, None, :], attention, 0.0)
    return attention


@keras.saving.register_keras_serializable(package="abcnn")
class AttentionMatrix(keras.layers.Layer):
    """Match scores of every unit of the left sentence with every unit of the right one.

    Args:
        match_score: "euclidean" `1 / (1 + |x - y|)`, "cosine" or "dot"
            (see `abcnn.layers.match_scores`).

    Call: `(left, right, left_mask=None, right_mask=None)` with `(batch, left_length, dim)` and
    `(batch, right_length, dim)` -> `(batch, left_length, right_length)`; rows are left units.

    Masking: True is a real unit; an entry with a padded unit is exactly 0; the result has no mask.
    Precision: computed in float32 under every policy.

    Raises:
        ValueError: unknown `match_score`; inputs that are not of three axes or differ in `dim`.

    Source: Yin et al. 2016, equation 1 and the match score below it.
    """

    def __init__(self, match_score: str = "euclidean", **kwargs):
        super().__init__(**kwargs)
        self.match_score = one_of("match_score", match_score, MATCH_SCORES)
        self.supports_masking = True

    def call(self, left, right, left_mask=None, right_mask=None):
        self.compute_output_shape(left.shape, right.shape)  # refuses wrong shapes
        score = MATCH_SCORES[self.match_score]
        attention = attention_matrix(left, right, score, left_mask, right_mask)
        return ops.cast(attention, self.compute_dtype)

    def compute_mask(self, left, right=None, *_masks):
        return None

    def compute_output_shape(self, left_shape, right_shape):
        rank("AttentionMatrix", "left", left_shape, 3)
        rank("AttentionMatrix", "right", right_shape, 3)
        if None not in (left_shape[2], right_shape[2]) and left_shape[2] != right_shape[2]:
            raise ValueError(
                "AttentionMatrix: `left` and `right` must have one vector size. "
                f"Received shapes: {left_shape}, {right_shape}"
            )
        return (left_shape[0], left_shape[1], right_shape[1])

    def get_config(self):
        return {**super().get_config(), "match_score": self.match_score}
