"""Pooling over the whole sentence, all-ap (Yin et al. 2016, section 3)."""

from __future__ import annotations

import keras
from keras import ops

from abcnn.layers._arguments import rank


def all_pooling(units, weights=None, mask=None):
    """The mean of a sentence's real units, or `sum(a x) / sum(a)` with weights `a`.

    units `(batch, length, dim)`, weights `(batch, length)`, mask boolean `(batch, length)` ->
    `(batch, dim)`, float32; 0 where there is nothing to average.
    """
    units = ops.cast(units, "float32")
    if weights is None:
        weights = ops.ones_like(units[..., 0])
    weights = ops.cast(weights, "float32")
    if mask is not None:
        mask = ops.cast(mask, "bool")
        weights = ops.where(mask, weights, 0.0)
        units = ops.where(ops.expand_dims(mask, -1), units, 0.0)
    total = ops.sum(weights, axis=1)[:, None]
    pooled = ops.sum(units * ops.expand_dims(weights, -1), axis=1)
    return ops.where(total != 0, pooled / ops.where(total != 0, total, 1.0), 0.0)


@keras.saving.register_keras_serializable(package="abcnn")
class AllPooling(keras.layers.Layer):
    """Pools a sentence into one vector.

    Call: `(units, weights=None, mask=None)` with `(batch, length, dim)`, `(batch, length)` and
    boolean `(batch, length)` -> `(batch, dim)`: the mean over the real units, or the mean weighted
    by `weights`.

    Masking: padded units do not enter the mean; a wholly padded row gives 0. The result has no
    mask. Weights of both signs may sum to nearly 0, and the mean is then as large as one likes: a
    match score that is never negative, such as the Euclidean one, gives weights that are safe.
    Precision: the sums are float32 under every policy.

    Source: Yin et al. 2016, section 3 "all-ap"; the weighting by `a / sum(a)` is not in the paper
    but in the first author's code.
    """

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True

    def call(self, units, weights=None, mask=None):
        self.compute_output_shape(units.shape)  # refuses wrong shapes
        return ops.cast(all_pooling(units, weights, mask), self.compute_dtype)

    def compute_mask(self, units, *_masks):
        return None

    def compute_output_shape(self, units_shape, weights_shape=None):
        rank("AllPooling", "units", units_shape, 3)
        return (units_shape[0], units_shape[2])
