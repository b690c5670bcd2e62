"""MultiHeadAttention and SelfAttention: contract, the reference, properties."""

from functools import partial

import keras
import numpy as np
import pytest
from hypothesis import given

from abcnn.layers import MultiHeadAttention, SelfAttention
from tests import attention_reference
from tests.contracts import FLOAT32, LayerCase, Length, arrays_of, check_layer, no_mask_warning
from tests.layers.attending import (
    assert_rows_sum_to_1,
    attend,
    cross_case,
    normal,
    real_parts,
    with_weights,
)
from tests.strategies import RaggedBatch, few_examples, pad, ragged_batches

pytestmark = pytest.mark.backend


def test_contract(tmp_path):
    make = partial(MultiHeadAttention, 2, 4, 5, return_attention=True, regularizer="l2")
    check_layer(cross_case(make, query_dim=2), tmp_path)


def test_contract_of_self_attention(tmp_path):
    units, mask = pad([normal(5, 3), normal(1, 3, seed=1), normal(0, 3)], 5, 3)
    places = Length((("units", 1),), "mask")
    make = partial(SelfAttention, 4, return_attention=True)
    check_layer(LayerCase(make, {"units": units}, {"mask": mask}, (places,)), tmp_path)


def test_golden_values_of_self_attention():
    """With Q = K = units: scores ln 3 and 0."""
    size = (2**0.5 * np.log(3)) ** 0.5
    units = np.array([[[size, 0], [0, size]]], "float32")
    layer = with_weights(SelfAttention(2, return_attention=True), units.shape)
    layer.set_weights([np.eye(2), np.eye(2), np.array([[1, 10], [2, 20]])])
    result, attention = arrays_of(layer(units))
    np.testing.assert_allclose(attention, [[[3 / 4, 1 / 4], [1 / 4, 3 / 4]]], **FLOAT32)
    expected = [[[5 / 4 * size, 50 / 4 * size], [7 / 4 * size, 70 / 4 * size]]]
    np.testing.assert_allclose(result, expected, **FLOAT32)


@pytest.mark.parametrize("heads", [1, 3])
@few_examples
@given(batch=ragged_batches())
def test_equals_the_reference_and_rows_sum_to_1(heads: int, batch: RaggedBatch) -> None:
    layer = with_weights(
        MultiHeadAttention(heads, 2, 4, return_attention=True), batch.left.shape, batch.right.shape
    )
    result, attention = attend(layer, batch)
    assert attention.shape == (3, heads, batch.left.shape[1], batch.right.shape[1])
    assert_rows_sum_to_1(batch, attention)
    for row, (left, right, actual) in enumerate(real_parts(batch, attention)):
        expected, expected_attention = attention_reference.multi_head(
            left, right, layer.get_weights(), heads
        )
        np.testing.assert_allclose(actual, expected_attention, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(result[row, : len(left)], expected, rtol=1e-4, atol=2e-5)
        assert not result[row, len(left) :].any()


@few_examples
@given(batch=ragged_batches())
def test_self_attention_equals_the_reference(batch: RaggedBatch) -> None:
    layer = with_weights(SelfAttention(4, return_attention=True), batch.left.shape)
    result, attention = arrays_of(layer(batch.left, mask=batch.left_mask))
    query, key, value = layer.get_weights()
    for row, (units, _) in enumerate(batch.pairs()):
        real = len(units)
        expected = attention_reference.scaled_dot_product(units @ query, units @ key)
        np.testing.assert_allclose(attention[row, :real, :real], expected, rtol=1e-4, atol=1e-5)
        assert np.count_nonzero(attention[row]) == np.count_nonzero(attention[row, :real, :real])
        np.testing.assert_allclose(
            result[row, :real],
            attention_reference.contexts(expected, units @ value),
            rtol=1e-4,
            atol=2e-5,
        )
        assert not result[row, real:].any()


def test_keras_masks_flow_through_a_stack():
    ids = np.array([[2, 3, 0, 0]])
    embed = keras.layers.Embedding(5, 3, mask_zero=True)
    with no_mask_warning():
        units = SelfAttention(4)(embed(ids))
        (result,) = arrays_of(MultiHeadAttention(2, 2)(units, units))
    assert result[0, :2].any(axis=-1).all()
    assert not result[0, 2:].any()


def test_bad_arguments_are_refused():
    with pytest.raises(ValueError, match=r"heads.*integer of at least 1.*Received.*0"):
        MultiHeadAttention(0, 4)
    with pytest.raises(ValueError, match=r"dim.*integer of at least 1.*Received.*2\.5"):
        SelfAttention(2.5)
    with pytest.raises(ValueError, match=r"query.*3 axes.*Received"):
        MultiHeadAttention(2, 4)(normal(2, 3), normal(1, 2, 3))
