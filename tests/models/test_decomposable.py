"""AttendCompare, the decomposable model's layer: contract, the reference, errors."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given

from abcnn.models import AttendCompare
from tests import attention_reference
from tests.contracts import LayerCase, Length, arrays_of, check_layer
from tests.layers.attending import normal, with_weights
from tests.strategies import RaggedBatch, few_examples, pad, ragged_batches

pytestmark = pytest.mark.backend


def test_contract(tmp_path):
    left, left_mask = pad([normal(5, 3), normal(1, 3, seed=1), normal(0, 3)], 5, 3)
    right, right_mask = pad([normal(2, 3, seed=2), normal(3, 3, seed=3), normal(1, 3)], 3, 3)
    case = LayerCase(
        partial(AttendCompare, 4, "l2"),
        {"left": left, "right": right},
        {"left_mask": left_mask, "right_mask": right_mask},
        (Length((("left", 1),), "left_mask"), Length((("right", 1),), "right_mask")),
    )
    check_layer(case, tmp_path)


@few_examples
@given(batch=ragged_batches())
def test_equals_the_reference(batch: RaggedBatch) -> None:
    layer = with_weights(AttendCompare(4), batch.left.shape, batch.right.shape)
    vectors = arrays_of(
        layer(batch.left, batch.right, left_mask=batch.left_mask, right_mask=batch.right_mask)
    )
    project, *weights = (weight.astype("float64") for weight in layer.get_weights())
    layers = list(zip(weights[::2], weights[1::2], strict=True))
    for row, (left, right) in enumerate(batch.pairs()):
        expected = attention_reference.decomposable(left, right, project, layers[:2], layers[2:])
        for actual, vector in zip(vectors, expected, strict=True):
            np.testing.assert_allclose(actual[row], vector, rtol=1e-4, atol=1e-4)


@few_examples
@given(batch=ragged_batches())
def test_swapping_the_sentences_swaps_the_vectors(batch: RaggedBatch) -> None:
    layer = with_weights(AttendCompare(4), batch.left.shape, batch.right.shape)
    left, right = arrays_of(layer(batch.left, batch.right, batch.left_mask, batch.right_mask))
    other = arrays_of(layer(batch.right, batch.left, batch.right_mask, batch.left_mask))
    np.testing.assert_allclose(other, [right, left], rtol=1e-4, atol=1e-4)


def test_bad_arguments_are_refused():
    with pytest.raises(ValueError, match=r"hidden_dim.*integer of at least 1.*Received.*0"):
        AttendCompare(0)
    with pytest.raises(ValueError, match=r"right.*3 axes.*Received"):
        AttendCompare(2)(normal(1, 2, 3), normal(1, 3))
