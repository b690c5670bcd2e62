"""The doubly stochastic regulariser of an attention (Xu et al. 2015, section 4.2.1)."""

from __future__ import annotations

import keras
from keras import ops

from abcnn.layers._arguments import rank
from abcnn.layers.masked_softmax import pair_mask


def doubly_stochastic_penalty(attention, value_mask=None):
    """`sum_s (1 - sum_t a_ts)^2` over the real units s, float32 `(batch,)`.

    attention `(batch, query_length, value_length)`, 0 where either unit is padding.
    """
    missing = (1.0 - ops.sum(ops.cast(attention, "float32"), axis=1)) ** 2
    if value_mask is not None:
        missing = ops.where(ops.cast(value_mask, "bool"), missing, 0.0)
    return ops.sum(missing, axis=1)


@keras.saving.register_keras_serializable(package="abcnn")
class DoublyStochastic(keras.layers.Layer):
    """Passes an attention on, and adds a loss that asks every unit to be read once in all.

    The loss is `weight * sum_s (1 - sum_t a_ts)^2`, the mean over the batch. It can only be 0
    where both sentences have one length.

    Args:
        weight: lambda.

    Call: `(attention, query_mask=None, value_mask=None)` with
    `(batch, query_length, value_length)` and boolean `(batch, length)` -> the same attention, 0
    where either unit is padding.

    Masking: padding adds nothing to the loss. The result has no mask.
    Precision: the loss is float32 under every policy.

    Raises:
        ValueError: a negative `weight`; an attention that is not of three axes.

    Source: Xu et al. 2015, equation 14.
    """

    def __init__(self, weight: float = 1.0, **kwargs):
        super().__init__(**kwargs)
        if not weight >= 0:
            raise ValueError(f"`weight` must be at least 0. Received: {weight!r}")
        self.weight = weight
        self.supports_masking = True

    def call(self, attention, query_mask=None, value_mask=None):
        self.compute_output_shape(attention.shape)  # refuses wrong shapes
        mask = pair_mask(query_mask, value_mask)
        if mask is not None:
            attention = ops.where(mask, attention, 0)
        self.add_loss(self.weight * ops.mean(doubly_stochastic_penalty(attention, value_mask)))
        return attention

    def compute_mask(self, attention, *_masks):
        return None

    def compute_output_shape(self, attention_shape):
        rank("DoublyStochastic", "attention", attention_shape, 3)
        return tuple(attention_shape)

    def get_config(self):
        return {**super().get_config(), "weight": self.weight}
