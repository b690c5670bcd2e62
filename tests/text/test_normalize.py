"""Vectors of one length: by hand, and what holds for any."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from abcnn.text.normalize import NORMALIZATIONS, normalized
from abcnn.text.vectors import WordVectors

MATRICES = arrays.arrays(
    np.float32,
    arrays.array_shapes(min_dims=2, max_dims=2, max_side=8),
    elements=st.floats(-(2.0**100), 2.0**100, width=32),
)


def vectors_of(matrix) -> WordVectors:
    matrix = np.asarray(matrix, np.float32)
    return WordVectors(tuple(f"w{row}" for row in range(len(matrix))), matrix, "here.txt", 3)


def test_by_hand():
    vectors = vectors_of([[3, 4], [0, 0], [1, 0]])
    np.testing.assert_allclose(normalized(vectors, "unit").matrix, [[0.6, 0.8], [0, 0], [1, 0]])
    # The mean of the two that are not zero is (2, 2): (1, 2) and (-1, -2) are left.
    half = np.array([1, 2]) / np.sqrt(5)
    np.testing.assert_allclose(
        normalized(vectors, "center").matrix, [half, [0, 0], -half], rtol=1e-6
    )
    assert normalized(vectors, "none") is vectors
    found = normalized(vectors, "unit")
    assert (found.words, found.source, found.skipped) == (vectors.words, "here.txt", 3)


@given(MATRICES, st.sampled_from(NORMALIZATIONS[1:]))
def test_lengths_are_one_or_zero_and_zero_stays_zero(matrix, kind):
    before = matrix.copy()
    found = normalized(vectors_of(matrix), kind).matrix
    np.testing.assert_array_equal(matrix, before)
    assert found.dtype == np.float32
    lengths = np.linalg.norm(found.astype(np.float64), axis=1)
    assert (np.isclose(lengths, 1, atol=1e-5) | (lengths == 0)).all()
    assert (found[~matrix.any(axis=1)] == 0).all()
    if kind == "unit":
        assert (lengths[matrix.any(axis=1)] > 0).all()
        again = normalized(vectors_of(found), kind).matrix
        np.testing.assert_allclose(again, found, atol=1e-6)


@pytest.mark.parametrize("count", [1, 3, 7])
def test_what_the_mean_leaves_nothing_of_is_zero(count):
    """Not a direction made of rounding."""
    matrix = np.tile(np.array([[0.1, 0.7, -0.3]], np.float32), (count, 1))
    np.testing.assert_array_equal(normalized(vectors_of(matrix), "center").matrix, 0 * matrix)
