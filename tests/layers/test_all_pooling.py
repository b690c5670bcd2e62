"""AllPooling: contract, golden values, the reference, properties."""

import keras
import numpy as np
import pytest
from hypothesis import given
from keras import ops

from abcnn.layers import AllPooling
from tests import reference
from tests.contracts import (
    FLOAT32,
    LayerCase,
    Length,
    arrays_of,
    check_layer,
    no_mask_warning,
)
from tests.strategies import JUNK, RaggedBatch, few_examples, pad, ragged_batches

pytestmark = pytest.mark.backend


def normal(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


@pytest.mark.parametrize("weighted", [False, True])
def test_contract(weighted, tmp_path):
    units, mask = pad([normal(5, 3), normal(1, 3, seed=1), normal(0, 3)], 5, 3)
    inputs = {"units": units}
    if weighted:
        inputs["weights"] = np.where(mask, normal(3, 5, seed=2) ** 2 + 0.1, JUNK)
    places = tuple((name, 1) for name in inputs)
    check_layer(LayerCase(AllPooling, inputs, {"mask": mask}, (Length(places, "mask"),)), tmp_path)


UNITS = np.array([[[1, 2], [3, 6], [100, 100]]], "float32")
MASK = np.array([[True, True, False]])


def test_golden_values():
    layer = AllPooling()
    np.testing.assert_allclose(arrays_of(layer(UNITS, mask=MASK)), [[[2, 4]]], **FLOAT32)
    np.testing.assert_allclose(arrays_of(layer(UNITS[:, :2])), [[[2, 4]]], **FLOAT32)
    # (1 [1 2] + 3 [3 6]) / 4
    weights = np.array([[1, 3, 0]], "float32")
    np.testing.assert_allclose(arrays_of(layer(UNITS, weights)), [[[2.5, 5]]], **FLOAT32)


def test_the_weight_of_a_padded_unit_does_not_count():
    weights = np.array([[1, 3, 50]], "float32")
    (vectors,) = arrays_of(AllPooling()(UNITS, weights, mask=MASK))
    np.testing.assert_allclose(vectors, [[2.5, 5]], **FLOAT32)


@few_examples
@given(batch=ragged_batches())
def test_equals_the_reference(batch: RaggedBatch) -> None:
    for units, mask, other in (
        (batch.left, batch.left_mask, batch.right),
        (batch.right, batch.right_mask, batch.left),
    ):
        weights = [
            reference.attention_weights(reference.attention_matrix(*pair))[0]
            for pair in zip(units, other, strict=True)
        ]
        (mean,) = arrays_of(AllPooling()(units, mask=mask))
        (weighted,) = arrays_of(AllPooling()(units, np.array(weights, "float32"), mask=mask))
        for row in range(len(units)):
            real = mask[row]
            np.testing.assert_allclose(
                mean[row], reference.all_pooling(units[row][real]), rtol=1e-5, atol=1e-5
            )
            np.testing.assert_allclose(
                weighted[row],
                reference.all_pooling(units[row][real], weights[row][real]),
                rtol=1e-5,
                atol=1e-5,
            )


@pytest.mark.parametrize("weighted", [False, True])
def test_a_wholly_padded_row_gives_0(weighted):
    units = np.full((2, 3, 4), JUNK, "float32")
    mask = np.array([[False, False, False], [True, True, False]])
    weights = np.ones((2, 3), "float32") if weighted else None
    (vectors,) = arrays_of(AllPooling()(units, weights, mask=mask))
    assert not vectors[0].any()
    np.testing.assert_allclose(vectors[1], np.full(4, JUNK), **FLOAT32)


def test_weights_that_are_all_0_give_0():
    """The attention weights of a row whose other sentence is wholly padded."""
    (vectors,) = arrays_of(AllPooling()(normal(1, 3, 4), np.zeros((1, 3), "float32")))
    assert not vectors.any()


def test_small_weights_are_scaled_all_the_same():
    weights = np.array([[1e-6, 3e-6, 0]], "float32")
    (vectors,) = arrays_of(AllPooling()(UNITS, weights))
    np.testing.assert_allclose(vectors, [[2.5, 5]], rtol=1e-4)


def test_equal_weights_give_the_mean():
    units = normal(2, 5, 3)
    mean, weighted = arrays_of(
        [AllPooling()(units), AllPooling()(units, np.full((2, 5), 0.7, "float32"))]
    )
    np.testing.assert_allclose(weighted, mean, **FLOAT32)


def test_masks_may_have_holes():
    units = normal(1, 4, 3)
    mask = np.array([[False, True, False, True]])
    (vectors,) = arrays_of(AllPooling()(units, mask=mask))
    np.testing.assert_allclose(vectors[0], units[0, [1, 3]].mean(axis=0), **FLOAT32)


def test_not_a_number_in_the_padding_is_masked_too():
    units = UNITS.copy()
    units[0, 2] = np.nan
    np.testing.assert_allclose(arrays_of(AllPooling()(units, mask=MASK)), [[[2, 4]]], **FLOAT32)


def test_keras_masks_are_used():
    ids = np.array([[2, 3, 0, 0]])
    embed = keras.layers.Embedding(5, 3, mask_zero=True)
    with no_mask_warning():
        (vectors,) = arrays_of(AllPooling()(embed(ids)))
    expected = ops.convert_to_numpy(embed.embeddings)[[2, 3]].mean(axis=0)
    np.testing.assert_allclose(vectors[0], expected, **FLOAT32)


@pytest.mark.parametrize("dtype", ["mixed_bfloat16", "mixed_float16"])
def test_long_sentences_keep_their_mean_under_mixed_precision(dtype):
    """The sum of 1,000 units of 100 is more than float16 holds, and bfloat16 would stop adding."""
    units = np.full((1, 1000, 2), 100.0, "float32")
    (vectors,) = arrays_of(AllPooling(dtype=dtype)(units))
    np.testing.assert_allclose(vectors, [[100, 100]], rtol=1e-2)
