"""DocumentAttention: contract, and the same as HierarchicalAttention on sentences cut out."""

from functools import partial

import numpy as np
import pytest

from abcnn.layers import DocumentAttention, HierarchicalAttention
from abcnn.layers.document_attention import sentence_members
from tests.contracts import LayerCase, arrays_of, check_layer
from tests.layers.attending import normal, with_weights
from tests.strategies import pad

pytestmark = pytest.mark.backend


def test_contract(tmp_path):
    words, mask = pad([normal(6, 3), normal(2, 3, seed=1), normal(0, 3)], 6, 3)
    ends = np.array([[0, 1, 0, 0, 1, 0], [1, 0, 0, 0, 0, 0], [0] * 6], "float32")
    case = LayerCase(
        partial(DocumentAttention, 4, 2, regularizer="l2"),
        {"words": words},
        {"ends": ends > 0, "mask": mask},
        (),
    )
    check_layer(case, tmp_path)


def test_members_of_sentences():
    ends = np.array([[0, 1, 1, 0, 1, 0, 0]], bool)
    mask = np.array([[1, 1, 1, 1, 1, 1, 0]], bool)
    [members] = arrays_of(sentence_members(ends, 4, mask))
    assert members[0].tolist() == [
        [1, 1, 0, 0, 0, 0, 0],
        [0, 0, 1, 0, 0, 0, 0],
        [0, 0, 0, 1, 1, 0, 0],
        [0, 0, 0, 0, 0, 1, 0],
    ]
    [members] = arrays_of(sentence_members(ends, 2, mask))
    assert members[0].tolist() == [[1, 1, 0, 0, 0, 0, 0], [0, 0, 1, 1, 1, 1, 0]]


def test_equals_hierarchical_attention_on_the_sentences():
    lengths = [[2, 4, 1], [3, 0, 0]]
    words = normal(2, 9, 3)
    ends = np.zeros((2, 9), bool)
    ends[0, [1, 5]] = True
    mask = np.arange(9) < [[7], [3]]
    cut = np.full((2, 4, 4, 3), 7.5, "float32")
    real = np.zeros((2, 4, 4), bool)
    for row, sizes in enumerate(lengths):
        start = 0
        for sentence, size in enumerate(sizes):
            cut[row, sentence, :size] = words[row, start : start + size]
            real[row, sentence, :size] = True
            start += size
    layer = with_weights(DocumentAttention(5, 4, True), words.shape)
    other = with_weights(HierarchicalAttention(5, True), cut.shape)
    actual = arrays_of(layer(words, ends, mask=mask))
    expected = arrays_of(other(cut, mask=real))
    for one, same in ((actual[0], expected[0]), (actual[2], expected[2])):
        np.testing.assert_allclose(one, same, rtol=1e-5, atol=1e-6)
    for row in range(2):
        np.testing.assert_allclose(
            actual[1][row].sum(axis=0)[mask[row]], expected[1][row][real[row]], rtol=1e-5
        )


def test_padding_changes_nothing():
    words, ends = normal(2, 5, 3), np.array([[0, 1, 0, 0, 1], [0, 0, 1, 0, 0]], bool)
    layer = with_weights(DocumentAttention(5, 3), words.shape)
    wider, more_ends = np.full((2, 8, 3), 9.0, "float32"), np.ones((2, 8), bool)
    wider[:, :5], more_ends[:, :5] = words, ends
    [actual] = arrays_of(layer(wider, more_ends, mask=[np.arange(8) < 5] * 2))
    np.testing.assert_allclose(actual, arrays_of(layer(words, ends))[0], rtol=1e-5, atol=1e-6)


def test_bad_arguments_are_refused():
    with pytest.raises(ValueError, match=r"max_sentences.*integer of at least 1.*Received: 0"):
        DocumentAttention(3, 0)
    with pytest.raises(ValueError, match=r"words.*3 axes.*Received"):
        DocumentAttention(3, 2)(normal(2, 3), np.zeros((2, 3), bool))
