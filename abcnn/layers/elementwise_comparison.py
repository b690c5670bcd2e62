"""Two sentence vectors compared number by number (Mou et al. 2016; Conneau et al. 2017)."""

from __future__ import annotations

from collections.abc import Sequence

import keras
from keras import ops

from abcnn.layers._arguments import one_of, rank

COMPARISONS = {
    "difference": lambda left, right: ops.abs(left - right),
    "product": lambda left, right: left * right,
}
"""The same for both orders of the two sentences."""


@keras.saving.register_keras_serializable(package="abcnn")
class ElementwiseComparison(keras.layers.Layer):
    """How two sentence vectors differ, number by number: more than a similarity score tells.

    Args:
        comparisons: "difference" for `|x - y|`, "product" for `x * y`, or both.

    Call: `(left, right)` with `(batch, dim)` twice -> `(batch, number of comparisons * dim)`, the
        comparisons in their order.

    Precision: float32 under every policy.

    Raises:
        ValueError: an unknown comparison, or none.

    Source: the product, Mou et al. 2016, section 3.2; the absolute difference, Conneau et al. 2017,
    section 3.1.
    """

    def __init__(self, comparisons: Sequence[str] = ("difference", "product"), **kwargs):
        super().__init__(**kwargs)
        if not comparisons:
            raise ValueError("`comparisons` must name at least one comparison. Received: none")
        self.comparisons = [one_of("comparisons", name, COMPARISONS) for name in comparisons]

    def call(self, left, right):
        self.compute_output_shape(left.shape, right.shape)  # refuses wrong shapes
        left, right = ops.cast(left, "float32"), ops.cast(right, "float32")
        parts = [COMPARISONS[name](left, right) for name in self.comparisons]
        return ops.cast(ops.concatenate(parts, axis=-1), self.compute_dtype)

    def compute_output_shape(self, left_shape, right_shape):
        rank("ElementwiseComparison", "left", left_shape, 2)
        rank("ElementwiseComparison", "right", right_shape, 2)
        return (left_shape[0], len(self.comparisons) * left_shape[1])

    def get_config(self):
        return {**super().get_config(), "comparisons": self.comparisons}
