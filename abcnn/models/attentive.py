"""The encoder-decoder with attention (Rocktaeschel et al. 2016)."""

from __future__ import annotations

from collections.abc import Callable

import keras

from abcnn.layers import WordByWordAttention
from abcnn.models.comparison import Comparison
from abcnn.models.recurrent import recurrent_layer


def attentive_rnn(
    *,
    cell: str,
    hidden_dim: int,
    attention: str,
    window: int,
    match_score: str,
    both_directions: bool = False,
    regularizer=None,
) -> Callable[..., Comparison]:
    """The conditional model, whose decoder reads the encoder's states word by word.

    `tanh(W_p r_N + W_x h_N)` of what was read last and the decoder's last state is what the output
    layer reads. With `both_directions` the left sentence is read given the right one, too, by the
    same layers.

    Source: Rocktaeschel et al. 2016, sections 2.2, 2.4 and 2.5.
    """
    encode, decode = (
        recurrent_layer(
            cell, hidden_dim, regularizer, name=name, return_sequences=True, return_state=True
        )
        for name in ("encode", "decode")
    )
    attend = WordByWordAttention(
        match_score, attention, window, regularizer=regularizer, name="attend"
    )
    join = keras.layers.Concatenate(name="read_and_state")
    combine = keras.layers.Dense(
        hidden_dim, "tanh", use_bias=False, kernel_regularizer=regularizer, name="combine"
    )
    join_directions = keras.layers.Concatenate(name="both_directions")

    def given(first, second, first_mask, second_mask):
        states, *state = encode(first, mask=first_mask)
        own_states, last, *_ = decode(second, initial_state=state, mask=second_mask)
        read = attend(own_states, states, query_mask=second_mask, value_mask=first_mask)
        return combine(join([read, last]))

    def apply(left, right, left_mask, right_mask):
        vector = given(left, right, left_mask, right_mask)
        if both_directions:
            other = given(right, left, right_mask, left_mask)
            vector = join_directions([vector, other])
        return Comparison(vectors=[vector])

    return apply
