"""What the attentions of one sentence over another have in common."""

from __future__ import annotations

from abc import abstractmethod

import keras
from keras import ops

from abcnn.layers._arguments import rank
from abcnn.layers.attention_map import AttentionMap
from abcnn.layers.attention_matrix import AttentionMatrix
from abcnn.layers.masked_softmax import context_of, pair_mask


class CrossAttention(keras.layers.Layer):
    """Abstract: match scores -> attention, which a subclass decides -> contexts.

    Call, the same for every subclass: `(query, value, query_mask=None, value_mask=None)` with
    `(batch, query_length, query_dim)`, `(batch, value_length, dim)` and boolean `(batch, length)`
    -> context `(batch, query_length, dim)`, and with `return_attention` the attention
    `(batch, query_length, value_length)` behind it.
    """

    def __init__(
        self,
        match_score: str = "dot",
        return_attention: bool = False,
        regularizer=None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.match_score = match_score
        self.return_attention = return_attention
        self.regularizer = keras.regularizers.get(regularizer)
        self.scores = AttentionMatrix(match_score, regularizer, dtype="float32")
        self.supports_masking = True

    def build(self, query_shape, value_shape):
        self.scores.build(query_shape, value_shape)

    def call(self, query, value, query_mask=None, value_mask=None, training=None):
        self.compute_output_shape(query.shape, value.shape)  # refuses wrong shapes
        attention = self._attention(query, value, query_mask, value_mask, training)
        context = ops.cast(context_of(attention, value, value_mask), self.compute_dtype)
        if self.return_attention:
            return context, ops.cast(attention, self.compute_dtype)
        return context

    def attentions(
        self, query, value, query_mask=None, value_mask=None, training=None
    ) -> tuple[AttentionMap, ...]:
        """The attention that `call` uses, under the layer's name."""
        attention = self._attention(query, value, query_mask, value_mask, training)
        return (AttentionMap(self.name, attention, rows="own", columns="other"),)

    def _attention(self, query, value, query_mask, value_mask, training):
        scores = self.scores(query, value)
        mask = pair_mask(query_mask, value_mask)
        return self.attend(query, scores, mask, value_mask, training)

    @abstractmethod
    def attend(self, query, scores, mask, value_mask, training):
        """The attention `(batch, query_length, value_length)`, float32, 0 where `mask` is False.

        scores: float32, of that shape; mask: boolean, broadcasts to it, or None.
        """

    def compute_mask(self, query, mask=None):
        return (mask, None) if self.return_attention else mask

    def compute_output_shape(self, query_shape, value_shape):
        rank(type(self).__name__, "query", query_shape, 3)
        rank(type(self).__name__, "value", value_shape, 3)
        attention = self.scores.compute_output_shape(query_shape, value_shape)
        context = (*query_shape[:2], value_shape[2])
        return (context, attention) if self.return_attention else context

    def get_config(self):
        return {
            **super().get_config(),
            "match_score": self.match_score,
            "return_attention": self.return_attention,
            "regularizer": keras.regularizers.serialize(self.regularizer),
        }
