"""Hierarchical attention over running text (Yang et al. 2016)."""

from __future__ import annotations

import keras
from keras import ops

from abcnn.layers._arguments import positive_integer, rank
from abcnn.layers.attention_map import AttentionMap
from abcnn.layers.attention_pooling import AttentionPooling, importance
from abcnn.layers.masked_softmax import masked_softmax


def sentence_members(ends, max_sentences: int, mask=None):
    """Which words belong to which sentence: boolean `(batch, max_sentences, length)`.

    ends: boolean `(batch, length)`, True for a word that ends its sentence. The last sentence holds
    all that follows, however many sentences it is. Padding belongs to none.
    """
    ends = ops.cast(ends, "int32")
    numbers = ops.minimum(ops.cumsum(ends, axis=1) - ends, max_sentences - 1)
    members = ops.equal(numbers[:, None, :], ops.arange(max_sentences, dtype="int32")[:, None])
    if mask is None:
        return members
    return ops.logical_and(members, ops.cast(mask, "bool")[:, None, :])


@keras.saving.register_keras_serializable(package="abcnn")
class DocumentAttention(keras.layers.Layer):
    """`HierarchicalAttention` of a text that is not yet cut into sentences, with the same weights.

    Args:
        hidden_dim: size of the hidden layer of both attentions.
        max_sentences: sentences that are told apart; the last holds the rest of the text.
        return_attention: whether both attentions are returned too.
        regularizer: Keras regulariser of kernels and vectors.

    Call: `(words, ends, mask=None)` with `(batch, length, dim)` and boolean `(batch, length)`,
    True in `ends` for a word that ends its sentence -> document `(batch, dim)`, or with
    `return_attention` `(document, word_attention, sentence_attention)`,
    `(batch, max_sentences, length)` and `(batch, max_sentences)`.

    Masking: padding and sentences that are not there have an attention of exactly 0. A document
    without real words gives 0. The result has no mask.
    Precision: float32 under every policy.

    Raises:
        ValueError: a size below 1; words that are not of three axes.

    Source: Yang et al. 2016, equations 5 to 10.
    """

    def __init__(
        self,
        hidden_dim: int,
        max_sentences: int,
        return_attention: bool = False,
        regularizer=None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.hidden_dim = positive_integer("hidden_dim", hidden_dim)
        self.max_sentences = positive_integer("max_sentences", max_sentences)
        self.return_attention = return_attention
        self.regularizer = keras.regularizers.get(regularizer)
        self.supports_masking = True
        self.pool_words, self.pool_sentences = (
            AttentionPooling(hidden_dim, True, regularizer, dtype="float32", name=name)
            for name in ("pool_words", "pool_sentences")
        )

    def build(self, words_shape, ends_shape=None):
        rank("DocumentAttention", "words", words_shape, 3)
        self.pool_words.build(words_shape)
        self.pool_sentences.build((words_shape[0], self.max_sentences, words_shape[2]))

    def call(self, words, ends, mask=None):
        results = self._read(words, sentence_members(ends, self.max_sentences, mask), mask)
        if self.return_attention:
            return tuple(ops.cast(result, self.compute_dtype) for result in results)
        return ops.cast(results[0], self.compute_dtype)

    def attentions(self, words, ends, mask=None) -> tuple[AttentionMap, ...]:
        """The attention of each sentence over its words, weighted by that over the sentences."""
        members = sentence_members(ends, self.max_sentences, mask)
        _, matrix, weights = self._read(words, members, mask)
        return (
            AttentionMap(
                self.name,
                matrix,
                rows="own",
                columns="own",
                row_weights=weights,
                row_units=members,
            ),
        )

    def _read(self, words, members, mask):
        words = ops.cast(words, "float32")
        if mask is not None:
            words = ops.where(ops.cast(mask, "bool")[..., None], words, 0.0)
        # A word's score is the same in whatever sentence: words are not copied for each.
        scores = importance(
            words, self.pool_words.kernel, self.pool_words.bias, self.pool_words.vector
        )
        scores = ops.broadcast_to(scores[:, None, :], ops.shape(members))
        word_attention = masked_softmax(scores, members)
        sentences = ops.matmul(word_attention, words)
        document, sentence_attention = self.pool_sentences(sentences, mask=ops.any(members, axis=2))
        return document, word_attention, sentence_attention

    def compute_mask(self, words, *_masks):
        return None

    def compute_output_shape(self, words_shape, ends_shape=None):
        rank("DocumentAttention", "words", words_shape, 3)
        batch, length, dim = words_shape
        if self.return_attention:
            return (batch, dim), (batch, self.max_sentences, length), (batch, self.max_sentences)
        return (batch, dim)

    def get_config(self):
        return {
            **super().get_config(),
            "hidden_dim": self.hidden_dim,
            "max_sentences": self.max_sentences,
            "return_attention": self.return_attention,
            "regularizer": keras.regularizers.serialize(self.regularizer),
        }
