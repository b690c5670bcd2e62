"""WindowPooling: contract, golden values, the reference, properties, errors."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from keras import ops

from abcnn.layers import WindowPooling
from tests import reference
from tests.contracts import FLOAT32, LayerCase, Length, arrays_of, check_layer
from tests.strategies import RaggedBatch, few_examples, ragged_batches

pytestmark = pytest.mark.backend


def normal(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("width", [1, 3])
def test_contract(width, weighted, tmp_path):
    """Windows that reach into the padding are of no real unit: what they hold is not promised."""
    inputs = {"phrases": normal(3, 7, 4)}
    places = [("phrases", 1)]
    if weighted:
        inputs["weights"] = normal(3, 7, seed=1) ** 2
        places.append(("weights", 1))
    check_layer(
        LayerCase(
            partial(WindowPooling, width),
            inputs,
            lengths=(Length(tuple(places)),),
            padding_gives_zero=False,
        ),
        tmp_path,
    )


def test_golden_values():
    phrases = np.array([[[2], [4], [6], [8]]], "float32")
    weights = np.array([[1, 0.5, 2, 0]], "float32")
    layer = WindowPooling(2)
    np.testing.assert_allclose(ops.convert_to_numpy(layer(phrases)), [[[3], [5], [7]]], **FLOAT32)
    # 2 + 2, 2 + 12, 12 + 0: a sum, not divided by the width
    np.testing.assert_allclose(
        ops.convert_to_numpy(layer(phrases, weights)), [[[4], [14], [12]]], **FLOAT32
    )


@pytest.mark.parametrize("width", [1, 2, 3])
@few_examples
@given(batch=ragged_batches())
def test_equals_the_reference(width: int, batch: RaggedBatch) -> None:
    """The phrases of both sides, weighted with their attention; every position is taken as real."""
    pairs = list(zip(batch.left, batch.right, strict=True))
    weights = [reference.attention_weights(reference.attention_matrix(*pair)) for pair in pairs]
    layer = WindowPooling(width)
    for side, phrases in enumerate((batch.left, batch.right)):
        own = [both[side] for both in weights]
        mean, total = arrays_of([layer(phrases), layer(phrases, np.array(own, "float32"))])
        for row, sentence in enumerate(phrases):
            expected = reference.window_pooling(sentence, width)
            np.testing.assert_allclose(mean[row], expected, rtol=1e-5, atol=1e-5)
            expected = reference.window_pooling(sentence, width, own[row])
            np.testing.assert_allclose(total[row], expected, rtol=1e-5, atol=1e-4)


def test_a_width_of_1_changes_nothing():
    phrases = normal(2, 5, 3)
    np.testing.assert_array_equal(ops.convert_to_numpy(WindowPooling(1)(phrases)), phrases)


def test_weights_of_one_over_the_width_give_the_mean():
    phrases = normal(2, 6, 3)
    mean, total = arrays_of(
        [WindowPooling(4)(phrases), WindowPooling(4)(phrases, np.full((2, 6), 0.25, "float32"))]
    )
    np.testing.assert_allclose(total, mean, **FLOAT32)


def test_a_window_is_of_neighbours_not_of_numbers_of_a_vector():
    """Each number of the vectors is pooled by itself."""
    phrases = normal(2, 6, 3)
    (whole,) = arrays_of(WindowPooling(3)(phrases))
    for number in range(3):
        (alone,) = arrays_of(WindowPooling(3)(phrases[:, :, number : number + 1]))
        np.testing.assert_allclose(alone[:, :, 0], whole[:, :, number], **FLOAT32)


@pytest.mark.parametrize("width", [0, -2, 1.5])
def test_bad_widths_are_refused(width):
    with pytest.raises(ValueError, match=rf"width.*integer of at least 1.*Received.*{width}"):
        WindowPooling(width)


def test_fewer_phrases_than_the_width_are_refused():
    with pytest.raises(ValueError, match=r"4.*Received.*3"):
        WindowPooling(4)(normal(1, 3, 2))
