"""Sinusoids that tell where a unit stands (Vaswani et al. 2017, section 3.5)."""

from __future__ import annotations

import keras
import numpy as np
from keras import ops

from abcnn.layers._arguments import rank


def sinusoids(positions, dim: int):
    """`sin(p / 10000^(2i / dim))` at the numbers 2i, the cosine of the same at 2i + 1.

    positions float32 `(...)` -> `(..., dim)`.
    """
    numbers = np.arange(dim)
    rates = (10000.0 ** (-(numbers // 2 * 2) / dim)).astype("float32")
    phases = (numbers % 2 * np.pi / 2).astype("float32")
    rates, phases = ops.convert_to_tensor(rates), ops.convert_to_tensor(phases)
    return ops.sin(positions[..., None] * rates + phases)


@keras.saving.register_keras_serializable(package="abcnn")
class PositionEncoding(keras.layers.Layer):
    """Adds to every unit the sinusoids of its position, the number of real units before it.

    Call: `(units, mask=None)` with `(batch, length, dim)` and boolean `(batch, length)` ->
    `(batch, length, dim)`. No weights; any length.

    Masking: padding is not counted, in the middle neither, and gives 0. The result has the units'
    mask.
    Precision: the sum is float32 under every policy.

    Raises:
        ValueError: units that are not of three axes.

    Source: Vaswani et al. 2017, section 3.5.
    """

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True

    def call(self, units, mask=None):
        self.compute_output_shape(units.shape)  # refuses wrong shapes
        if mask is None:
            positions = ops.cast(ops.arange(ops.shape(units)[1]), "float32")[None]
        else:
            positions = ops.cumsum(ops.cast(mask, "float32"), axis=1) - 1.0
        result = ops.cast(units, "float32") + sinusoids(positions, units.shape[-1])
        if mask is not None:
            result = ops.where(ops.cast(mask, "bool")[..., None], result, 0.0)
        return ops.cast(result, self.compute_dtype)

    def compute_mask(self, units, mask=None):
        return mask

    def compute_output_shape(self, units_shape):
        rank("PositionEncoding", "units", units_shape, 3)
        return tuple(units_shape)
