"""WideConvolution and phrase_mask: contract, golden values, the reference, properties, errors."""

from functools import partial

import keras
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from keras import ops

from abcnn.layers import AllPooling, WideConvolution, WindowPooling, phrase_mask
from tests import reference
from tests.contracts import (
    FLOAT32,
    LayerCase,
    Length,
    arrays_of,
    check_layer,
    no_mask_warning,
)
from tests.strategies import RaggedBatch, few_examples, pad, ragged_batches

pytestmark = pytest.mark.backend


def normal(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def convolution(
    kernel: npt.ArrayLike, bias: npt.ArrayLike, activation: str = "tanh"
) -> keras.Layer:
    width, dim, filters = np.shape(kernel)
    layer = WideConvolution(filters, width, activation)
    layer(np.zeros((1, 2, dim), "float32"))
    layer.set_weights([np.asarray(kernel), np.asarray(bias)])
    return layer


@pytest.mark.parametrize(
    "make",
    [
        partial(WideConvolution, 4, 3, regularizer="l2"),
        partial(WideConvolution, 2, 1, activation="relu"),
    ],
)
def test_contract(make, tmp_path):
    units, mask = pad([normal(5, 3), normal(1, 3, seed=1), normal(0, 3)], 5, 3)
    check_layer(
        LayerCase(make, {"units": units}, {"mask": mask}, (Length((("units", 1),), "mask"),)),
        tmp_path,
    )


def test_golden_values():
    units = np.array([[[1], [2], [3]]], "float32")
    layer = convolution([[[10.0]], [[1.0]]], [0.5], activation="linear")
    # kernel[0] = 10 is for the unit before: 10 (0 1 2 3) + (1 2 3 0) + 0.5
    np.testing.assert_allclose(
        ops.convert_to_numpy(layer(units)), [[[1.5], [12.5], [23.5], [30.5]]], **FLOAT32
    )


def test_the_default_activation_is_tanh():
    units = np.array([[[1], [2]]], "float32")
    layer = convolution([[[0.25, -0.5]]], [0.0, 0.5])
    np.testing.assert_allclose(
        ops.convert_to_numpy(layer(units)),
        [[[np.tanh(0.25), np.tanh(0.0)], [np.tanh(0.5), np.tanh(-0.5)]]],
        **FLOAT32,
    )


def test_the_weights_have_the_shapes_of_the_contract():
    layer = WideConvolution(4, 3)
    layer(normal(2, 6, 5))
    assert tuple(layer.kernel.shape) == (3, 5, 4)
    assert tuple(layer.bias.shape) == (4,)
    assert len(layer.trainable_weights) == len(layer.weights) == 2


@pytest.mark.parametrize("width", [1, 2, 4])
@few_examples
@given(batch=ragged_batches())
def test_equals_the_reference(width: int, batch: RaggedBatch) -> None:
    kernel, bias = normal(width, batch.dim, 2), normal(2, seed=1)
    layer = convolution(kernel, bias)
    (left_phrases,) = arrays_of(layer(batch.left, mask=batch.left_mask))
    (right_phrases,) = arrays_of(layer(batch.right, mask=batch.right_mask))
    for row, (left, right) in enumerate(batch.pairs()):
        for units, phrases in ((left, left_phrases[row]), (right, right_phrases[row])):
            real = len(units) + width - 1 if len(units) else 0
            if real:
                expected = reference.wide_convolution(units, kernel, bias)
                np.testing.assert_allclose(phrases[:real], expected, rtol=1e-5, atol=1e-5)
            assert not phrases[real:].any()


def test_masked_units_in_the_middle_count_as_zeros():
    kernel, bias = normal(2, 3, 4), normal(4, seed=1)
    units = normal(1, 6, 3, seed=2)
    mask = np.array([[1, 0, 0, 0, 1, 1]], bool)
    (phrases,) = arrays_of(convolution(kernel, bias)(units, mask=mask))
    expected = reference.wide_convolution(units[0] * mask[0][:, None], kernel, bias)
    expected[2:4] = 0.0  # phrases 2 and 3 hold units 1, 2 and 2, 3 alone
    np.testing.assert_allclose(phrases[0], expected, **FLOAT32)
    assert not phrases[0, 2:4].any()


def test_without_a_mask_every_unit_is_real():
    kernel, bias = normal(3, 2, 4), normal(4, seed=1)
    units = np.zeros((1, 5, 2), "float32")
    (phrases,) = arrays_of(convolution(kernel, bias)(units))
    np.testing.assert_allclose(phrases, np.broadcast_to(np.tanh(bias), (1, 7, 4)), **FLOAT32)


def test_not_a_number_in_the_padding_is_masked_too():
    layer = convolution(normal(2, 3, 4), normal(4, seed=1))
    units, mask = normal(1, 4, 3), np.array([[1, 1, 0, 0]], bool)
    (expected,) = arrays_of(layer(units, mask=mask))
    units[0, 2:] = np.nan
    (actual,) = arrays_of(layer(units, mask=mask))
    np.testing.assert_array_equal(actual, expected)


@given(
    rows=st.lists(st.lists(st.booleans(), min_size=5, max_size=5), min_size=1, max_size=3),
    width=st.integers(1, 7),
)
@few_examples
def test_a_phrase_is_real_when_it_holds_a_real_unit(rows, width):
    mask = np.array(rows, bool)
    phrases = ops.convert_to_numpy(phrase_mask(ops.convert_to_tensor(mask), width))
    assert phrases.dtype == bool
    expected = [
        [any(row[max(0, i - width + 1) : i + 1]) for i in range(5 + width - 1)] for row in mask
    ]
    np.testing.assert_array_equal(phrases, expected)


def test_keras_masks_flow_through_the_layers_of_a_block():
    ids = np.array([[2, 3, 4, 0, 0], [1, 0, 0, 0, 0]])
    embed = keras.layers.Embedding(5, 3, mask_zero=True)
    layer = convolution(normal(2, 3, 4), normal(4, seed=1))
    with no_mask_warning():
        phrases = layer(embed(ids))
        (vectors,) = arrays_of(AllPooling()(phrases))
        pooled = WindowPooling(2)(phrases)
        (units, unit_means) = arrays_of([pooled, AllPooling()(pooled)])
    vectors_of_ids = ops.convert_to_numpy(embed.embeddings)
    for row, length in enumerate((3, 1)):
        sentence = vectors_of_ids[ids[row, :length]]
        expected = reference.wide_convolution(sentence, *layer.get_weights())
        np.testing.assert_allclose(vectors[row], expected.mean(axis=0), rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(
            units[row, :length], reference.window_pooling(expected, 2), rtol=1e-5, atol=1e-5
        )
        np.testing.assert_allclose(
            unit_means[row],
            reference.window_pooling(expected, 2).mean(axis=0),
            rtol=1e-5,
            atol=1e-5,
        )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"filters": 4, "width": 0}, r"width.*integer of at least 1.*Received.*0"),
        ({"filters": -1, "width": 3}, r"filters.*integer of at least 1.*Received.*-1"),
        ({"filters": 4, "width": 2.5}, r"width.*integer of at least 1.*Received.*2\.5"),
        ({"filters": 4, "width": 3, "activation": "tahn"}, r"tahn"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        WideConvolution(**arguments)
