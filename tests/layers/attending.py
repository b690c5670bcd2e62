"""What the tests of the attentions share: an input, layers with weights, rows that sum to 1."""

from __future__ import annotations

from collections.abc import Iterator

import keras
import numpy as np

from tests.contracts import LayerCase, Length, arrays_of
from tests.strategies import RaggedBatch, pad

LENGTHS = (
    Length((("query", 1),), "query_mask"),
    Length((("value", 1),), "value_mask"),
)


def normal(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def cross_case(make, *, query_dim: int = 3, dim: int = 3) -> LayerCase:
    """A batch with a wholly padded value in it, and one with a wholly padded query."""
    query, query_mask = pad(
        [normal(5, query_dim), normal(2, query_dim, seed=1), normal(0, query_dim)], 5, query_dim
    )
    value, value_mask = pad(
        [normal(3, dim, seed=2), normal(0, dim), normal(4, dim, seed=4)], 4, dim
    )
    return LayerCase(
        make,
        {"query": query, "value": value},
        {"query_mask": query_mask, "value_mask": value_mask},
        LENGTHS,
    )


def with_weights(layer: keras.Layer, *shapes: tuple) -> keras.Layer:
    """The layer, built, with weights that are all different from 0 and always the same."""
    layer.build(*shapes)
    layer.set_weights([normal(*w.shape, seed=n) / 2 for n, w in enumerate(layer.get_weights())])
    return layer


def attend(layer: keras.Layer, batch: RaggedBatch) -> list[np.ndarray]:
    """The layer's outputs, left units as queries."""
    masks = {"query_mask": batch.left_mask, "value_mask": batch.right_mask}
    return arrays_of(layer(batch.left, batch.right, **masks))


def real_parts(
    batch: RaggedBatch, attention: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Query, value and attention of every row, unpadded; what is cut off is exactly 0."""
    for row, (left, right) in enumerate(batch.pairs()):
        inner = attention[row, ..., : len(left), : len(right)]
        assert np.count_nonzero(attention[row]) == np.count_nonzero(inner)
        yield left, right, inner


def assert_rows_sum_to_1(batch: RaggedBatch, attention: np.ndarray) -> None:
    """Over the real units of each real query; the rest is exactly 0."""
    assert (attention >= 0).all()
    for _, right, inner in real_parts(batch, attention):
        np.testing.assert_allclose(inner.sum(axis=-1), 1.0 if len(right) else 0.0, atol=1e-5)
