"""Word vectors in fewer bytes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from abcnn.runtime.packed_vectors import PACKINGS, pack_vectors

VECTORS = np.array([[0.0, 0.0], [1.27, -0.634], [-0.5, 0.25]], np.float32)


def test_int8_by_hand():
    packed = pack_vectors(VECTORS, "int8")
    np.testing.assert_array_equal(packed.rows, [[0, 0], [127, -63], [-127, 64]])
    assert (packed.rows.dtype, packed.scale.dtype) == (np.int8, np.float32)
    np.testing.assert_allclose(packed.scale[1:], [0.01, 0.5 / 127], rtol=1e-6)
    looked_up = packed[np.array([[1, 0, 2]])]
    assert (looked_up.dtype, looked_up.shape) == (np.float32, (1, 3, 2))
    np.testing.assert_allclose(looked_up[0, 0], [1.27, -0.63], rtol=1e-6)
    np.testing.assert_array_equal(looked_up[0, 1], 0)


def test_float16_is_the_nearest_and_float32_the_same():
    ids = np.array([2, 1])
    np.testing.assert_array_equal(pack_vectors(VECTORS, "float32")[ids], VECTORS[ids])
    half = pack_vectors(VECTORS, "float16")
    assert half.rows.dtype == np.float16
    np.testing.assert_array_equal(half[ids], VECTORS[ids].astype(np.float16).astype(np.float32))
    assert half[ids].dtype == np.float32


@given(arrays(np.float32, (5, 3), elements=st.floats(-100, 100, width=32)))
def test_int8_is_off_by_half_a_step_at_most(vectors):
    off = np.abs(pack_vectors(vectors, "int8")[np.arange(5)] - vectors)
    step = np.abs(vectors).max(axis=1, keepdims=True) / 127
    assert (off <= step * 0.5001 + 1e-30).all()


def test_another_packing_is_refused():
    with pytest.raises(ValueError, match=f"`packing` must be one of {', '.join(PACKINGS)}"):
        pack_vectors(VECTORS, "int4")
