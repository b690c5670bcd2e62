"""The scores of a network for ragged pairs, as compiled loops.

Functions to be compiled stand in this file, `operations`, `lanes` and `seen_words`: machine code is
kept for as long as these stay as they are (`compiled_entry`). The result of a pair depends on it
alone, to the last bit, though pairs in a row whose left sentence is the same share what depends on
this and a word of the right one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from abcnn.compiled import compiled, compiled_borrowing, compiled_entry, prefetch
from abcnn.runtime import lanes, operations, seen_words
from abcnn.runtime.lanes import LANES, load, store
from abcnn.runtime.operations import (
    add_comparison,
    add_products,
    attend,
    attention_sums,
    compare,
    convolve,
    filled_up,
    pool_dynamically,
    pool_windows,
    square_norms,
    sum_taps,
    weighted_mean,
)
from abcnn.runtime.seen_words import SeenWords, forget, no_words, probably_seen, take_slots

_ZERO, _ONE = np.float32(0), np.float32(1)


class Space(NamedTuple):
    """Room for what is computed of one sentence; of the rows only as many are used as it needs.

    The vectors, one a block, and the mean stay until the next sentence.
    """

    mean: np.ndarray
    squares: np.ndarray
    taps: np.ndarray
    phrases: np.ndarray
    weights: np.ndarray
    units: np.ndarray
    vectors: np.ndarray
    parts: np.ndarray


@compiled
def _space(network, length):
    dim, width, (blocks, filters) = network.vectors.shape[1], network.width, network.biases.shape
    phrases = length + width - 1
    return Space(
        mean=np.empty(dim, np.float32),
        squares=np.empty(phrases + LANES, np.float32),
        taps=np.empty((length, width * filters), np.float32),
        phrases=np.empty((phrases, filters), np.float32),
        weights=np.empty(phrases + LANES, np.float32),
        units=np.empty((length, filters), np.float32),
        vectors=np.empty((blocks, filters), np.float32),
        parts=np.empty(width, np.int64),
    )


class Run(NamedTuple):
    """What pairs in a row have in common whose left sentence is the same.

    Of the left sentence the first block's phrases and `|x|^2`, with attention on the input of the
    words, without of these phrases. Of the right words that were seen since the left sentence came,
    each at its slot: scores, room for the rows of match scores with the left words; taps `(slots,
    width * filters)`, their parts in the first block's phrases. slots: of the pair's right words.
    """

    squares: np.ndarray
    phrases: np.ndarray
    seen: SeenWords
    slots: np.ndarray
    scores: np.ndarray
    taps: np.ndarray


@compiled
def _run(network, n_max, m_max):
    filters, phrases = network.biases.shape[1], n_max + network.width - 1
    seen = no_words(m_max)
    slots = len(seen.words) if network.attend_input else 0
    return Run(
        squares=np.empty(phrases + LANES, np.float32),
        phrases=np.empty((phrases, filters), np.float32),
        seen=seen,
        slots=np.empty(m_max, np.int32),
        scores=np.empty(slots * (n_max + LANES), np.float32),
        taps=np.empty((slots, network.width * filters), np.float32),
    )


@compiled_borrowing
def _attend_words(network, left_ids, right_ids, run, right, words):
    """The attention matrix of two sentences' words, and the right words' taps at `run.slots`.

    Computed of words new in the run, and looked up of the others. The matrix is transposed, so that
    of each right word all match scores stand side by side.
    """
    n, slots = len(left_ids), run.slots[: len(right_ids)]
    old = take_slots(run.seen, right_ids, slots)
    new = run.seen.words[old : run.seen.number[0]]
    shape = (len(run.seen.words), filled_up(n))
    scores = run.scores[: shape[0] * shape[1]].reshape(shape)
    scores_of_new = scores[old : old + len(new)]
    square_norms(network.vectors, new, right.squares)
    attend(
        *(network.match_score, network.vectors, new, right.squares),
        *(network.vectors, left_ids, run.squares, scores_of_new),
    )
    taps, maps = run.taps[old:], network.maps[0, 1]
    add_products(network.taps, new, scores_of_new[:, :n], maps, taps)
    for j in range(len(slots)):
        of_word, row = scores[slots[j]], words[j]
        for i in range(0, len(row), LANES):
            store(row, i, load(of_word, i))


@compiled_borrowing
def _score_pair(
    network, left_ids, right_ids, again, run, left, right, room, places, scores, logits
):
    """What the head reads of a pair, into `scores`.

    The similarity scores of the word vectors, then of every block, then the pooled attention of
    every block, that on its input first. What the head weighs of the vectors' comparisons is added
    to `logits`. again: whether the left sentence is that of the pair before, so that what depends
    on it alone is there.
    """
    n, m = len(left_ids), len(right_ids)
    width, kind, kinds = network.width, network.match_score, network.scores
    left_places = places[: n + width - 1 if n else 0]
    right_places = places[: m + width - 1 if m else 0]
    right_phrases = right.phrases[: len(right_places)]
    of_words, of_phrases = (m, filled_up(n)), (len(left_places), filled_up(len(right_places)))
    words = room[: of_words[0] * of_words[1]].reshape(of_words)
    phrases = room[: of_phrases[0] * of_phrases[1]].reshape(of_phrases)

    size = network.pooled_attention
    pooled = (len(network.biases) + 1) * len(kinds)

    if not again:
        forget(run.seen)
        if network.attend_input:
            square_norms(network.vectors, left_ids, run.squares)
    scores[: len(kinds)] = _ZERO
    if network.averages:
        left.weights[:] = _ONE
        right.weights[:] = _ONE
        if not again:
            weighted_mean(network.vectors, left_ids, left.weights, left.mean)
        weighted_mean(network.vectors, right_ids, right.weights, right.mean)
        compare(kinds, left.mean, right.mean, scores)
        add_comparison(network.mean_comparison, left.mean, right.mean, logits)

    left_units, left_rows, left_taps = network.vectors, left_ids, network.taps
    right_units, right_rows, right_taps = network.vectors, right_ids, network.taps
    for block in range(len(network.biases)):
        # Whether what the block makes of the left sentence depends on this alone.
        alone = not network.attend_input and (block == 0 or not network.attend_pooling)
        known = again and alone
        left_phrases = run.phrases if block == 0 else left.phrases
        left_phrases = left_phrases[: len(left_places)]
        if block > 0:
            left_units, left_rows, left_taps = left.units, places[:n], left.taps
            right_units, right_rows, right_taps = right.units, places[:m], right.taps
            if not known:
                convolve(network.kernels[block - 1], left.units[:n], places, left.taps)
            convolve(network.kernels[block - 1], right.units[:m], places, right.taps)
        if network.attend_input:
            matches = words[:, :n]
            if block == 0:
                _attend_words(network, left_ids, right_ids, run, right, words)
                right_rows, right_taps = run.slots[:m], run.taps
            else:
                square_norms(left_units, left_rows, left.squares)
                square_norms(right_units, right_rows, right.squares)
                attend(
                    *(kind, right_units, right_rows, right.squares),
                    *(left_units, left_rows, left.squares, words),
                )
                maps = network.maps[block, 1]
                add_products(right_taps, right_rows, matches, maps, right.taps)
            if size:
                pool_dynamically(matches.T, size, scores[pooled:])
                pooled += size * size
            add_products(left_taps, left_rows, matches.T, network.maps[block, 0], left.taps)
            left_rows, left_taps = places[:n], left.taps
        if not known:
            sum_taps(left_taps, left_rows, network.biases[block], width, left.parts, left_phrases)
        sum_taps(right_taps, right_rows, network.biases[block], width, right.parts, right_phrases)

        left.weights[:] = _ONE
        right.weights[:] = _ONE
        if network.attend_pooling:
            left_squares = run.squares if alone else left.squares
            if not known:
                square_norms(left_phrases, left_places, left_squares)
            square_norms(right_phrases, right_places, right.squares)
            attend(
                *(kind, left_phrases, left_places, left_squares),
                *(right_phrases, right_places, right.squares, phrases),
            )
            phrases[:, len(right_places) :] = _ZERO  # for the sums
            if size:
                pool_dynamically(phrases[:, : len(right_phrases)], size, scores[pooled:])
                pooled += size * size
            if network.weight_all_pooling:
                attention_sums(phrases, left.weights, right.weights)
        left_vector, right_vector = left.vectors[block], right.vectors[block]
        if not known or (network.attend_pooling and network.weight_all_pooling):
            weighted_mean(left_phrases, left_places, left.weights, left_vector)
        weighted_mean(right_phrases, right_places, right.weights, right_vector)
        compare(kinds, left_vector, right_vector, scores[(block + 1) * len(kinds) :])
        add_comparison(network.block_comparisons[block], left_vector, right_vector, logits)

        if block + 1 < len(network.biases):
            left.weights[:] = _ONE / np.float32(width)
            right.weights[:] = _ONE / np.float32(width)
            if network.attend_pooling:
                attention_sums(phrases, left.weights, right.weights)
            if not known or network.attend_pooling:
                pool_windows(left_phrases, left.weights, width, left.units[:n])
            pool_windows(right_phrases, right.weights, width, right.units[:m])


@compiled_borrowing
def _equal(one, other):
    same = len(one) == len(other)
    for i in range(len(one) if same else 0):
        same &= one[i] == other[i]
    return same


@compiled_borrowing
def _fetch(network, words, seen):
    """Have words' vectors and taps brought near, while something else is computed.

    Those seen lately are near.
    """
    for i in range(len(words)):
        if not probably_seen(seen, words[i]):
            _fetch_row(network.vectors, words[i])
            _fetch_row(network.taps, words[i])


@compiled_borrowing
def _fetch_row(table, row):
    size = table.shape[1] * table.itemsize
    start = table.ctypes.data + row * size
    for line in range(start, start + size, 64):
        prefetch(line)  # type: ignore[call-arg]


@compiled_entry(lanes, operations, seen_words)
def score_range(network, start, stop, left_ids, left_offsets, right_ids, right_offsets, features):
    """The logits of the pairs from `start` to `stop`: float32 `(stop - start, outputs)`.

    network: a `FoldedTower`; sentences as in `Ragged`; features float32 `(pairs, features)`.
    """
    n_max = m_max = 1
    for pair in range(start, stop):
        n_max = max(n_max, left_offsets[pair + 1] - left_offsets[pair])
        m_max = max(m_max, right_offsets[pair + 1] - right_offsets[pair])
    left, right, run = _space(network, n_max), _space(network, m_max), _run(network, n_max, m_max)
    margin = network.width
    room = np.empty((n_max + margin + LANES) * (m_max + margin + LANES), np.float32)
    places = np.arange(max(n_max, m_max) + margin).astype(np.int32)
    scores = np.empty(network.head.shape[1] - features.shape[1], np.float32)

    logits = np.empty((stop - start, len(network.head_bias)), np.float32)
    previous = left_ids[:0]
    for pair in range(start, stop):
        if pair + 1 < stop:
            following = right_ids[right_offsets[pair + 1] : right_offsets[pair + 2]]
            _fetch(network, following, run.seen)
        left_sentence = left_ids[left_offsets[pair] : left_offsets[pair + 1]]
        right_sentence = right_ids[right_offsets[pair] : right_offsets[pair + 1]]
        of_pair = logits[pair - start]
        of_pair[:] = network.head_bias
        again = pair > start and _equal(left_sentence, previous)
        previous = left_sentence
        _score_pair(
            *(network, left_sentence, right_sentence, again, run, left, right, room, places),
            *(scores, of_pair),
        )
        for output in range(len(of_pair)):
            weights, total = network.head[output], of_pair[output]
            for score in range(len(scores)):
                total += scores[score] * weights[score]
            for feature in range(features.shape[1]):
                total += features[pair, feature] * weights[len(scores) + feature]
            of_pair[output] = total
    return logits
