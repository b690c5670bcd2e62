"""AttentionPooling and HierarchicalAttention: contract, the reference, errors."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given

from abcnn.layers import AttentionPooling, HierarchicalAttention
from tests import attention_reference
from tests.contracts import FLOAT32, LayerCase, Length, arrays_of, check_layer
from tests.layers.attending import normal, with_weights
from tests.strategies import JUNK, RaggedBatch, few_examples, pad, ragged_batches

pytestmark = pytest.mark.backend

# Words of each sentence of three documents, one of them empty; 0 is a padded sentence.
LENGTHS = np.array([[4, 1, 3], [2, 0, 0], [0, 0, 0]])


def documents() -> tuple[np.ndarray, np.ndarray]:
    mask = np.arange(4) < LENGTHS[..., None]
    return np.where(mask[..., None], normal(3, 3, 4, 2), JUNK).astype("float32"), mask


@pytest.mark.parametrize("return_attention", [True, False])
def test_contract_of_the_pooling(return_attention, tmp_path):
    units, mask = pad([normal(5, 3), normal(1, 3, seed=1), normal(0, 3)], 5, 3)
    make = partial(AttentionPooling, 4, return_attention, "l2")
    lengths = (Length((("units", 1),), "mask"),)
    check_layer(LayerCase(make, {"units": units}, {"mask": mask}, lengths), tmp_path)


def test_contract(tmp_path):
    words, mask = documents()
    lengths = (Length((("words", 1),), "mask", 1), Length((("words", 2),), "mask", 2))
    make = partial(HierarchicalAttention, 4, return_attention=True)
    check_layer(LayerCase(make, {"words": words}, {"mask": mask}, lengths), tmp_path)


def test_golden_values_of_the_pooling():
    """`tanh` is 0 at 0 and 1 far out: scores 0 and ln 3."""
    units = np.array([[[0, 8], [50, 4]]], "float32")
    layer = with_weights(AttentionPooling(1, return_attention=True), units.shape)
    layer.set_weights([np.array([[1], [0]]), np.zeros(1), np.log([3])])
    result, attention = arrays_of(layer(units))
    np.testing.assert_allclose(attention, [[1 / 4, 3 / 4]], **FLOAT32)
    np.testing.assert_allclose(result, [[37.5, 5]], **FLOAT32)


@few_examples
@given(batch=ragged_batches())
def test_pooling_equals_the_reference(batch: RaggedBatch) -> None:
    layer = with_weights(AttentionPooling(3, return_attention=True), batch.left.shape)
    result, attention = arrays_of(layer(batch.left, mask=batch.left_mask))
    for row, (units, _) in enumerate(batch.pairs()):
        expected, expected_attention = attention_reference.attention_pooling(
            units, *layer.get_weights()
        )
        np.testing.assert_allclose(result[row], expected, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(
            attention[row, : len(units)], expected_attention, rtol=1e-4, atol=1e-5
        )
        assert not attention[row, len(units) :].any()


def test_equals_the_reference():
    words, mask = documents()
    layer = with_weights(HierarchicalAttention(3, return_attention=True), words.shape)
    document, word_attention, sentence_attention = arrays_of(layer(words, mask=mask))
    weights = layer.get_weights()
    for row, lengths in enumerate(LENGTHS):
        real = [n for n, length in enumerate(lengths) if length]
        pooled = [
            attention_reference.attention_pooling(words[row, n, : lengths[n]], *weights[:3])
            for n in real
        ]
        for n, (_, attention) in zip(real, pooled, strict=True):
            np.testing.assert_allclose(
                word_attention[row, n, : lengths[n]], attention, rtol=1e-4, atol=1e-6
            )
        sentences = np.array([vector for vector, _ in pooled]).reshape(len(real), 2)
        expected, attention = attention_reference.attention_pooling(sentences, *weights[3:])
        np.testing.assert_allclose(document[row], expected, rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(sentence_attention[row, real], attention, rtol=1e-4, atol=1e-6)
    assert not word_attention[~mask].any()
    assert not sentence_attention[LENGTHS == 0].any()


def test_bad_arguments_are_refused():
    with pytest.raises(ValueError, match=r"hidden_dim.*integer of at least 1.*Received.*0"):
        HierarchicalAttention(0)
    with pytest.raises(ValueError, match=r"words.*4 axes.*Received"):
        HierarchicalAttention(2)(normal(2, 3, 4))
    with pytest.raises(ValueError, match=r"units.*at least 3 axes.*Received"):
        AttentionPooling(2)(normal(2, 3))
