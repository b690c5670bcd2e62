"""DynamicPooling: contract, golden values, the reference, properties."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from keras import ops

from abcnn.layers import DynamicPooling
from abcnn.layers.dynamic_pooling import window_members
from tests import reference
from tests.contracts import LayerCase, Length, arrays_of, check_layer
from tests.strategies import JUNK, few_examples

pytestmark = pytest.mark.backend


def masks_of(lengths, longest: int) -> np.ndarray:
    return np.arange(longest) < np.asarray(lengths)[:, None]


def test_contract(tmp_path):
    attention = np.random.default_rng(0).normal(size=(3, 5, 8)).astype("float32")
    masks = {"left_mask": masks_of([5, 1, 2], 5), "right_mask": masks_of([2, 8, 3], 8)}
    lengths = (
        Length((("attention", 1),), "left_mask"),
        Length((("attention", 2),), "right_mask"),
    )
    check_layer(
        LayerCase(partial(DynamicPooling, 3), {"attention": attention}, masks, lengths), tmp_path
    )


@pytest.mark.parametrize(
    ("length", "size", "windows"),
    [
        (4, 2, [[0, 1], [2, 3]]),
        (5, 3, [[0], [1, 2], [3, 4]]),  # the last windows have one more
        (7, 3, [[0, 1], [2, 3], [4, 5, 6]]),
        (3, 3, [[0], [1], [2]]),
        (1, 3, [[0], [0], [0]]),
        (2, 3, [[0], [0], [1]]),  # 0 0 1 1: one, one, two
        (3, 4, [[0], [0], [1], [2]]),  # 0 0 1 1 2 2: one, one, two, two
        (6, 4, [[0], [1], [2, 3], [4, 5]]),
    ],
)
def test_windows(length, size, windows):
    members = ops.convert_to_numpy(window_members(masks_of([length], 9), size))[0]
    assert [np.flatnonzero(row).tolist() for row in members] == windows


def test_golden_values():
    attention = np.array([[[1, 5, 2, 0], [3, 4, 8, 1], [7, 0, 1, 6]]], "float32")
    [pooled] = arrays_of(DynamicPooling(2)(attention))
    np.testing.assert_array_equal(pooled, [[[5, 2], [7, 8]]])
    [pooled] = arrays_of(DynamicPooling(2)(attention, masks_of([1], 3), masks_of([3], 4)))
    np.testing.assert_array_equal(pooled, [[[1, 5], [1, 5]]])


def test_scores_below_0_and_no_units():
    attention = np.full((3, 2, 3), -2, "float32")
    left_mask, right_mask = masks_of([2, 0, 1], 2), masks_of([1, 3, 0], 3)
    [pooled] = arrays_of(DynamicPooling(4)(attention, left_mask, right_mask))
    assert (pooled[0] == -2).all()
    assert not pooled[1:].any()


@few_examples
@given(st.data())
def test_equals_the_reference(data) -> None:
    longest_left, longest_right, size = data.draw(st.sampled_from(((9, 4, 3), (5, 13, 10))))
    left = data.draw(st.lists(st.integers(0, longest_left), min_size=3, max_size=3))
    right = data.draw(st.lists(st.integers(0, longest_right), min_size=3, max_size=3))
    generator = np.random.default_rng(data.draw(st.integers(0, 99)))
    attention = generator.normal(size=(3, longest_left, longest_right)).astype("float32")
    left_mask, right_mask = masks_of(left, longest_left), masks_of(right, longest_right)
    junk = np.where(left_mask[:, :, None] & right_mask[:, None], attention, JUNK)
    [pooled] = arrays_of(DynamicPooling(size)(junk, left_mask, right_mask))
    for row, (rows, columns) in enumerate(zip(left, right, strict=True)):
        expected = reference.dynamic_pooling(attention[row, :rows, :columns], size)
        np.testing.assert_array_equal(pooled[row], expected.astype("float32"))


@pytest.mark.parametrize("size", [0, -1, 2.0, True])
def test_a_bad_size_is_refused(size):
    with pytest.raises(ValueError, match="`size` must be an integer of at least 1"):
        DynamicPooling(size)


def test_a_bad_shape_is_refused():
    with pytest.raises(ValueError, match="`attention` must have 3 axes"):
        DynamicPooling(2)(np.zeros((2, 3), "float32"))
