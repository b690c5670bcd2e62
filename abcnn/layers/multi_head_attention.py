"""Multi-head attention (Vaswani et al. 2017, section 3.2)."""

from __future__ import annotations

import keras
from keras import ops

from abcnn.layers._arguments import positive_integer, rank
from abcnn.layers.attention_map import AttentionMap
from abcnn.layers.masked_softmax import masked_softmax, pair_mask


def scaled_dot_product_attention(query, key, mask=None):
    """`softmax(q k' / sqrt(dim))`, 0 where `mask` is False, float32.

    query `(..., query_length, dim)`, key `(..., value_length, dim)` ->
    `(..., query_length, value_length)`.
    """
    query, key = ops.cast(query, "float32"), ops.cast(key, "float32")
    scores = ops.matmul(query, ops.swapaxes(key, -1, -2)) / query.shape[-1] ** 0.5
    return masked_softmax(scores, mask)


@keras.saving.register_keras_serializable(package="abcnn")
class MultiHeadAttention(keras.layers.Layer):
    """Several attentions side by side, each on projections of its own, joined by one more.

    `head_h = softmax(Q_h K_h' / sqrt(head_dim)) V_h` with `Q_h = query WQ_h`, `K_h = value WK_h`,
    `V_h = value WV_h`; the result is `concat(head_1, ..) WO`. With one sentence as both arguments
    it is self-attention; see `SelfAttention` for one head without `WO`. Keras's own layer of this
    name differs in that padding gets some attention where nothing is real.

    Args:
        heads: number of attentions.
        head_dim: size of the projections of one head.
        output_dim: size of the result; by default that of the query.
        return_attention: whether the attention is returned too.
        regularizer: Keras regulariser of all weights.

    Call: `(query, value, query_mask=None, value_mask=None)` with
    `(batch, query_length, query_dim)`, `(batch, value_length, dim)` and boolean `(batch, length)`
    -> `(batch, query_length, output_dim)`, or with `return_attention` `(result, attention)`,
    attention `(batch, heads, query_length, value_length)`. Weights: query, key and value kernel
    `(dim, heads * head_dim)`, output kernel `(heads * head_dim, output_dim)`; no biases.

    Masking: a row of the attention sums to 1 over the real units and is exactly 0 on padding. The
    row of a padded query, or of a sentence without real units, is 0, and so is its result. The
    result has the query's mask.
    Precision: scores, softmax and weighted sum are float32 under every policy.

    Raises:
        ValueError: a size below 1; inputs that are not of three axes.

    Source: Vaswani et al. 2017, equation 1 and section 3.2.2.
    """

    def __init__(
        self,
        heads: int,
        head_dim: int,
        output_dim: int | None = None,
        return_attention: bool = False,
        regularizer=None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.heads = positive_integer("heads", heads)
        self.head_dim = positive_integer("head_dim", head_dim)
        self.output_dim = None if output_dim is None else positive_integer("output_dim", output_dim)
        self.return_attention = return_attention
        self.regularizer = keras.regularizers.get(regularizer)
        self.supports_masking = True

    def build(self, query_shape, value_shape):
        inner, query_dim, value_dim = self.heads * self.head_dim, query_shape[-1], value_shape[-1]
        self.query_kernel = self._kernel("query_kernel", query_dim, inner)
        self.key_kernel = self._kernel("key_kernel", value_dim, inner)
        self.value_kernel = self._kernel("value_kernel", value_dim, inner)
        self.output_kernel = self._kernel("output_kernel", inner, self.output_dim or query_dim)

    def _kernel(self, name: str, rows: int, columns: int):
        return self.add_weight(
            name=name,
            shape=(rows, columns),
            initializer="glorot_uniform",
            regularizer=self.regularizer,
        )

    def call(self, query, value, query_mask=None, value_mask=None):
        self.compute_output_shape(query.shape, value.shape)  # refuses wrong shapes
        query, value = _cleared(query, query_mask), _cleared(value, value_mask)
        attention = self._attention(query, value, query_mask, value_mask)
        values = ops.cast(self._heads_of(value, self.value_kernel), "float32")
        joined = ops.swapaxes(ops.matmul(attention, values), 1, 2)
        length = ops.shape(query)[1]
        joined = ops.reshape(joined, (-1, length, self.heads * self.head_dim))
        result = ops.matmul(ops.cast(joined, self.compute_dtype), self.output_kernel)
        if self.return_attention:
            return result, ops.cast(attention, self.compute_dtype)
        return result

    def attentions(
        self, query, value, query_mask=None, value_mask=None
    ) -> tuple[AttentionMap, ...]:
        """The attention that `call` uses, with its heads, under the layer's name."""
        query, value = _cleared(query, query_mask), _cleared(value, value_mask)
        attention = self._attention(query, value, query_mask, value_mask)
        return (AttentionMap(self.name, attention, rows="own", columns="other"),)

    def _attention(self, query, value, query_mask, value_mask):
        mask = pair_mask(query_mask, value_mask)
        return scaled_dot_product_attention(
            self._heads_of(query, self.query_kernel),
            self._heads_of(value, self.key_kernel),
            None if mask is None else mask[:, None],
        )

    def _heads_of(self, units, kernel):
        """`(batch, length, dim)` -> `(batch, heads, length, head_dim)`."""
        length = ops.shape(units)[1]
        projected = ops.matmul(units, kernel)
        split = ops.reshape(projected, (-1, length, self.heads, self.head_dim))
        return ops.swapaxes(split, 1, 2)

    def compute_mask(self, query, mask=None):
        return (mask, None) if self.return_attention else mask

    def compute_output_shape(self, query_shape, value_shape):
        rank("MultiHeadAttention", "query", query_shape, 3)
        rank("MultiHeadAttention", "value", value_shape, 3)
        batch, query_length, query_dim = query_shape
        result = (batch, query_length, self.output_dim or query_dim)
        attention = (batch, self.heads, query_length, value_shape[1])
        return (result, attention) if self.return_attention else result

    def get_config(self):
        return {
            **super().get_config(),
            "heads": self.heads,
            "head_dim": self.head_dim,
            "output_dim": self.output_dim,
            "return_attention": self.return_attention,
            "regularizer": keras.regularizers.serialize(self.regularizer),
        }


def _cleared(units, mask):
    """The units, 0 where they are padding."""
    return units if mask is None else ops.where(ops.cast(mask, "bool")[..., None], units, 0)
