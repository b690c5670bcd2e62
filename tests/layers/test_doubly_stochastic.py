"""DoublyStochastic and ContextGate: contract, golden values, the reference."""

import numpy as np
import pytest
from hypothesis import given
from keras import ops

from abcnn.layers import ContextGate, DoublyStochastic, SoftAttention
from tests import attention_reference
from tests.contracts import FLOAT32, LayerCase, Length, arrays_of, check_layer
from tests.layers.attending import attend, normal, real_parts, with_weights
from tests.strategies import RaggedBatch, few_examples, ragged_batches

pytestmark = pytest.mark.backend


def test_contract_of_the_regulariser(tmp_path):
    attention = np.random.default_rng(0).uniform(0, 1, (3, 5, 4)).astype("float32")
    masks = {
        "query_mask": np.arange(5) < [[5], [2], [0]],
        "value_mask": np.arange(4) < [[3], [0], [4]],
    }
    lengths = (
        Length((("attention", 1),), "query_mask"),
        Length((("attention", 2),), "value_mask"),
    )
    check_layer(LayerCase(DoublyStochastic, {"attention": attention}, masks, lengths), tmp_path)


def test_contract_of_the_gate(tmp_path):
    inputs = {"context": normal(3, 5, 2), "query": normal(3, 5, 4, seed=1)}
    lengths = (Length((("context", 1), ("query", 1))),)
    check_layer(LayerCase(ContextGate, inputs, lengths=lengths), tmp_path)


def test_golden_values():
    attention = np.array([[[0.5, 0.5, 0], [1, 0, 0]]], "float32")
    layer = DoublyStochastic(weight=2.0)
    np.testing.assert_array_equal(arrays_of(layer(attention))[0], attention)
    # Sums 1.5, 0.5, 0: 0.25 + 0.25 + 1.
    assert float(ops.convert_to_numpy(layer.losses[0])) == pytest.approx(3.0)
    gate = ContextGate()
    gate.build((None, None, 2), (None, None, 1))
    gate.set_weights([np.array([2.0]), np.array(-1.0)])
    context, query = np.array([[[1, 2], [3, 4]]], "float32"), np.array([[[0.5], [0]]], "float32")
    beta = 1 / (1 + np.e)
    np.testing.assert_allclose(
        arrays_of(gate(context, query))[0], [[[0.5, 1], [3 * beta, 4 * beta]]], **FLOAT32
    )


@few_examples
@given(batch=ragged_batches())
def test_the_loss_equals_the_reference(batch: RaggedBatch) -> None:
    soft = SoftAttention("dot", return_attention=True)
    _, attention = attend(with_weights(soft, batch.left.shape, batch.right.shape), batch)
    layer = DoublyStochastic()
    layer(attention, query_mask=batch.left_mask, value_mask=batch.right_mask)
    expected = [
        attention_reference.doubly_stochastic(inner) for _, _, inner in real_parts(batch, attention)
    ]
    (loss,) = layer.losses
    assert float(ops.convert_to_numpy(loss)) == pytest.approx(np.mean(expected), rel=1e-4, abs=1e-5)


def test_a_negative_weight_is_refused():
    with pytest.raises(ValueError, match=r"weight.*at least 0.*Received.*-1"):
        DoublyStochastic(weight=-1)
