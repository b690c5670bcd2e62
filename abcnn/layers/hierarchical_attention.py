"""Hierarchical attention over a text of several sentences (Yang et al. 2016)."""

from __future__ import annotations

import keras
from keras import ops

from abcnn.layers._arguments import positive_integer, rank
from abcnn.layers.attention_map import AttentionMap
from abcnn.layers.attention_pooling import AttentionPooling


@keras.saving.register_keras_serializable(package="abcnn")
class HierarchicalAttention(keras.layers.Layer):
    """From words to a sentence vector, from sentences to a document vector, each by attention.

    Two `AttentionPooling` layers, the second over what the first gives. The paper has a
    bidirectional GRU below each: set one before this layer, and, for one between the two, use
    `AttentionPooling` twice.

    Args:
        hidden_dim: size of the hidden layer of both attentions.
        return_attention: whether both attentions are returned too.
        regularizer: Keras regulariser of kernels and vectors.

    Call: `(words, mask=None)` with `(batch, sentences, words, dim)` and boolean
    `(batch, sentences, words)` -> document `(batch, dim)`, or with `return_attention`
    `(document, word_attention, sentence_attention)`, `(batch, sentences, words)` and
    `(batch, sentences)`.

    Masking: a sentence is real when one of its words is. Word attention sums to 1 over the real
    words of each real sentence, sentence attention over the real sentences; both are exactly 0 on
    padding. A document without real words gives 0. The result has no mask.
    Precision: float32 under every policy.

    Raises:
        ValueError: `hidden_dim` below 1; words that are not of four axes.

    Source: Yang et al. 2016, equations 5 to 10.
    """

    def __init__(self, hidden_dim: int, return_attention: bool = False, regularizer=None, **kwargs):
        super().__init__(**kwargs)
        self.hidden_dim = positive_integer("hidden_dim", hidden_dim)
        self.return_attention = return_attention
        self.regularizer = keras.regularizers.get(regularizer)
        self.supports_masking = True
        self.pool_words, self.pool_sentences = (
            AttentionPooling(hidden_dim, True, regularizer, dtype="float32", name=name)
            for name in ("pool_words", "pool_sentences")
        )

    def build(self, words_shape):
        rank("HierarchicalAttention", "words", words_shape, 4)
        self.pool_words.build(words_shape)
        self.pool_sentences.build((*words_shape[:2], words_shape[3]))

    def call(self, words, mask=None):
        results = self._read(words, mask)
        if self.return_attention:
            return tuple(ops.cast(result, self.compute_dtype) for result in results)
        return ops.cast(results[0], self.compute_dtype)

    def attentions(self, words, mask=None) -> tuple[AttentionMap, ...]:
        """The attention of each sentence over its words, weighted by that over the sentences.

        A column is a place in a sentence.
        """
        _, matrix, weights = self._read(words, mask)
        return (AttentionMap(self.name, matrix, rows="own", columns="own", row_weights=weights),)

    def _read(self, words, mask):
        sentence_mask = None if mask is None else ops.any(ops.cast(mask, "bool"), axis=2)
        sentences, word_attention = self.pool_words(words, mask=mask)
        document, sentence_attention = self.pool_sentences(sentences, mask=sentence_mask)
        return document, word_attention, sentence_attention

    def compute_mask(self, words, *_masks):
        return None

    def compute_output_shape(self, words_shape):
        rank("HierarchicalAttention", "words", words_shape, 4)
        document = (words_shape[0], words_shape[3])
        if self.return_attention:
            return document, tuple(words_shape[:3]), tuple(words_shape[:2])
        return document

    def get_config(self):
        return {
            **super().get_config(),
            "hidden_dim": self.hidden_dim,
            "return_attention": self.return_attention,
            "regularizer": keras.regularizers.serialize(self.regularizer),
        }
