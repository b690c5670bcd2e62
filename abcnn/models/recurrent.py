"""The encoder, and the encoder-decoder, without attention."""

from __future__ import annotations

from collections.abc import Callable

import keras

from abcnn.models.comparison import Comparison
from abcnn.models.vector_comparison import vector_comparison

CELLS = {"rnn": keras.layers.SimpleRNN, "gru": keras.layers.GRU, "lstm": keras.layers.LSTM}


def recurrent_layer(cell: str, hidden_dim: int, regularizer=None, **options) -> keras.layers.RNN:
    """Keras's layer of a cell of `CELLS`, whose kernels are regularised; `options` are its own.

    A padded unit leaves its state as it was; a sentence without units gives the first state.
    """
    # cuDNN, where it is, refuses a sentence without units.
    options |= {} if cell == "rnn" else {"use_cudnn": False}
    return CELLS[cell](
        hidden_dim,
        kernel_regularizer=regularizer,
        recurrent_regularizer=regularizer,
        **options,
    )


def siamese_rnn(
    *, cell: str, hidden_dim: int, both_directions: bool = False, regularizer=None
) -> Callable[..., Comparison]:
    """One recurrent layer reads each sentence; its last state is the sentence vector.

    With `both_directions` a second one reads from the end, and the last states are joined.

    Source: Mueller and Thyagarajan 2016, section 3, there with an LSTM and one similarity score.
    """
    readers = [
        recurrent_layer(cell, hidden_dim, regularizer, name=name, go_backwards=backwards)
        for name, backwards in _directions("read", both_directions)
    ]
    join = _join(both_directions)
    compare = vector_comparison(hidden_dim, regularizer)

    def apply(left, right, left_mask, right_mask):
        return compare(
            join([read(left, mask=left_mask) for read in readers]),
            join([read(right, mask=right_mask) for read in readers]),
        )

    return apply


def conditional_rnn(
    *, cell: str, hidden_dim: int, both_directions: bool = False, regularizer=None
) -> Callable[..., Comparison]:
    """The right sentence is read by a decoder that starts from the left one's last state.

    Its own last state is what the output layer reads. With `both_directions` a second encoder and
    decoder read from the ends, and the last states are joined.

    Source: Cho et al. 2014, section 2.2; for pairs: Rocktaeschel et al. 2016, section 2.2; both
    directions: Augenstein et al. 2016, section 3.2.
    """
    encoders, decoders = (
        [
            recurrent_layer(
                cell,
                hidden_dim,
                regularizer,
                name=name,
                go_backwards=backwards,
                return_state=True,
            )
            for name, backwards in _directions(role, both_directions)
        ]
        for role in ("encode", "decode")
    )
    join = _join(both_directions)

    def apply(left, right, left_mask, right_mask):
        last = []
        for encode, decode in zip(encoders, decoders, strict=True):
            _, *state = encode(left, mask=left_mask)
            vector, *_ = decode(right, initial_state=state, mask=right_mask)
            last.append(vector)
        return Comparison(vectors=[join(last)])

    return apply


def _directions(name: str, both: bool) -> list[tuple[str, bool]]:
    """A layer's name and whether it reads from the end, for each direction."""
    return [(name, False), (f"{name}_backwards", True)] if both else [(name, False)]


def _join(several: bool) -> Callable:
    if not several:
        return lambda vectors: vectors[0]
    return keras.layers.Concatenate(name="both_directions")
