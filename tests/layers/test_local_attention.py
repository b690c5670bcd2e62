"""LocalAttention: contract, golden values, the reference, properties, errors."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given

from abcnn.layers import LocalAttention
from tests import attention_reference, reference
from tests.contracts import FLOAT32, arrays_of, check_layer
from tests.layers.attending import attend, cross_case, normal, real_parts, with_weights
from tests.strategies import RaggedBatch, few_examples, ragged_batches

pytestmark = pytest.mark.backend


@pytest.mark.parametrize(
    "options",
    [
        {"window": 2, "match_score": "euclidean"},
        {"window": 3, "alignment": "predictive", "return_attention": True, "regularizer": "l2"},
    ],
)
def test_contract(options, tmp_path):
    check_layer(cross_case(partial(LocalAttention, **options)), tmp_path)


def test_golden_values_of_monotonic():
    """Equal scores: a mean over the window, which the sentence's ends cut."""
    query, value = np.zeros((1, 5, 1), "float32"), normal(1, 3, 1)
    _, attention = arrays_of(LocalAttention(1, return_attention=True)(query, value))
    expected = [[1 / 2, 1 / 2, 0], [1 / 3] * 3, [0, 1 / 2, 1 / 2], [0, 0, 1], [0, 0, 0]]
    np.testing.assert_allclose(attention, [expected], **FLOAT32)


def test_golden_values_of_predictive():
    """A query of 0 predicts the middle, 4 sigmoid(0) = 2; sigma is 1."""
    query, value = np.zeros((1, 1, 2), "float32"), normal(1, 6, 2)
    layer = LocalAttention(2, "predictive", return_attention=True)
    mask = np.array([[True] * 4 + [False] * 2])
    _, attention = arrays_of(layer(query, value, value_mask=mask))
    expected = np.exp([-2, -1 / 2, 0, -1 / 2]) / 4
    np.testing.assert_allclose(attention, [[[*expected, 0, 0]]], **FLOAT32)


@pytest.mark.parametrize("alignment", ["monotonic", "predictive"])
@few_examples
@given(batch=ragged_batches())
def test_equals_the_reference(alignment: str, batch: RaggedBatch) -> None:
    layer = with_weights(
        LocalAttention(2, alignment, "dot", return_attention=True),
        batch.left.shape,
        batch.right.shape,
    )
    context, attention = attend(layer, batch)
    weights = [weight.astype("float64") for weight in layer.get_weights()]
    for row, (left, right, actual) in enumerate(real_parts(batch, attention)):
        centres: list[float] = list(range(len(left)))
        if weights:
            centres = attention_reference.predicted_positions(left, len(right), *weights)
        edges = np.abs(np.abs(np.arange(len(right))[None] - np.array(centres)[:, None]) - 2)
        if weights and (edges < 1e-4).any():
            continue  # on the window's edge rounding decides
        scores = reference.attention_matrix(left, right, "dot")
        expected = attention_reference.windowed_attention(scores, centres, 2)
        total = actual.sum(axis=-1)
        if weights:
            expected = attention_reference.gaussian(expected, centres, 2)
            assert (total <= 1 + 1e-5).all()
        else:
            near = np.arange(len(left)) <= len(right) + 1 if len(right) else np.zeros(len(left))
            np.testing.assert_allclose(total, near, atol=1e-5)
        np.testing.assert_allclose(actual, expected, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(
            context[row, : len(left)],
            attention_reference.contexts(expected, right),
            rtol=1e-4,
            atol=2e-5,
        )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"window": 0}, r"window.*integer of at least 1.*Received.*0"),
        ({"window": 2, "alignment": "diagonal"}, r"alignment.*monotonic.*Received.*diagonal"),
        ({"window": 2, "match_score": "hamming"}, r"match_score.*Received.*hamming"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        LocalAttention(**arguments)
