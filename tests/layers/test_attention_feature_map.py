"""AttentionFeatureMap: contract, golden values, the reference, properties, errors."""

from functools import partial

import keras
import numpy as np
import pytest
from hypothesis import given
from keras import ops

from abcnn.layers import AttentionFeatureMap, AttentionMatrix
from tests import reference
from tests.contracts import FLOAT32, LayerCase, Length, arrays_of, check_layer
from tests.strategies import RaggedBatch, few_examples, ragged_batches

pytestmark = pytest.mark.backend

ATTENTION = np.array([[[1, 2, 3], [4, 5, 6]]], "float32")
W0 = np.array([[1, 0], [0, 1], [2, 1], [9, 9]], "float32")
W1 = np.array([[1, 1], [0, 2], [9, 9], [9, 9]], "float32")


@pytest.mark.parametrize("share_weights", [True, False])
def test_contract(share_weights, tmp_path):
    attention = np.random.default_rng(0).uniform(0, 1, (3, 4, 6)).astype("float32")
    attention[1, 2:] = 0.0
    attention[2, :, 1:] = 0.0
    check_layer(
        LayerCase(
            partial(AttentionFeatureMap, 5, 8, share_weights=share_weights, regularizer="l2"),
            {"attention": attention},
            lengths=(Length((("attention", 1),)), Length((("attention", 2),))),
        ),
        tmp_path,
    )


def with_weights(layer: keras.Layer, *weights: np.ndarray) -> keras.Layer:
    layer(np.zeros((1, 2, 3), "float32"))
    layer.set_weights(list(weights))
    return layer


def test_golden_values_of_separate_weights():
    layer = with_weights(AttentionFeatureMap(2, 4, share_weights=False), W0, W1)
    left_map, right_map = arrays_of(layer(ATTENTION))
    # 1 [1 0] + 2 [0 1] + 3 [2 1] = [7 5];  4 [1 0] + 5 [0 1] + 6 [2 1] = [16 11]
    np.testing.assert_allclose(left_map, [[[7, 5], [16, 11]]], **FLOAT32)
    # 1 [1 1] + 4 [0 2];  2 [1 1] + 5 [0 2];  3 [1 1] + 6 [0 2]
    np.testing.assert_allclose(right_map, [[[1, 9], [2, 12], [3, 15]]], **FLOAT32)


def test_golden_values_of_shared_weights():
    layer = with_weights(AttentionFeatureMap(2, 4), W0)
    left_map, right_map = arrays_of(layer(ATTENTION))
    np.testing.assert_allclose(left_map, [[[7, 5], [16, 11]]], **FLOAT32)
    # 1 [1 0] + 4 [0 1];  2 [1 0] + 5 [0 1];  3 [1 0] + 6 [0 1]
    np.testing.assert_allclose(right_map, [[[1, 4], [2, 5], [3, 6]]], **FLOAT32)


@pytest.mark.parametrize(("share_weights", "arrays"), [(True, 1), (False, 2)])
def test_the_weights_are_one_array_when_shared(share_weights, arrays):
    layer = AttentionFeatureMap(5, 7, share_weights=share_weights)
    layer(ATTENTION)
    assert [tuple(weight.shape) for weight in layer.trainable_weights] == [(7, 5)] * arrays
    assert len(layer.weights) == arrays


@pytest.mark.parametrize("share_weights", [True, False])
@few_examples
@given(batch=ragged_batches())
def test_equals_the_reference(share_weights: bool, batch: RaggedBatch) -> None:
    attention = AttentionMatrix()(
        batch.left, batch.right, left_mask=batch.left_mask, right_mask=batch.right_mask
    )
    generator = np.random.default_rng(1)
    weights = [generator.normal(size=(9, 3)) for _ in range(1 if share_weights else 2)]
    layer = AttentionFeatureMap(3, 9, share_weights=share_weights)
    left_maps, right_maps = arrays_of(with_weights(layer, *weights)(attention))
    for row, (left, right) in enumerate(batch.pairs()):
        left_map, right_map = reference.attention_feature_maps(
            reference.attention_matrix(left, right), weights[0], weights[-1]
        )
        np.testing.assert_allclose(left_maps[row, : len(left)], left_map, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(right_maps[row, : len(right)], right_map, rtol=1e-5, atol=1e-5)
        assert not left_maps[row, len(left) :].any()
        assert not right_maps[row, len(right) :].any()


@few_examples
@given(batch=ragged_batches())
def test_transposing_the_attention_swaps_the_maps_of_shared_weights(batch: RaggedBatch) -> None:
    attention = ops.convert_to_numpy(AttentionMatrix()(batch.left, batch.right))
    layer = with_weights(AttentionFeatureMap(2, 9), np.arange(18.0).reshape(9, 2))
    left_map, right_map = arrays_of(layer(attention))
    right_swapped, left_swapped = arrays_of(layer(attention.transpose(0, 2, 1).copy()))
    np.testing.assert_allclose(left_swapped, left_map, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(right_swapped, right_map, rtol=1e-5, atol=1e-5)


def test_both_lengths_may_be_max_length_and_no_longer():
    layer = AttentionFeatureMap(2, 4)
    assert [array.shape for array in arrays_of(layer(np.ones((1, 4, 3), "float32")))] == [
        (1, 4, 2),
        (1, 3, 2),
    ]
    layer(np.ones((1, 3, 4), "float32"))
    for shape in ((1, 5, 3), (1, 3, 5)):
        with pytest.raises(ValueError, match=r"max_length.*4.*Received.*5"):
            layer(np.ones(shape, "float32"))


@pytest.mark.parametrize("shape", [(1, 5, 3), (1, 3, 5)])
def test_a_model_of_unknown_lengths_refuses_what_is_too_long(shape):
    attention = keras.Input((None, None))
    model = keras.Model(attention, AttentionFeatureMap(2, 4)(attention))
    with pytest.raises(ValueError, match=r"max_length.*4.*Received.*5"):
        model(np.ones(shape, "float32"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"dim": 0, "max_length": 4}, r"dim.*integer of at least 1.*Received.*0"),
        ({"dim": 2, "max_length": -3}, r"max_length.*integer of at least 1.*Received.*-3"),
        ({"dim": 2.5, "max_length": 4}, r"dim.*integer of at least 1.*Received.*2\.5"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        AttentionFeatureMap(**arguments)
