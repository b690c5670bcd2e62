"""The right sentence as a translation of the left one (Bahdanau et al. 2015; Luong et al. 2015)."""

from __future__ import annotations

from collections.abc import Callable

import keras
from keras import ops

from abcnn.layers import SoftAttention
from abcnn.models.comparison import Comparison
from abcnn.models.recurrent import recurrent_layer
from abcnn.models.target_likelihood import TargetLikelihood


def seq2seq(
    *,
    cell: str,
    hidden_dim: int,
    match_score: str,
    target_words: int,
    vocabulary: int,
    regularizer=None,
) -> Callable[..., Comparison]:
    """The mean log-probability of the right sentence's words and its end, given the left sentence.

    `h_t` is the state of a decoder that has read the words before t and started from the encoder's
    last state, `c_t` what it attends to among the encoder's states; `p(y_t) = softmax(W_s tanh(W_c
    [c_t, h_t]))`, over the first `target_words` ids. It learns from pairs of the last label alone;
    the output layer gets the score without a gradient.

    The function takes the ids of both sentences, too, `(batch, length)`, behind their masks.

    Source: Luong et al. 2015, sections 2 and 3.1; the score: Echihabi and Marcu 2003.
    """
    encode, decode = (
        recurrent_layer(
            cell, hidden_dim, regularizer, name=name, return_sequences=True, return_state=True
        )
        for name in ("encode", "decode")
    )
    attend = SoftAttention(match_score, regularizer=regularizer, name="attend")
    join = keras.layers.Concatenate(name="context_and_state")
    combine = keras.layers.Dense(
        hidden_dim, "tanh", use_bias=False, kernel_regularizer=regularizer, name="combine"
    )
    likelihood = TargetLikelihood(min(target_words, vocabulary), regularizer, name="likelihood")

    def apply(left, right, left_mask, right_mask, _left_ids, right_ids):
        states, *state = encode(left, mask=left_mask)
        # A place more: before the first word stands nothing, 0; behind the last its end, PAD.
        before = ops.pad(right, [[0, 0], [1, 0], [0, 0]])
        targets = ops.pad(right_ids, [[0, 0], [0, 1]])
        mask = ops.pad(right_mask, [[0, 0], [1, 0]], constant_values=True)
        own_states, *_ = decode(before, initial_state=state, mask=mask)
        context = attend(own_states, states, query_mask=mask, value_mask=left_mask)
        hidden = combine(join([context, own_states]))
        return Comparison(vectors=[likelihood(hidden, targets, mask=mask)])

    return apply
