"""Pairs of documents by hierarchical attention (Yang et al. 2016)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import keras
from keras import ops

from abcnn.layers import DocumentAttention
from abcnn.models.comparison import Comparison
from abcnn.models.recurrent import recurrent_layer
from abcnn.models.vector_comparison import vector_comparison

SENTENCE_ENDS = (".", "!", "?")
"""The words that end a sentence."""


def hierarchical(
    *,
    cell: str,
    hidden_dim: int,
    max_sentences: int,
    sentence_ends: Sequence[int],
    both_directions: bool = False,
    regularizer=None,
) -> Callable[..., Comparison]:
    """Each document's words by a recurrent layer, then words to sentences to a vector.

    `sentence_ends` are the ids of `SENTENCE_ENDS`. Unlike the paper's, the recurrent layer runs
    through the whole document, and there is none over the sentences.

    The function takes the ids of both documents, too, `(batch, length)`, behind their masks.

    Source: Yang et al. 2016, section 2.2.
    """
    read = recurrent_layer(cell, hidden_dim, regularizer, name="read", return_sequences=True)
    if both_directions:
        read = keras.layers.Bidirectional(read, name="read_both")
    attend = DocumentAttention(hidden_dim, max_sentences, regularizer=regularizer, name="attend")
    compare = vector_comparison(hidden_dim, regularizer)

    def document(words, mask, ids):
        ends = ops.zeros_like(mask)
        for number in sentence_ends:
            ends = ops.logical_or(ends, ops.equal(ids, number))
        return attend(read(words, mask=mask), ends, mask=mask)

    def apply(left, right, left_mask, right_mask, left_ids, right_ids):
        return compare(document(left, left_mask, left_ids), document(right, right_mask, right_ids))

    return apply
