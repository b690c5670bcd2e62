"""Pooling by attention with a learnt query (Yang et al. 2016, section 2.2)."""

from __future__ import annotations

import keras
from keras import ops

from abcnn.layers._arguments import positive_integer
from abcnn.layers.attention_map import AttentionMap
from abcnn.layers.masked_softmax import masked_softmax


def importance(units, kernel, bias, vector):
    """`tanh(W x + b)' v` of every unit: `(..., length, dim)` -> `(..., length)`."""
    return ops.matmul(ops.tanh(ops.matmul(units, kernel) + bias), vector)


@keras.saving.register_keras_serializable(package="abcnn")
class AttentionPooling(keras.layers.Layer):
    """Pools a sequence into one vector, units weighted by how much they matter.

    `u_i = tanh(W x_i + b)`, `a = softmax_i(u_i' v)`, the result `sum_i a_i x_i`; `v` is learnt.

    Args:
        hidden_dim: size of `u_i` and `v`.
        return_attention: whether the attention is returned too.
        regularizer: Keras regulariser of kernel and vector.

    Call: `(units, mask=None)` with `(batch, ..., length, dim)` and boolean `(batch, ..., length)`
    -> `(batch, ..., dim)`, or with `return_attention` `(result, attention)`, attention
    `(batch, ..., length)`. So it pools words `(batch, sentences, words, dim)` into sentences.
    Weights: kernel `(dim, hidden_dim)`, bias `(hidden_dim,)`, vector `(hidden_dim,)`.

    Masking: the attention sums to 1 over the real units and is exactly 0 on padding; where no unit
    is real, attention and result are 0. The result has no mask.
    Precision: float32 under every policy.

    Raises:
        ValueError: `hidden_dim` below 1; units of fewer than three axes.

    Source: Yang et al. 2016, equations 5 to 7.
    """

    def __init__(self, hidden_dim: int, return_attention: bool = False, regularizer=None, **kwargs):
        super().__init__(**kwargs)
        self.hidden_dim = positive_integer("hidden_dim", hidden_dim)
        self.return_attention = return_attention
        self.regularizer = keras.regularizers.get(regularizer)
        self.supports_masking = True

    def build(self, units_shape):
        self.kernel = self._weight("kernel", (units_shape[-1], self.hidden_dim), self.regularizer)
        self.bias = self._weight("bias", (self.hidden_dim,), None, initializer="zeros")
        self.vector = self._weight("vector", (self.hidden_dim,), self.regularizer)

    def _weight(self, name, shape, regularizer, initializer="glorot_uniform"):
        return self.add_weight(
            name=name,
            shape=shape,
            initializer=initializer,
            regularizer=regularizer,
            autocast=False,
        )

    def call(self, units, mask=None):
        result, attention = self._pool(units, mask)
        result = ops.cast(result, self.compute_dtype)
        if self.return_attention:
            return result, ops.cast(attention, self.compute_dtype)
        return result

    def attentions(self, units, mask=None) -> tuple[AttentionMap, ...]:
        """The attention that `call` uses, under the layer's name: a row for each result."""
        _, attention = self._pool(units, mask)
        length = ops.shape(attention)[-1]
        rows = ops.reshape(attention, (ops.shape(attention)[0], -1, length))
        read = ops.ones_like(attention) if mask is None else mask
        read = ops.cast(ops.reshape(read, ops.shape(rows)), "bool")
        return (AttentionMap(self.name, rows, rows="own", columns="own", row_units=read),)

    def _pool(self, units, mask):
        self.compute_output_shape(units.shape)  # refuses wrong shapes
        units = ops.cast(units, "float32")
        if mask is not None:
            mask = ops.cast(mask, "bool")
            units = ops.where(mask[..., None], units, 0.0)
        scores = importance(units, self.kernel, self.bias, self.vector)
        attention = masked_softmax(scores, mask)
        return ops.sum(attention[..., None] * units, axis=-2), attention

    def compute_mask(self, units, *_masks):
        return None

    def compute_output_shape(self, units_shape):
        if len(units_shape) < 3:
            raise ValueError(
                "AttentionPooling: `units` must have at least 3 axes. "
                f"Received shape: {units_shape}"
            )
        result = (*units_shape[:-2], units_shape[-1])
        return (result, tuple(units_shape[:-1])) if self.return_attention else result

    def get_config(self):
        return {
            **super().get_config(),
            "hidden_dim": self.hidden_dim,
            "return_attention": self.return_attention,
            "regularizer": keras.regularizers.serialize(self.regularizer),
        }
