"""One block of a Transformer (Vaswani et al. 2017)."""

from __future__ import annotations

from dataclasses import replace

import keras
from keras import ops

from abcnn.layers import AttentionMap, MultiHeadAttention
from abcnn.layers._arguments import positive_integer, rank


@keras.saving.register_keras_serializable(package="abcnn")
class TransformerBlock(keras.layers.Layer):
    """The units of a sentence read each other, then those of the other sentence, each on its own.

    `x = x + self(n(x), n(x))`, `x = x + cross(n(x), n(y))`, `x = x + W2 relu(W1 n(x))`, where y is
    the other sentence and each n a layer normalisation of its own (that of x before `self` is that
    of y too). The norms stand before the attentions, not behind them as in 2017: so a block needs
    no warming up of the learning rate.

    Args:
        heads: of both attentions; divides the size of the units.
        inner_dim: size of the layer between W1 and W2.
        cross: whether there is a second sentence.
        regularizer: Keras regulariser of all kernels.

    Call: `(units, others=None, mask=None, others_mask=None)` with `(batch, length, dim)`,
    `(batch, others_length, dim)` and boolean `(batch, length)` -> `(batch, length, dim)`.

    Masking: padding changes nothing and gives 0. Where the other sentence has no real unit, nothing
    is read of it. The result has the units' mask.
    Precision: softmax and weighted sums are float32 under every policy.

    Raises:
        ValueError: `heads` or `inner_dim` below 1; heads that do not divide the size; units that
            are not of three axes.

    Source: Vaswani et al. 2017, section 3; the place of the norms: Xiong et al. 2020, figure 1b.
    """

    def __init__(self, heads: int, inner_dim: int, cross: bool = True, regularizer=None, **kwargs):
        super().__init__(**kwargs)
        self.heads = positive_integer("heads", heads)
        self.inner_dim = positive_integer("inner_dim", inner_dim)
        self.cross = cross
        self.regularizer = keras.regularizers.get(regularizer)
        self.supports_masking = True

    def build(self, units_shape, others_shape=None):
        dim = units_shape[-1]
        if dim % self.heads:
            raise ValueError(
                f"TransformerBlock: `heads` must divide the size of the units, {dim}. "
                f"Received: {self.heads}"
            )
        options = {"regularizer": self.regularizer, "dtype": self.dtype_policy}
        names = ("self_attention", "cross_attention") if self.cross else ("self_attention",)
        self.attention_layers = [
            MultiHeadAttention(self.heads, dim // self.heads, name=name, **options)
            for name in names
        ]
        self.norms = [
            keras.layers.LayerNormalization(name=f"{name}_norm", dtype=self.dtype_policy)
            for name in (*names, "inner")
        ]
        self.inner, self.outer = (
            keras.layers.Dense(
                size,
                activation,
                kernel_regularizer=self.regularizer,
                dtype=self.dtype_policy,
                name=name,
            )
            for name, size, activation in (("inner", self.inner_dim, "relu"), ("outer", dim, None))
        )
        for attention in self.attention_layers:
            attention.build(units_shape, units_shape)
        for norm in self.norms:
            norm.build(units_shape)
        self.inner.build(units_shape)
        self.outer.build((*units_shape[:-1], self.inner_dim))

    def call(self, units, others=None, mask=None, others_mask=None):
        self.compute_output_shape(units.shape)  # refuses wrong shapes
        units, _ = self._attend(units, others, mask, others_mask)
        units = units + self.outer(self.inner(self.norms[-1](units)))
        if mask is not None:
            units = ops.where(ops.cast(mask, "bool")[..., None], units, 0)
        return units

    def attentions(
        self, units, others=None, mask=None, others_mask=None
    ) -> tuple[AttentionMap, ...]:
        """The heads over the own sentence's units, then those over the other one's."""
        _, calls = self._attend(units, others, mask, others_mask)
        of_self, *of_others = [layer.attentions(*arguments)[0] for layer, arguments in calls]
        return (replace(of_self, columns="own"), *of_others)

    def _attend(self, units, others, mask, others_mask):
        """The units after the attentions, and these, with what they were called on."""
        read_self, *read_others = self.attention_layers
        first, *middle, _ = self.norms
        normed = first(units)
        calls = [(read_self, (normed, normed, mask, mask))]
        units = units + read_self(normed, normed, query_mask=mask, value_mask=mask)
        for norm, read in zip(middle, read_others, strict=True):
            query, value = norm(units), first(others)
            calls.append((read, (query, value, mask, others_mask)))
            units = units + read(query, value, query_mask=mask, value_mask=others_mask)
        return units, calls

    def compute_mask(self, units, mask=None):
        return mask

    def compute_output_shape(self, units_shape, others_shape=None):
        rank("TransformerBlock", "units", units_shape, 3)
        return tuple(units_shape)

    def get_config(self):
        return {
            **super().get_config(),
            "heads": self.heads,
            "inner_dim": self.inner_dim,
            "cross": self.cross,
            "regularizer": keras.regularizers.serialize(self.regularizer),
        }
