"""Pooling over windows, w-ap (Yin et al. 2016, sections 3 and 4.2)."""

from __future__ import annotations

import keras
from keras import ops

from abcnn.layers._arguments import positive_integer, rank
from abcnn.layers.windows import window_mask, window_sum


def window_pooling(phrases, width: int, weights=None):
    """The mean of every window of phrases, or with `weights` their weighted sum.

    phrases `(batch, length, dim)`, weights `(batch, length)` ->
    `(batch, length - width + 1, dim)`. The weighted sum is not divided by `width`.
    """
    if weights is None:
        return window_sum(phrases, width) / width
    return window_sum(phrases * ops.expand_dims(ops.cast(weights, phrases.dtype), -1), width)


@keras.saving.register_keras_serializable(package="abcnn")
class WindowPooling(keras.layers.Layer):
    """Pools every `width` neighbouring phrases into one unit, with stride 1.

    After a wide convolution of the same width this restores the sentence's length, so that blocks
    can be stacked.

    Args:
        width: phrases in a window.

    Call: `(phrases, weights=None)` with `(batch, length, dim)` and `(batch, length)` ->
    `(batch, length - width + 1, dim)`: the mean, or the weighted sum with ABCNN-2's attention
    weights.

    Masking: the result carries the mask `window_mask(mask, width)`; a window that holds padding is
    not cleared, since whatever reads it takes a mask.

    Raises:
        ValueError: `width` below 1; fewer phrases than `width`.

    Source: Yin et al. 2016, section 3 "w-ap", and `F[:, j] = sum_(k=j..j+w-1) a_k F[:, k]` of
    section 4.2.
    """

    def __init__(self, width: int, **kwargs):
        super().__init__(**kwargs)
        self.width = positive_integer("width", width)
        self.supports_masking = True

    def call(self, phrases, weights=None):
        self.compute_output_shape(phrases.shape)  # refuses wrong shapes
        return window_pooling(phrases, self.width, weights)

    def compute_mask(self, phrases, mask=None):
        return None if mask is None else window_mask(mask, self.width)

    def compute_output_shape(self, phrases_shape, weights_shape=None):
        rank("WindowPooling", "phrases", phrases_shape, 3)
        batch, length, dim = phrases_shape
        if length is not None and length < self.width:
            raise ValueError(
                f"WindowPooling: `phrases` must be at least `width`, {self.width}, long. "
                f"Received shape: {phrases_shape}"
            )
        return (batch, None if length is None else length - self.width + 1, dim)

    def get_config(self):
        return {**super().get_config(), "width": self.width}
