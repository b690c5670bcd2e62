"""Dynamic pooling of a matrix of any size to a fixed one (Socher et al. 2011, section 3)."""

from __future__ import annotations

import keras
from keras import ops

from abcnn.layers._arguments import positive_integer, rank


def window_members(real, size: int):
    """Which units each of `size` windows over a sentence holds.

    real boolean `(batch, length)` -> boolean `(batch, size, length)`. All real units are held, each
    window holds at least one. Of `R` units the first windows hold `R // size` and the last
    `R % size` windows one more; a sentence shorter than `size` has its units repeated first, all of
    them as often, until there are `size`.
    """
    real = ops.cast(real, "int32")
    position = ops.cumsum(real, axis=1) - real  # of a real unit among the real ones
    length = ops.maximum(ops.sum(real, axis=1, keepdims=True), 1)
    times = (length + size - 1) // length
    units = length * times
    each = units // size
    even = size - (units - each * size)  # windows without one more
    window = ops.expand_dims(ops.arange(size, dtype="int32"), 0)

    def start(number):
        return number * each + ops.maximum(number - even, 0)

    first, last = start(window) // times, (start(window + 1) - 1) // times
    first, last = ops.expand_dims(first, -1), ops.expand_dims(last, -1)
    real, position = ops.expand_dims(real, 1), ops.expand_dims(position, 1)
    return (real > 0) & (first <= position) & (position <= last)


def dynamic_pooling(attention, size: int, left_mask=None, right_mask=None):
    """The largest entry of each cell of a grid of `size` by `size` cells over the real entries.

    attention `(batch, left_length, right_length)`, masks boolean `(batch, length)` ->
    `(batch, size, size)`, float32; 0 where a sentence has no real unit. `size` times the matrix's
    entries are made in between.
    """
    attention = ops.cast(attention, "float32")
    left_real = ops.ones_like(attention[:, :, 0]) if left_mask is None else left_mask
    right_real = ops.ones_like(attention[:, 0]) if right_mask is None else right_mask
    pooled = _largest(attention, window_members(left_real, size))
    pooled = _largest(ops.transpose(pooled, (0, 2, 1)), window_members(right_real, size))
    return ops.transpose(pooled, (0, 2, 1))


def _largest(units, members):
    """The maximum of each window: `(batch, length, n)`, `(batch, size, length)` -> `(.., size, n)`.

    0 for a window without members.
    """
    members = ops.expand_dims(members, -1)
    held = ops.where(members, ops.expand_dims(units, 1), -3e38)
    return ops.where(ops.any(members, axis=2), ops.max(held, axis=2), 0.0)


@keras.saving.register_keras_serializable(package="abcnn")
class DynamicPooling(keras.layers.Layer):
    """Pools the attention matrix of two sentences of any length to `size` by `size`.

    Rows and columns are divided into `size` parts, as equal as can be (`window_members`), and of
    each cell of the grid the largest match score is kept. The source takes the minimum, of
    distances: what is kept is the best match in either case.

    Args:
        size: rows and columns of the result.

    Call: `(attention, left_mask=None, right_mask=None)` with `(batch, left_length, right_length)`
    and boolean `(batch, length)` -> `(batch, size, size)`.

    Masking: the grid is laid over the real units alone, so padding changes nothing; a sentence
    without real units gives 0.

    Raises:
        ValueError: `size` below 1; an input that is not of three axes.

    Source: Socher et al. 2011, "Dynamic pooling and unfolding recursive autoencoders for paraphrase
    detection", section 3; attention as input of the output layer: Yin et al. 2016, section 5.2.
    """

    def __init__(self, size: int, **kwargs):
        super().__init__(**kwargs)
        self.size = positive_integer("size", size)

    def call(self, attention, left_mask=None, right_mask=None):
        self.compute_output_shape(attention.shape)  # refuses wrong shapes
        pooled = dynamic_pooling(attention, self.size, left_mask, right_mask)
        return ops.cast(pooled, self.compute_dtype)

    def compute_output_shape(self, attention_shape):
        rank("DynamicPooling", "attention", attention_shape, 3)
        return (attention_shape[0], self.size, self.size)

    def get_config(self):
        return {**super().get_config(), "size": self.size}
