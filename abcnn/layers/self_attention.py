"""Self-attention (Vaswani et al. 2017, section 3.2.1)."""

from __future__ import annotations

import keras
from keras import ops

from abcnn.layers._arguments import positive_integer, rank
from abcnn.layers.attention_map import AttentionMap
from abcnn.layers.masked_softmax import context_of, pair_mask
from abcnn.layers.multi_head_attention import scaled_dot_product_attention


@keras.saving.register_keras_serializable(package="abcnn")
class SelfAttention(keras.layers.Layer):
    """Each unit of a sentence reads a weighted mean of all units of the same sentence.

    `softmax(Q K' / sqrt(dim)) V` with `Q = units WQ`, `K = units WK`, `V = units WV`.

    Args:
        dim: size of the three projections, and of the result.
        return_attention: whether the attention is returned too.
        regularizer: Keras regulariser of all weights.

    Call: `(units, mask=None)` with `(batch, length, unit_dim)` and boolean `(batch, length)` ->
    `(batch, length, dim)`, or with `return_attention` `(result, attention)`, attention
    `(batch, length, length)`, rows the units that read. Weights: query, key and value kernel
    `(unit_dim, dim)`; no biases.

    Masking: a row of the attention sums to 1 over the real units and is exactly 0 on padding; a
    padded unit's row is 0, and so is its result. The result has the units' mask.
    Precision: scores, softmax and weighted sum are float32 under every policy.

    Raises:
        ValueError: `dim` below 1; units that are not of three axes.

    Source: Vaswani et al. 2017, equation 1.
    """

    def __init__(self, dim: int, return_attention: bool = False, regularizer=None, **kwargs):
        super().__init__(**kwargs)
        self.dim = positive_integer("dim", dim)
        self.return_attention = return_attention
        self.regularizer = keras.regularizers.get(regularizer)
        self.supports_masking = True

    def build(self, units_shape):
        self.query_kernel, self.key_kernel, self.value_kernel = (
            self.add_weight(
                name=f"{name}_kernel",
                shape=(units_shape[-1], self.dim),
                initializer="glorot_uniform",
                regularizer=self.regularizer,
            )
            for name in ("query", "key", "value")
        )

    def call(self, units, mask=None):
        self.compute_output_shape(units.shape)  # refuses wrong shapes
        attention = self._attention(units, mask)
        value = ops.matmul(units, self.value_kernel)
        result = ops.cast(context_of(attention, value, mask), self.compute_dtype)
        if self.return_attention:
            return result, ops.cast(attention, self.compute_dtype)
        return result

    def attentions(self, units, mask=None) -> tuple[AttentionMap, ...]:
        """The attention that `call` uses, under the layer's name."""
        attention = self._attention(units, mask)
        return (AttentionMap(self.name, attention, rows="own", columns="own"),)

    def _attention(self, units, mask):
        query, key = (ops.matmul(units, one) for one in (self.query_kernel, self.key_kernel))
        return scaled_dot_product_attention(query, key, pair_mask(mask, mask))

    def compute_mask(self, units, mask=None):
        return (mask, None) if self.return_attention else mask

    def compute_output_shape(self, units_shape):
        rank("SelfAttention", "units", units_shape, 3)
        batch, length, _ = units_shape
        result = (batch, length, self.dim)
        return (result, (batch, length, length)) if self.return_attention else result

    def get_config(self):
        return {
            **super().get_config(),
            "dim": self.dim,
            "return_attention": self.return_attention,
            "regularizer": keras.regularizers.serialize(self.regularizer),
        }
