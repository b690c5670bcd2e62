"""AttentionMatrix: contract, golden values, the reference, properties, precision."""

from functools import partial

import keras
import numpy as np
import pytest
from hypothesis import given
from keras import ops

from abcnn.layers import AttentionMatrix
from abcnn.layers.match_scores import float32_only
from tests import reference
from tests.contracts import (
    FLOAT32,
    LayerCase,
    Length,
    arrays_of,
    check_layer,
    gradients,
    no_mask_warning,
)
from tests.strategies import RaggedBatch, few_examples, pad, ragged_batches

pytestmark = pytest.mark.backend

SCORES = tuple(reference.MATCH_SCORES)
SYMMETRIC = ("euclidean", "manhattan", "cosine", "dot", "scaled_dot")
LENGTHS = (
    Length((("left", 1),), "left_mask"),
    Length((("right", 1),), "right_mask"),
)


def normal(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def matrix(match_score: str, left_dim: int, right_dim: int) -> AttentionMatrix:
    """A built layer; weights that the match score has are all different from 0."""
    layer = AttentionMatrix(match_score)
    layer.build((None, None, left_dim), (None, None, right_dim))
    layer.set_weights([normal(*w.shape, seed=n) for n, w in enumerate(layer.get_weights())])
    return layer


@pytest.mark.parametrize(
    "match_score", ["euclidean", "manhattan", "cosine", "bilinear", "additive"]
)
def test_contract(match_score, tmp_path):
    left, left_mask = pad([normal(5, 3), normal(1, 3, seed=1), normal(0, 3)], 5, 3)
    right, right_mask = pad([normal(2, 3, seed=2), normal(3, 3, seed=3), normal(1, 3)], 3, 3)
    check_layer(
        LayerCase(
            partial(AttentionMatrix, match_score),
            {"left": left, "right": right},
            {"left_mask": left_mask, "right_mask": right_mask},
            LENGTHS,
        ),
        tmp_path,
    )


# Distances of left 0 are 0, 3, 4 and of left 1 are 5, 4, 3; left 1 has the length 5.
GOLDEN: dict[str, list[list[float]]] = {
    "euclidean": [[1, 1 / 4, 1 / 5], [1 / 6, 1 / 5, 1 / 4]],
    "manhattan": [[1, 1 / 4, 1 / 5], [1 / 8, 1 / 5, 1 / 4]],
    "cosine": [[0, 0, 0], [0, 9 / 15, 16 / 20]],
    "dot": [[0, 0, 0], [0, 9, 16]],
    "scaled_dot": [[0, 0, 0], [0, 9 / 2**0.5, 16 / 2**0.5]],
    # left 1 times W is (3 1 + 4 2, 3 10 + 4 20) = (11, 110).
    "bilinear": [[0, 0, 0], [0, 33, 440]],
    # v' tanh(W1 x + W2 y), W1 = I / 10, W2 = 2 I / 10, v = (1, -1).
    "additive": [
        [0, np.tanh(0.6), -np.tanh(0.8)],
        [np.tanh(0.3) - np.tanh(0.4), np.tanh(0.9) - np.tanh(0.4), np.tanh(0.3) - np.tanh(1.2)],
    ],
}
GOLDEN_WEIGHTS: dict[str, list] = {
    "bilinear": [[[1, 10], [2, 20]]],
    "additive": [np.eye(2) / 10, np.eye(2) / 5, [1, -1]],
}


@pytest.mark.parametrize("match_score", SCORES)
def test_golden_values(match_score):
    left = np.array([[[0, 0], [3, 4]]], "float32")
    right = np.array([[[0, 0], [3, 0], [0, 4]]], "float32")
    layer = matrix(match_score, 2, 2)
    layer.set_weights([np.array(weight) for weight in GOLDEN_WEIGHTS.get(match_score, [])])
    attention = ops.convert_to_numpy(layer(left, right))
    np.testing.assert_allclose(attention, [GOLDEN[match_score]], **FLOAT32)


def test_the_default_match_score_is_the_papers():
    assert AttentionMatrix().get_config()["match_score"] == "euclidean"


@pytest.mark.parametrize("match_score", SCORES)
@few_examples
@given(batch=ragged_batches())
def test_equals_the_reference(match_score: str, batch: RaggedBatch) -> None:
    weights = matrix(match_score, batch.dim, batch.dim).get_weights()
    attention = attend(batch, match_score)
    for row, (left, right) in enumerate(batch.pairs()):
        expected = np.zeros(attention.shape[1:])
        expected[: len(left), : len(right)] = reference.attention_matrix(
            left, right, match_score, weights
        )
        np.testing.assert_allclose(attention[row], expected, rtol=1e-5, atol=5e-6)
        assert not attention[row, len(left) :].any()
        assert not attention[row, :, len(right) :].any()


def attend(batch: RaggedBatch, match_score: str) -> np.ndarray:
    layer = matrix(match_score, batch.dim, batch.dim)
    (attention,) = arrays_of(
        layer(batch.left, batch.right, left_mask=batch.left_mask, right_mask=batch.right_mask)
    )
    return attention


@pytest.mark.parametrize("match_score", SYMMETRIC)
@few_examples
@given(batch=ragged_batches())
def test_swapping_the_sides_transposes(match_score: str, batch: RaggedBatch) -> None:
    swapped = RaggedBatch(batch.right, batch.left, batch.right_mask, batch.left_mask)
    np.testing.assert_allclose(
        attend(swapped, match_score),
        attend(batch, match_score).transpose(0, 2, 1),
        rtol=1e-6,
        atol=1e-6,
    )


@pytest.mark.parametrize("match_score", ["euclidean", "manhattan"])
@few_examples
@given(batch=ragged_batches())
def test_scores_of_a_distance_lie_in_0_to_1(match_score: str, batch: RaggedBatch) -> None:
    real = batch.left_mask[:, :, None] & batch.right_mask[:, None, :]
    attention = attend(batch, match_score)
    assert (attention[real] > 0).all()
    assert (attention <= 1).all()


@pytest.mark.parametrize("match_score", SCORES)
def test_masks_may_have_holes_or_be_of_one_side(match_score):
    left, right = normal(2, 4, 3), normal(2, 5, 3, seed=1)
    left_mask = np.array([[1, 0, 1, 1], [0, 0, 1, 0]], bool)
    layer = matrix(match_score, 3, 3)
    (whole,) = arrays_of(layer(left, right))
    (masked,) = arrays_of(layer(left, right, left_mask=left_mask))
    np.testing.assert_array_equal(masked, whole * left_mask[:, :, None])
    right_mask = np.array([[0, 1, 1, 0, 1], [1, 0, 0, 0, 0]], bool)
    (masked,) = arrays_of(layer(left, right, right_mask=right_mask))
    np.testing.assert_array_equal(masked, whole * right_mask[:, None, :])


def test_not_a_number_in_the_padding_is_masked_too():
    left, right = normal(1, 4, 3), normal(1, 2, 3, seed=1)
    left_mask = np.array([[1, 1, 0, 0]], bool)
    (expected,) = arrays_of(AttentionMatrix()(left, right, left_mask=left_mask))
    left[0, 2:] = np.nan
    (actual,) = arrays_of(AttentionMatrix()(left, right, left_mask=left_mask))
    np.testing.assert_array_equal(actual, expected)


def test_keras_masks_are_used():
    left_ids, right_ids = np.array([[2, 3, 0, 0]]), np.array([[4, 2, 0]])
    embed = keras.layers.Embedding(5, 3, mask_zero=True)
    with no_mask_warning():
        (attention,) = arrays_of(AttentionMatrix()(embed(left_ids), embed(right_ids)))
    assert (attention[0, :2, :2] > 0).all()
    assert not attention[0, 2:].any()
    assert not attention[0, :, 2:].any()


@pytest.mark.parametrize("match_score", ["bilinear", "additive"])
def test_scores_with_weights_take_sides_of_two_sizes(match_score):
    left, right = normal(1, 4, 3), normal(1, 2, 5, seed=1)
    layer = matrix(match_score, 3, 5)
    (attention,) = arrays_of(layer(left, right))
    expected = reference.attention_matrix(left[0], right[0], match_score, layer.get_weights())
    np.testing.assert_allclose(attention, [expected], **FLOAT32)


@pytest.mark.parametrize("match_score", ["manhattan", "additive"])
@pytest.mark.parametrize("dim", [16, 17, 300])
def test_sums_over_many_numbers_leave_none_out(match_score, dim):
    """They are summed a few at a time."""
    left, right = normal(1, 3, dim) / dim**0.5, normal(1, 2, dim, seed=1) / dim**0.5
    layer = matrix(match_score, dim, dim)
    (attention,) = arrays_of(layer(left, right))
    expected = reference.attention_matrix(left[0], right[0], match_score, layer.get_weights())
    np.testing.assert_allclose(attention, [expected], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("match_score", ["bilinear", "additive"])
def test_the_weights_are_float32_and_decayed(match_score):
    layer = AttentionMatrix(match_score, regularizer="l2", dtype="mixed_bfloat16")
    left, right = normal(1, 4, 3), normal(1, 2, 3, seed=1)
    layer(left, right)
    assert len(layer.losses) == len(layer.trainable_weights) > 0
    weights = [normal(*w.shape, seed=n) for n, w in enumerate(layer.get_weights())]
    layer.set_weights(weights)
    rounded = ops.convert_to_numpy(ops.cast(ops.cast(left, "bfloat16"), "float32"))
    other = ops.convert_to_numpy(ops.cast(ops.cast(right, "bfloat16"), "float32"))
    expected = reference.attention_matrix(rounded[0], other[0], match_score, weights)
    np.testing.assert_allclose(arrays_of(layer(left, right))[0][0], expected, rtol=4e-3, atol=1e-6)


@pytest.mark.parametrize("dtype", ["float32", "mixed_bfloat16", "mixed_float16"])
@pytest.mark.parametrize("scale", [1.0, 20.0])
def test_equal_units_match_with_1(dtype, scale):
    """Of 300 numbers; at scale 20 the squares sum to more than float16 can hold."""
    left = normal(2, 7, 300) * scale
    right = left[:, [0, 3, 3, 6]]
    (attention,) = arrays_of(AttentionMatrix(dtype=dtype)(left, right))
    for column, row in enumerate((0, 3, 3, 6)):
        np.testing.assert_allclose(attention[:, row, column], 1.0, rtol=0, atol=1e-3)


@pytest.mark.parametrize(("dtype", "rounded"), [("mixed_bfloat16", 8e-3), ("mixed_float16", 1e-3)])
def test_scores_are_computed_in_float32_under_mixed_precision(dtype, rounded):
    """Only units and result are rounded: the squares, 30,000, dwarf the distances."""
    compute = keras.dtype_policies.get(dtype).compute_dtype
    units = ops.cast(ops.cast(10.0 + normal(1, 4, 300), compute), "float32")
    left = ops.convert_to_numpy(units)
    right = left[:, [2, 0]]
    (attention,) = arrays_of(AttentionMatrix(dtype=dtype)(left, right))
    expected = reference.attention_matrix(left[0], right[0])
    np.testing.assert_allclose(attention[0], expected, rtol=rounded)


@pytest.mark.parametrize("offset", [0.0, 1.0, 30.0])
@pytest.mark.parametrize("apart", [1e-4, 1e-3, 1e-1, 1.0])
def test_scores_are_exact_however_near_the_units_are(offset, apart):
    """`|x|^2 + |y|^2 - 2xy` is a difference of large numbers, which float32 loses."""
    left = offset + apart * normal(1, 5, 300)
    right = left[:, [4, 1, 2]]
    (attention,) = arrays_of(AttentionMatrix()(left, right))
    expected = reference.attention_matrix(left[0], right[0])
    np.testing.assert_allclose(attention[0], expected, rtol=1e-6, atol=1e-6)


def test_without_float64_the_scores_and_gradients_are_the_same():
    left, right = normal(2, 5, 30), normal(2, 3, 30, seed=1)
    right[:, 1] = left[:, 2] + 1e-4 * right[:, 1]
    right[:, 2] = left[:, 0]
    inputs = {"left": left, "right": right}
    (expected,) = arrays_of(AttentionMatrix()(left, right))
    expected_gradients, _ = gradients(AttentionMatrix(), inputs, {})
    with float32_only():
        (actual,) = arrays_of(AttentionMatrix()(left, right))
        actual_gradients, _ = gradients(AttentionMatrix(), inputs, {})
    np.testing.assert_allclose(actual, expected, rtol=1e-6)
    for side in inputs:
        np.testing.assert_allclose(actual_gradients[side], expected_gradients[side], atol=1e-5)


@pytest.mark.parametrize("apart", [0.0, 1e-6, 1e-3, 1.0])
def test_gradients_of_equal_and_near_units_keep_their_bound(apart):
    """A score changes by at most the distance that a unit moves; one such term an entry."""
    left = normal(2, 4, 300)
    right = (left[:, :3] + apart * normal(2, 3, 300, seed=1) / np.sqrt(300)).astype("float32")
    by_input, _ = gradients(AttentionMatrix(), {"left": left, "right": right}, {})
    assert (np.linalg.norm(by_input["left"], axis=-1) <= right.shape[1] + 1e-3).all()
    assert (np.linalg.norm(by_input["right"], axis=-1) <= left.shape[1] + 1e-3).all()


@pytest.mark.parametrize("match_score", SCORES)
def test_gradients_equal_finite_differences_of_the_reference(match_score):
    left, right = normal(1, 3, 4), normal(1, 2, 4, seed=1)
    layer = matrix(match_score, 4, 4)
    weights = layer.get_weights()

    def loss(left: np.ndarray) -> float:
        attention = reference.attention_matrix(left, right[0], match_score, weights)
        return float((attention.ravel() * np.cos(np.arange(attention.size))).sum())

    by_input, _ = gradients(layer, {"left": left, "right": right}, {})
    exact = left[0].astype("float64")
    for position in np.ndindex(exact.shape):
        step = np.zeros_like(exact)
        step[position] = 1e-6
        slope = (loss(exact + step) - loss(exact - step)) / 2e-6
        assert by_input["left"][0][position] == pytest.approx(slope, rel=1e-3, abs=1e-5)


def test_an_unknown_match_score_is_refused():
    with pytest.raises(ValueError, match=r"match_score.*euclidean.*Received.*hamming"):
        AttentionMatrix("hamming")


def test_sides_of_different_dim_are_refused():
    with pytest.raises(ValueError, match=r"left.*right.*Received.*3.*5"):
        AttentionMatrix()(normal(1, 4, 3), normal(1, 2, 5))
