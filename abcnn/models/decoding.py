"""The right sentences that a seq2seq network finds most probable."""

from __future__ import annotations

from typing import NamedTuple

import keras
import numpy as np

from abcnn.text.vocabulary import PAD


class Decoded(NamedTuple):
    """A sentence of word ids, without its end, and the sum of the log-probabilities with it."""

    ids: tuple[int, ...]
    log_probability: float


def decode(
    network: keras.Model, left: np.ndarray, *, beam: int = 1, max_length: int = 20
) -> list[Decoded]:
    """The most probable right sentences of one left sentence, by beam search, best first.

    network: of the model `seq2seq`; left: word ids `(length,)`. At each step the `beam` best
    beginnings are kept, so that 1 is the greedy search. At most `beam` sentences, of at most
    `max_length` words; what has no end by then is cut there.

    The network reads a beginning anew at each step, so that this is for short sentences.

    Source: Sutskever et al. 2014, section 3.2.
    """
    likelihood = network.get_layer("likelihood")
    inputs = {name: network.get_layer(name).output for name in ("left", "right")}
    hidden_of = keras.Model(inputs, network.get_layer("combine").output)
    kernel, bias = likelihood.get_weights()
    open_: list[Decoded] = [Decoded((), 0.0)]
    ended: list[Decoded] = []
    for length in range(max_length + 1):
        right = np.full((beam, max_length), PAD, np.int32)
        for row, start in enumerate(open_):
            right[row, :length] = start.ids
        lefts = np.tile(np.asarray(left, np.int32), (beam, 1))
        hidden = hidden_of.predict_on_batch({"left": lefts, "right": right})
        logs = _log_softmax(np.asarray(hidden)[: len(open_), length] @ kernel + bias)
        if length == max_length:
            logs[:, np.arange(logs.shape[1]) != PAD] = -np.inf
        totals = np.array([start.log_probability for start in open_])[:, None] + logs
        best = np.argsort(-totals, axis=None, kind="stable")[:beam]
        following = []
        for row, word in zip(*np.unravel_index(best, totals.shape), strict=True):
            total = float(totals[row, word])
            if not np.isfinite(total):
                continue
            if word == PAD:
                ended.append(Decoded(open_[row].ids, total))
            else:
                following.append(Decoded((*open_[row].ids, int(word)), total))
        open_ = following
        if not open_ or len(ended) >= beam:
            break
    return sorted(ended, key=lambda one: -one.log_probability)[:beam]


def _log_softmax(logits: np.ndarray) -> np.ndarray:
    shifted = logits - logits.max(axis=1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
