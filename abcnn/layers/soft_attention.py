"""Global soft attention (Bahdanau et al. 2015; Luong et al. 2015)."""

from __future__ import annotations

import keras

from abcnn.layers.cross_attention import CrossAttention
from abcnn.layers.masked_softmax import masked_softmax


@keras.saving.register_keras_serializable(package="abcnn")
class SoftAttention(CrossAttention):
    """Each unit of one sentence reads a weighted mean of all units of another.

    `a_ts = exp(score(q_t, v_s)) / sum_s' exp(score(q_t, v_s'))`, `c_t = sum_s a_ts v_s`.

    Args:
        match_score: the score, one of `abcnn.layers.match_scores`.
        return_attention: whether the attention is returned too.
        regularizer: Keras regulariser of the match score's weights.

    Call: `(query, value, query_mask=None, value_mask=None)` with
    `(batch, query_length, query_dim)`, `(batch, value_length, dim)` and boolean `(batch, length)`
    -> context `(batch, query_length, dim)`, or with `return_attention` `(context, attention)`,
    attention `(batch, query_length, value_length)`.

    Masking: a row of the attention sums to 1 over the real units and is exactly 0 on padding. The
    row of a padded query, or of a sentence without real units, is 0, and so is its context. The
    context has the query's mask.
    Precision: float32 under every policy.

    Raises:
        ValueError: unknown `match_score`; inputs that are not of three axes; sizes that differ
            where the match score needs one size.

    Source: Bahdanau et al. 2015, equations 5 and 6; Luong et al. 2015, section 3.1.
    """

    def attend(self, query, scores, mask, value_mask, training):
        return masked_softmax(scores, mask)
