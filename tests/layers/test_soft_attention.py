"""SoftAttention: contract, golden values, the reference, properties, masks."""

from functools import partial

import keras
import numpy as np
import pytest
from hypothesis import given

from abcnn.layers import SoftAttention
from tests import attention_reference, reference
from tests.contracts import FLOAT32, arrays_of, check_layer, no_mask_warning
from tests.layers.attending import (
    assert_rows_sum_to_1,
    attend,
    cross_case,
    normal,
    real_parts,
    with_weights,
)
from tests.strategies import RaggedBatch, few_examples, ragged_batches

pytestmark = pytest.mark.backend


@pytest.mark.parametrize(
    ("options", "query_dim"),
    [
        ({"match_score": "scaled_dot"}, 3),
        ({"match_score": "additive", "return_attention": True, "regularizer": "l2"}, 2),
    ],
)
def test_contract(options, query_dim, tmp_path):
    check_layer(cross_case(partial(SoftAttention, **options), query_dim=query_dim), tmp_path)


def test_golden_values():
    query, value = np.array([[[1, 0]]], "float32"), np.array([[[np.log(3), 4], [0, 8]]], "float32")
    context, attention = arrays_of(SoftAttention(return_attention=True)(query, value))
    np.testing.assert_allclose(attention, [[[3 / 4, 1 / 4]]], **FLOAT32)
    np.testing.assert_allclose(context, [[[np.log(3) * 3 / 4, 5]]], **FLOAT32)


@pytest.mark.parametrize("match_score", ["euclidean", "bilinear"])
@few_examples
@given(batch=ragged_batches())
def test_equals_the_reference_and_rows_sum_to_1(match_score: str, batch: RaggedBatch) -> None:
    layer = with_weights(
        SoftAttention(match_score, return_attention=True), batch.left.shape, batch.right.shape
    )
    context, attention = attend(layer, batch)
    assert_rows_sum_to_1(batch, attention)
    for row, (left, right, actual) in enumerate(real_parts(batch, attention)):
        scores = reference.attention_matrix(left, right, match_score, layer.get_weights())
        expected = attention_reference.soft_attention(scores)
        np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(
            context[row, : len(left)],
            attention_reference.contexts(expected, right),
            rtol=1e-5,
            atol=1e-5,
        )


def test_large_scores_overflow_nothing():
    query, value = normal(1, 3, 4) * 1e4, normal(1, 5, 4, seed=1) * 1e4
    context, attention = arrays_of(SoftAttention(return_attention=True)(query, value))
    assert np.isfinite(context).all()
    np.testing.assert_allclose(attention.sum(axis=-1), 1.0, rtol=1e-5)


def test_keras_masks_are_used_and_passed_on():
    query_ids, value_ids = np.array([[2, 3, 0, 0]]), np.array([[4, 2, 0]])
    embed = keras.layers.Embedding(5, 3, mask_zero=True)
    for return_attention in (True, False):
        with no_mask_warning():
            layer = SoftAttention(return_attention=return_attention)
            outputs = layer(embed(query_ids), embed(value_ids))
        context = outputs[0] if return_attention else outputs
        mask = keras.ops.convert_to_numpy(keras.src.backend.get_keras_mask(context))
        np.testing.assert_array_equal(mask, [[True, True, False, False]])
        assert not arrays_of(context)[0][0, 2:].any()
