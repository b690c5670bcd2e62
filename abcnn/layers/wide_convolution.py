"""The wide convolution of the ABCNN (Yin et al. 2016, section 3)."""

from __future__ import annotations

import keras
from keras import ops

from abcnn.layers._arguments import positive_integer, rank
from abcnn.layers.windows import phrase_mask


def wide_convolution(units, kernel, bias):
    """`b + sum_k units[i - width + 1 + k] kernel[k]` for every window that touches the sentence.

    units `(batch, length, dim)`, kernel `(width, dim, filters)`, bias `(filters,)` ->
    `(batch, length + width - 1, filters)`; what lies outside the sentence is 0.
    """
    width, _, filters = kernel.shape
    # One product of the real units with all slices of the kernel, then shifted sums: half the time
    # of a convolution over the margins, and no gradient that scatters into them.
    flat = ops.reshape(ops.transpose(kernel, (1, 0, 2)), (-1, width * filters))
    products = ops.split(ops.matmul(units, flat), width, axis=-1)
    shifted = (
        ops.pad(product, ((0, 0), (width - 1 - k, k), (0, 0))) for k, product in enumerate(products)
    )
    return sum(shifted, start=bias)


@keras.saving.register_keras_serializable(package="abcnn")
class WideConvolution(keras.layers.Layer):
    """A convolution over every window of `width` units that touches the sentence.

    Args:
        filters: number of filters, the size of a phrase's vector.
        width: units in a window.
        activation: Keras activation, "tanh" in the paper.
        regularizer: Keras regulariser of the kernel.

    Call: `(units, mask=None, kernel=None)` with `(batch, length, dim)` ->
    `(batch, length + width - 1, filters)`. Weights: kernel `(width, dim, filters)`, bias
    `(filters,)`. For ABCNN-1 the attention feature map stands beside the units on the last axis,
    which is the paper's second channel with weights of its own. A `kernel` that is given stands in
    for the layer's own, for units of another `dim`.

    Masking: padded units count as 0, phrases that hold no real unit are exactly 0, and the result
    carries the mask `phrase_mask(mask, width)`.

    Raises:
        ValueError: `filters` or `width` below 1; units that are not of three axes.

    Source: Yin et al. 2016, section 3, `p_i = tanh(W [v_(i-w+1); ..; v_i] + b)`, 0 < i < s + w.
    """

    def __init__(self, filters: int, width: int, activation="tanh", regularizer=None, **kwargs):
        super().__init__(**kwargs)
        self.filters = positive_integer("filters", filters)
        self.width = positive_integer("width", width)
        self.activation = keras.activations.get(activation)
        self.regularizer = keras.regularizers.get(regularizer)
        self.supports_masking = True

    def build(self, units_shape):
        rank("WideConvolution", "units", units_shape, 3)
        self.kernel = self.add_weight(
            name="kernel",
            shape=(self.width, units_shape[-1], self.filters),
            initializer="glorot_uniform",
            regularizer=self.regularizer,
        )
        self.bias = self.add_weight(name="bias", shape=(self.filters,), initializer="zeros")

    def call(self, units, mask=None, kernel=None):
        if mask is not None:
            units = ops.where(ops.expand_dims(ops.cast(mask, "bool"), -1), units, 0)
        kernel = ops.convert_to_tensor(self.kernel if kernel is None else kernel)
        phrases = self.activation(wide_convolution(units, kernel, self.bias))
        if mask is not None:
            real = ops.expand_dims(phrase_mask(mask, self.width), -1)
            phrases = ops.where(real, phrases, 0)
        return phrases

    def compute_mask(self, units, mask=None):
        return None if mask is None else phrase_mask(mask, self.width)

    def compute_output_shape(self, units_shape):
        rank("WideConvolution", "units", units_shape, 3)
        batch, length, _ = units_shape
        return (batch, None if length is None else length + self.width - 1, self.filters)

    def get_config(self):
        return {
            **super().get_config(),
            "filters": self.filters,
            "width": self.width,
            "activation": keras.activations.serialize(self.activation),
            "regularizer": keras.regularizers.serialize(self.regularizer),
        }
