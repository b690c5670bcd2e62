"""The arithmetic of a network over ragged pairs, as compiled loops.

All compiled functions stand in this one file: Numba keeps machine code by the file of the outermost
function, and would not see a change elsewhere. Vectors are filled up with zeros to a multiple of
`LANES`, so that no loop has a remainder. The result of a pair depends on it alone, to the last bit.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from abcnn.compiled import compiled, compiled_entry, prefetch

LANES = 16
"""Floats in the widest vector register."""

EUCLIDEAN, COSINE, DOT = 0, 1, 2

# As in `abcnn.layers.match_scores`: vectors that differ by rounding alone count as equal.
_SAME = np.float32(1e-12)
# Of units whose `|x - y|^2` is a smaller share of `|x|^2 + |y|^2` it is taken from the differences.
# As a difference of float32 products it would be too inexact: a score errs by up to the products'
# relative error, about 1e-7, over 8 times this share.
_NEAR = np.float32(0.03)
_ZERO, _ONE, _TWO = np.float32(0), np.float32(1), np.float32(2)


@compiled
def tanh(x):
    """A rational approximation, within 3e-7 of the exact value (that of Eigen and XLA)."""
    x = max(min(x, np.float32(7.90531110763549805)), np.float32(-7.90531110763549805))
    y = x * x
    p = np.float32(-2.76076847742355e-16)
    p = p * y + np.float32(2.00018790482477e-13)
    p = p * y + np.float32(-8.60467152213735e-11)
    p = p * y + np.float32(5.12229709037114e-08)
    p = p * y + np.float32(1.48572235717979e-05)
    p = p * y + np.float32(6.37261928875436e-04)
    p = p * y + np.float32(4.89352455891786e-03)
    q = np.float32(1.19825839466702e-06)
    q = q * y + np.float32(1.18534705686654e-04)
    q = q * y + np.float32(2.26843463243900e-03)
    q = q * y + np.float32(4.89352518554385e-03)
    return x * p / q


@compiled
def _products(left, rows, right, columns, out):
    """Dot products of units: `out[i, j] = left[rows[i]] . right[columns[j]]`.

    Four by four at a time, so that each vector is loaded seldom; past the end the last one again.
    """
    n, m = len(rows), len(columns)
    for i in range(0, n, 4):
        i1, i2, i3 = min(i + 1, n - 1), min(i + 2, n - 1), min(i + 3, n - 1)
        x0, x1, x2, x3 = left[rows[i]], left[rows[i1]], left[rows[i2]], left[rows[i3]]
        for j in range(0, m, 4):
            j1, j2, j3 = min(j + 1, m - 1), min(j + 2, m - 1), min(j + 3, m - 1)
            y0, y1 = right[columns[j]], right[columns[j1]]
            y2, y3 = right[columns[j2]], right[columns[j3]]
            s00 = s01 = s02 = s03 = _ZERO
            s10 = s11 = s12 = s13 = _ZERO
            s20 = s21 = s22 = s23 = _ZERO
            s30 = s31 = s32 = s33 = _ZERO
            for d in range(left.shape[1]):
                s00 += x0[d] * y0[d]
                s01 += x0[d] * y1[d]
                s02 += x0[d] * y2[d]
                s03 += x0[d] * y3[d]
                s10 += x1[d] * y0[d]
                s11 += x1[d] * y1[d]
                s12 += x1[d] * y2[d]
                s13 += x1[d] * y3[d]
                s20 += x2[d] * y0[d]
                s21 += x2[d] * y1[d]
                s22 += x2[d] * y2[d]
                s23 += x2[d] * y3[d]
                s30 += x3[d] * y0[d]
                s31 += x3[d] * y1[d]
                s32 += x3[d] * y2[d]
                s33 += x3[d] * y3[d]
            out[i, j], out[i, j1], out[i, j2], out[i, j3] = s00, s01, s02, s03
            out[i1, j], out[i1, j1], out[i1, j2], out[i1, j3] = s10, s11, s12, s13
            out[i2, j], out[i2, j1], out[i2, j2], out[i2, j3] = s20, s21, s22, s23
            out[i3, j], out[i3, j1], out[i3, j2], out[i3, j3] = s30, s31, s32, s33


@compiled
def _squared_distance(left, right):
    total = _ZERO
    for d in range(len(left)):
        difference = left[d] - right[d]
        total += difference * difference
    return total


@compiled
def _euclidean(squared_distance, squares):
    """The Euclidean match score, from `|x - y|^2` and `|x|^2 + |y|^2`."""
    apart = squared_distance > _SAME * squares
    return _ONE / (_ONE + math.sqrt(squared_distance if apart else _ZERO))


@compiled
def _match(kind, product, left_square, right_square):
    """The cosine or dot match score, from the product of two vectors and their squares `|x|^2`."""
    if kind == COSINE:
        norms = math.sqrt(left_square) * math.sqrt(right_square)
        return product / norms if norms > _ZERO else _ZERO
    return product


@compiled
def _add_products(attention, weights, out):
    """`out[i] += sum_j attention[i, j] weights[j]`; `out` has a row more than there are units."""
    n, m = attention.shape
    for i in range(0, n, 2):
        a, b = out[i], out[i + 1]
        second = i + 1 < n
        for j in range(0, m, 4):
            j1, j2, j3 = min(j + 1, m - 1), min(j + 2, m - 1), min(j + 3, m - 1)
            w0, w1, w2, w3 = weights[j], weights[j1], weights[j2], weights[j3]
            a0 = attention[i, j]
            a1 = attention[i, j1] if j1 > j else _ZERO
            a2 = attention[i, j2] if j2 > j1 else _ZERO
            a3 = attention[i, j3] if j3 > j2 else _ZERO
            b0 = attention[i + 1, j] if second else _ZERO
            b1 = attention[i + 1, j1] if second and j1 > j else _ZERO
            b2 = attention[i + 1, j2] if second and j2 > j1 else _ZERO
            b3 = attention[i + 1, j3] if second and j3 > j2 else _ZERO
            for k in range(weights.shape[1]):
                a[k] += a0 * w0[k] + a1 * w1[k] + a2 * w2[k] + a3 * w3[k]
                b[k] += b0 * w0[k] + b1 * w1[k] + b2 * w2[k] + b3 * w3[k]


@compiled
def _phrases(taps, rows, bias, width, out):
    """`out[p] = tanh(bias + sum_k taps[rows[p - width + 1 + k], k])` of every window.

    taps `(any, width * filters)`: what a unit adds to a phrase at each place in its window.
    """
    filters = len(bias)
    for p in range(len(out)):
        phrase = out[p]
        for f in range(filters):
            phrase[f] = bias[f]
        first = p - width + 1
        for k in range(max(0, -first), min(width, len(rows) - first)):
            tap = taps[rows[first + k], k * filters : (k + 1) * filters]
            for f in range(filters):
                phrase[f] += tap[f]
        for f in range(filters):
            phrase[f] = tanh(phrase[f])


@compiled
def _squares(units, rows, out):
    """`|x|^2` of every unit `units[rows]`."""
    for i in range(len(rows)):
        unit, total = units[rows[i]], _ZERO
        for d in range(len(unit)):
            total += unit[d] * unit[d]
        out[i] = total


@compiled
def _average(units, rows, weights, out):
    """The mean of `units[rows]` weighted by `weights`; 0 where these sum to 0."""
    for d in range(len(out)):
        out[d] = _ZERO
    total = _ZERO
    for i in range(len(rows)):
        unit, weight = units[rows[i]], weights[i]
        total += weight
        for d in range(len(out)):
            out[d] += weight * unit[d]
    share = _ONE / total if total != _ZERO else _ZERO
    for d in range(len(out)):
        out[d] *= share


@compiled
def _windows(phrases, weights, width, out):
    """`out[i]`, the sum of `weights[k] phrases[k]` for `k` from `i` to `i + width - 1`."""
    for i in range(len(out)):
        unit = out[i]
        for f in range(len(unit)):
            unit[f] = _ZERO
        for k in range(i, i + width):
            phrase, weight = phrases[k], weights[k]
            for f in range(len(unit)):
                unit[f] += weight * phrase[f]


@compiled
def _compare(kinds, left, right, out):
    """The similarity scores of two sentence vectors."""
    product = left_square = right_square = _ZERO
    for d in range(len(left)):
        product += left[d] * right[d]
        left_square += left[d] * left[d]
        right_square += right[d] * right[d]
    squared_distance = _squared_distance(left, right)
    for score in range(len(kinds)):
        if kinds[score] == EUCLIDEAN:
            out[score] = _euclidean(squared_distance, left_square + right_square)
        else:
            out[score] = _match(kinds[score], product, left_square, right_square)


@compiled
def _add_comparison(weights, left, right, out):
    """Add to each logit its weights of `|x - y|`, `weights[0]`, and of `x * y`, `weights[1]`."""
    for output in range(len(out)):
        of_difference, of_product, total = weights[0, output], weights[1, output], _ZERO
        for d in range(weights.shape[2]):
            total += of_difference[d] * abs(left[d] - right[d])
            total += of_product[d] * (left[d] * right[d])
        out[output] += total


class Space(NamedTuple):
    """Room for what is computed of one sentence; of the rows only as many are used as it needs."""

    mean: np.ndarray
    squares: np.ndarray
    taps: np.ndarray
    phrases: np.ndarray
    weights: np.ndarray
    units: np.ndarray
    vector: np.ndarray


@compiled
def _space(length, dim, width, filters):
    phrases = length + width - 1
    return Space(
        mean=np.empty(dim, np.float32),
        squares=np.empty(phrases, np.float32),
        taps=np.empty((length + 1, width * filters), np.float32),
        phrases=np.empty((phrases, filters), np.float32),
        weights=np.empty(phrases, np.float32),
        units=np.empty((length, filters), np.float32),
        vector=np.empty(filters, np.float32),
    )


@compiled
def _attend(kind, left_units, left_rows, left, right_units, right_rows, right, out):
    """The attention matrix of two sentences of units `units[rows]`."""
    _squares(left_units, left_rows, left.squares)
    _squares(right_units, right_rows, right.squares)
    _products(left_units, left_rows, right_units, right_rows, out)
    for i in range(len(left_rows)):
        match, square = out[i], left.squares[i]
        if kind != EUCLIDEAN:
            for j in range(len(right_rows)):
                match[j] = _match(kind, match[j], square, right.squares[j])
            continue
        near = False
        for j in range(len(right_rows)):
            squares = square + right.squares[j]
            match[j] = squares - _TWO * match[j]
            near |= match[j] < _NEAR * squares
        if near:
            unit = left_units[left_rows[i]]
            for j in range(len(right_rows)):
                if match[j] < _NEAR * (square + right.squares[j]):
                    match[j] = _squared_distance(unit, right_units[right_rows[j]])
        for j in range(len(right_rows)):
            match[j] = _euclidean(match[j], square + right.squares[j])


@compiled
def _sums(attention, left_weights, right_weights):
    """The sums of the attention matrix's rows and columns."""
    n, m = attention.shape
    right_weights[:m] = _ZERO
    for i in range(n):
        match, total = attention[i], _ZERO
        for j in range(m):
            total += match[j]
            right_weights[j] += match[j]
        left_weights[i] = total
    if m == 0:
        left_weights[:n] = _ZERO


@compiled
def _pool(attention, size, out):
    """The attention matrix pooled to `size` by `size` entries of `out`.

    As `abcnn.layers.dynamic_pooling`, whose windows these are.
    """
    n, m = attention.shape
    out[: size * size] = _ZERO
    if n == 0 or m == 0:
        return
    for i in range(size):
        first, last = _window(n, size, i)
        for j in range(size):
            left, right = _window(m, size, j)
            largest = attention[first, left]
            for row in range(first, last + 1):
                for column in range(left, right + 1):
                    largest = max(largest, attention[row, column])
            out[i * size + j] = largest


@compiled
def _window(length, size, window):
    """The first and the last unit of a window of a sentence."""
    times = (length + size - 1) // length
    each = length * times // size
    even = size - (length * times - each * size)
    start = window * each + max(window - even, 0)
    stop = (window + 1) * each + max(window + 1 - even, 0)
    return start // times, (stop - 1) // times


@compiled
def _take(table, rows, out):
    for i in range(len(rows)):
        row, copy = table[rows[i]], out[i]
        for k in range(len(row)):
            copy[k] = row[k]


@compiled
def _score_pair(network, left_ids, right_ids, left, right, match, turned, places, scores, logits):
    """What the head reads of a pair, into `scores`.

    The similarity scores of the word vectors, then of every block, then the pooled attention of
    every block, that on its input first. What the head weighs of the vectors' comparisons is added
    to `logits`.
    """
    n, m = len(left_ids), len(right_ids)
    width, kind, kinds = network.width, network.match_score, network.scores
    left_phrases = left.phrases[: n + width - 1 if n else 0]
    right_phrases = right.phrases[: m + width - 1 if m else 0]
    left_places, right_places = places[: len(left_phrases)], places[: len(right_phrases)]
    words = match[: n * m].reshape((n, m))
    turned_words = turned[: n * m].reshape((m, n))
    phrases = match[: len(left_phrases) * len(right_phrases)].reshape(
        (len(left_phrases), len(right_phrases))
    )

    size = network.pooled_attention
    pooled = (len(network.biases) + 1) * len(kinds)

    left.weights[:] = _ONE
    right.weights[:] = _ONE
    scores[: len(kinds)] = _ZERO
    if network.averages:
        _average(network.vectors, left_ids, left.weights, left.mean)
        _average(network.vectors, right_ids, right.weights, right.mean)
        _compare(kinds, left.mean, right.mean, scores)
        _add_comparison(network.mean_comparison, left.mean, right.mean, logits)

    left_units, left_rows, left_taps = network.vectors, left_ids, network.taps
    right_units, right_rows, right_taps = network.vectors, right_ids, network.taps
    for block in range(len(network.biases)):
        if block > 0:
            left_units, left_rows, left_taps = left.units, places[:n], left.taps
            right_units, right_rows, right_taps = right.units, places[:m], right.taps
            left.taps[:] = _ZERO
            right.taps[:] = _ZERO
            _add_products(left.units[:n], network.kernels[block - 1], left.taps)
            _add_products(right.units[:m], network.kernels[block - 1], right.taps)
        if network.attend_input:
            _attend(kind, left_units, left_rows, left, right_units, right_rows, right, words)
            if size:
                _pool(words, size, scores[pooled:])
                pooled += size * size
            for i in range(n):
                for j in range(m):
                    turned_words[j, i] = words[i, j]
            if block == 0:
                _take(network.taps, left_ids, left.taps)
                _take(network.taps, right_ids, right.taps)
                left_rows, left_taps = places[:n], left.taps
                right_rows, right_taps = places[:m], right.taps
            _add_products(words, network.maps[block, 0], left.taps)
            _add_products(turned_words, network.maps[block, 1], right.taps)
        _phrases(left_taps, left_rows, network.biases[block], width, left_phrases)
        _phrases(right_taps, right_rows, network.biases[block], width, right_phrases)

        left.weights[:] = _ONE
        right.weights[:] = _ONE
        if network.attend_pooling:
            _attend(
                kind, left_phrases, left_places, left, right_phrases, right_places, right, phrases
            )
            if size:
                _pool(phrases, size, scores[pooled:])
                pooled += size * size
            if network.weight_all_pooling:
                _sums(phrases, left.weights, right.weights)
        _average(left_phrases, left_places, left.weights, left.vector)
        _average(right_phrases, right_places, right.weights, right.vector)
        _compare(kinds, left.vector, right.vector, scores[(block + 1) * len(kinds) :])
        _add_comparison(network.block_comparisons[block], left.vector, right.vector, logits)

        if block + 1 < len(network.biases):
            left.weights[:] = _ONE / np.float32(width)
            right.weights[:] = _ONE / np.float32(width)
            if network.attend_pooling:
                _sums(phrases, left.weights, right.weights)
            _windows(left_phrases, left.weights, width, left.units[:n])
            _windows(right_phrases, right.weights, width, right.units[:m])


@compiled
def _fetch(table, rows):
    """Have rows of a table brought near, while something else is computed."""
    size = table.shape[1] * table.itemsize
    for i in range(len(rows)):
        first = table.ctypes.data + rows[i] * size
        for line in range(first, first + size, 64):
            prefetch(line)  # type: ignore[call-arg]


@compiled_entry
def score_range(network, start, stop, left_ids, left_offsets, right_ids, right_offsets, features):
    """The logits of the pairs from `start` to `stop`: float32 `(stop - start, outputs)`.

    network: a `FoldedTower`; sentences as in `Ragged`; features float32 `(pairs, features)`.
    """
    dim, filters, width = network.vectors.shape[1], network.biases.shape[1], network.width
    n_max = m_max = 1
    for pair in range(start, stop):
        n_max = max(n_max, left_offsets[pair + 1] - left_offsets[pair])
        m_max = max(m_max, right_offsets[pair + 1] - right_offsets[pair])
    left, right = _space(n_max, dim, width, filters), _space(m_max, dim, width, filters)
    match = np.empty((n_max + width) * (m_max + width), np.float32)
    turned = np.empty_like(match)
    places = np.arange(max(n_max, m_max) + width).astype(np.int32)
    scores = np.empty(network.head.shape[1] - features.shape[1], np.float32)

    logits = np.empty((stop - start, len(network.head_bias)), np.float32)
    for pair in range(start, stop):
        if pair + 1 < stop:
            following = right_ids[right_offsets[pair + 1] : right_offsets[pair + 2]]
            _fetch(network.vectors, following)
            _fetch(network.taps, following)
        left_sentence = left_ids[left_offsets[pair] : left_offsets[pair + 1]]
        right_sentence = right_ids[right_offsets[pair] : right_offsets[pair + 1]]
        of_pair = logits[pair - start]
        of_pair[:] = network.head_bias
        _score_pair(
            *(network, left_sentence, right_sentence, left, right, match, turned, places, scores),
            of_pair,
        )
        for output in range(len(of_pair)):
            weights, total = network.head[output], of_pair[output]
            for score in range(len(scores)):
                total += scores[score] * weights[score]
            for feature in range(features.shape[1]):
                total += features[pair, feature] * weights[len(scores) + feature]
            of_pair[output] = total
    return logits
