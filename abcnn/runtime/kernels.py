"""The arithmetic of a network over ragged pairs, as compiled loops.

All functions to be compiled stand in this one file, but for what `lanes` and `seen_words` have:
machine code is kept for as long as these stay as they are (`compiled_entry`). Vectors are filled up
with zeros to a multiple of `LANES`, and the rows of attention matrices, so that no loop has a
remainder. The result of a pair depends on it alone, to the last bit, though pairs in a row whose
left sentence is the same share what depends on this and a word of the right one: each entry of an
attention matrix and each row of taps is summed up in one order, whichever others are beside it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from abcnn.compiled import compiled, compiled_borrowing, compiled_entry, prefetch
from abcnn.runtime import lanes, seen_words
from abcnn.runtime.lanes import (
    LANES,
    any_greater,
    first,
    load,
    root,
    splat,
    store,
    store_totals,
    total,
    where_greater,
)
from abcnn.runtime.seen_words import SeenWords, forget, no_words, probably_seen, take_slots

EUCLIDEAN, COSINE, DOT = 0, 1, 2

# As in `abcnn.layers.match_scores`: vectors that differ by rounding alone count as equal.
_SAME = np.float32(1e-12)
# Of units whose `|x - y|^2` is a smaller share of `|x|^2 + |y|^2` it is taken from the differences.
# As a difference of float32 products it would be too inexact: a score errs by up to the products'
# relative error, about 1e-7, over 8 times this share.
_NEAR = np.float32(0.03)
_ZERO, _ONE, _TWO = np.float32(0), np.float32(1), np.float32(2)


@compiled_borrowing
def tanh(x):
    """A rational approximation, within 3e-7 of the exact value (that of Eigen and XLA)."""
    most = splat(np.float32(7.90531110763549805))
    x = where_greater(most, x, x, most)
    x = where_greater(x, _ZERO - most, x, _ZERO - most)
    y = x * x
    p = splat(np.float32(-2.76076847742355e-16))
    p = p * y + np.float32(2.00018790482477e-13)
    p = p * y + np.float32(-8.60467152213735e-11)
    p = p * y + np.float32(5.12229709037114e-08)
    p = p * y + np.float32(1.48572235717979e-05)
    p = p * y + np.float32(6.37261928875436e-04)
    p = p * y + np.float32(4.89352455891786e-03)
    q = splat(np.float32(1.19825839466702e-06))
    q = q * y + np.float32(1.18534705686654e-04)
    q = q * y + np.float32(2.26843463243900e-03)
    q = q * y + np.float32(4.89352518554385e-03)
    return x * p / q


@compiled_borrowing
def _products(left, rows, right, columns, out):
    """Dot products of units: `out[i, j] = left[rows[i]] . right[columns[j]]`.

    Three by four at a time, as many as the registers of AVX2 hold; past the end the last one again,
    so that of a row of `out` up to three entries more are written.
    """
    n, m = len(rows), len(columns)
    for i in range(0, n, 3):
        i1, i2 = min(i + 1, n - 1), min(i + 2, n - 1)
        x0, x1, x2 = left[rows[i]], left[rows[i1]], left[rows[i2]]
        for j in range(0, m, 4):
            y0, y1 = right[columns[j]], right[columns[min(j + 1, m - 1)]]
            y2, y3 = right[columns[min(j + 2, m - 1)]], right[columns[min(j + 3, m - 1)]]
            s00 = s01 = s02 = s03 = splat(_ZERO)
            s10 = s11 = s12 = s13 = splat(_ZERO)
            s20 = s21 = s22 = s23 = splat(_ZERO)
            for d in range(0, left.shape[1], LANES):
                a0, a1, a2 = load(x0, d), load(x1, d), load(x2, d)
                b = load(y0, d)
                s00 += a0 * b
                s10 += a1 * b
                s20 += a2 * b
                b = load(y1, d)
                s01 += a0 * b
                s11 += a1 * b
                s21 += a2 * b
                b = load(y2, d)
                s02 += a0 * b
                s12 += a1 * b
                s22 += a2 * b
                b = load(y3, d)
                s03 += a0 * b
                s13 += a1 * b
                s23 += a2 * b
            store_totals(out[i], j, s00, s01, s02, s03)
            store_totals(out[i1], j, s10, s11, s12, s13)
            store_totals(out[i2], j, s20, s21, s22, s23)


@compiled_borrowing
def _squared_distance(left, right):
    summed = splat(_ZERO)
    for d in range(0, len(left), LANES):
        difference = load(left, d) - load(right, d)
        summed += difference * difference
    return total(summed)


@compiled_borrowing
def _euclidean(squared_distance, squares):
    """The Euclidean match score, from `|x - y|^2` and `|x|^2 + |y|^2`, in every lane."""
    apart = where_greater(squared_distance, _SAME * squares, squared_distance, _ZERO)
    return _ONE / (_ONE + root(apart))


@compiled_borrowing
def _match(kind, product, left_square, right_square):
    """The cosine or dot match score, from the product of two vectors and their squares `|x|^2`."""
    if kind == COSINE:
        norms = root(left_square) * root(right_square)
        return where_greater(norms, _ZERO, product / norms, _ZERO)
    return product


@compiled_borrowing
def _add_products(units, rows, attention, weights, out):
    """`out[i] = units[rows[i]] + sum_j attention[i, j] weights[j]`, which `units` may be too.

    Four rows by two vectors at a time; past the end the last ones again.
    """
    n, m = attention.shape
    last = weights.shape[1] - LANES
    for i in range(0, n, 4):
        i1, i2, i3 = min(i + 1, n - 1), min(i + 2, n - 1), min(i + 3, n - 1)
        x0, x1, x2, x3 = units[rows[i]], units[rows[i1]], units[rows[i2]], units[rows[i3]]
        for k in range(0, last + 1, 2 * LANES):
            k1 = min(k + LANES, last)
            s00, s01 = load(x0, k), load(x0, k1)
            s10, s11 = load(x1, k), load(x1, k1)
            s20, s21 = load(x2, k), load(x2, k1)
            s30, s31 = load(x3, k), load(x3, k1)
            for j in range(m):
                w0, w1 = load(weights[j], k), load(weights[j], k1)
                s00 += attention[i, j] * w0
                s01 += attention[i, j] * w1
                s10 += attention[i1, j] * w0
                s11 += attention[i1, j] * w1
                s20 += attention[i2, j] * w0
                s21 += attention[i2, j] * w1
                s30 += attention[i3, j] * w0
                s31 += attention[i3, j] * w1
            store(out[i], k, s00)
            store(out[i], k1, s01)
            store(out[i1], k, s10)
            store(out[i1], k1, s11)
            store(out[i2], k, s20)
            store(out[i2], k1, s21)
            store(out[i3], k, s30)
            store(out[i3], k1, s31)


@compiled_borrowing
def _phrases(taps, rows, bias, width, parts, out):
    """`out[p] = tanh(bias + sum_k taps[rows[p - width + 1 + k], k])` of every window.

    taps `(any, width * filters)`: what a unit adds to a phrase at each place in its window; parts:
    room for where they are, since to look for them takes longer than to add them.
    """
    filters, size, flat = len(bias), taps.shape[1], taps.reshape(-1)
    last = filters - LANES
    for p in range(len(out)):
        left_of = p - width + 1
        start, stop = max(0, -left_of), min(width, len(rows) - left_of)
        for k in range(start, stop):
            parts[k] = rows[left_of + k] * size + k * filters
        for f in range(0, last + 1, 2 * LANES):
            f1 = min(f + LANES, last)
            phrase, other = load(bias, f), load(bias, f1)
            for k in range(start, stop):
                phrase += load(flat, parts[k] + f)
                other += load(flat, parts[k] + f1)
            store(out[p], f, tanh(phrase))
            store(out[p], f1, tanh(other))


@compiled_borrowing
def _squares(units, rows, out):
    """`|x|^2` of every unit `units[rows]`, four at a time; up to three more are written."""
    n = len(rows)
    for i in range(0, n, 4):
        x0, x1 = units[rows[i]], units[rows[min(i + 1, n - 1)]]
        x2, x3 = units[rows[min(i + 2, n - 1)]], units[rows[min(i + 3, n - 1)]]
        s0 = s1 = s2 = s3 = splat(_ZERO)
        for d in range(0, units.shape[1], LANES):
            s0 += load(x0, d) * load(x0, d)
            s1 += load(x1, d) * load(x1, d)
            s2 += load(x2, d) * load(x2, d)
            s3 += load(x3, d) * load(x3, d)
        store_totals(out, i, s0, s1, s2, s3)


@compiled_borrowing
def _average(units, rows, weights, out):
    """The mean of `units[rows]` weighted by `weights`; 0 where these sum to 0."""
    summed = _ZERO
    for i in range(len(rows)):
        summed += weights[i]
    share = _ONE / summed if summed != _ZERO else _ZERO
    last = len(out) - LANES
    for d in range(0, last + 1, 4 * LANES):
        d1, d2, d3 = min(d + LANES, last), min(d + 2 * LANES, last), min(d + 3 * LANES, last)
        s0 = s1 = s2 = s3 = splat(_ZERO)
        for i in range(len(rows)):
            unit, weight = units[rows[i]], weights[i]
            s0 += weight * load(unit, d)
            s1 += weight * load(unit, d1)
            s2 += weight * load(unit, d2)
            s3 += weight * load(unit, d3)
        store(out, d, share * s0)
        store(out, d1, share * s1)
        store(out, d2, share * s2)
        store(out, d3, share * s3)


@compiled_borrowing
def _windows(phrases, weights, width, out):
    """`out[i]`, the sum of `weights[k] phrases[k]` for `k` from `i` to `i + width - 1`."""
    for i in range(len(out)):
        for f in range(0, out.shape[1], LANES):
            unit = splat(_ZERO)
            for k in range(i, i + width):
                unit += weights[k] * load(phrases[k], f)
            store(out[i], f, unit)


@compiled_borrowing
def _compare(kinds, left, right, out):
    """The similarity scores of two sentence vectors."""
    product = left_square = right_square = splat(_ZERO)
    for d in range(0, len(left), LANES):
        x, y = load(left, d), load(right, d)
        product += x * y
        left_square += x * x
        right_square += y * y
    product, left_square = splat(total(product)), splat(total(left_square))
    right_square = splat(total(right_square))
    for score in range(len(kinds)):
        if kinds[score] == EUCLIDEAN:
            squared_distance = splat(_squared_distance(left, right))
            found = _euclidean(squared_distance, left_square + right_square)
        else:
            found = _match(kinds[score], product, left_square, right_square)
        out[score] = first(found)


@compiled_borrowing
def _add_comparison(weights, left, right, out):
    """Add to each logit its weights of `|x - y|`, `weights[0]`, and of `x * y`, `weights[1]`."""
    for output in range(len(out)):
        of_difference, of_product, added = weights[0, output], weights[1, output], splat(_ZERO)
        for d in range(0, weights.shape[2], LANES):
            x, y = load(left, d), load(right, d)
            added += load(of_difference, d) * where_greater(x, y, x - y, y - x)
            added += load(of_product, d) * (x * y)
        out[output] += total(added)


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


@compiled_borrowing
def _attend(kind, left, left_rows, left_squares, right, right_rows, right_squares, out):
    """The attention matrix of two sentences of units `left[left_rows]` and `right[right_rows]`.

    The rows of `out` are `_filled_up`, with anything.
    """
    m, filled = len(right_rows), out.shape[1]
    _products(left, left_rows, right, right_rows, out)
    for i in range(len(left_rows)):
        match, square = out[i], splat(left_squares[i])
        if kind == EUCLIDEAN:
            near = False
            for j in range(0, filled, LANES):
                squares = square + load(right_squares, j)
                squared_distance = squares - _TWO * load(match, j)
                near |= any_greater(_NEAR * squares, squared_distance)
                store(match, j, squared_distance)
            if near:
                unit = left[left_rows[i]]
                for j in range(m):
                    if match[j] < _NEAR * (left_squares[i] + right_squares[j]):
                        match[j] = _squared_distance(unit, right[right_rows[j]])
            for j in range(0, filled, LANES):
                squares = square + load(right_squares, j)
                store(match, j, _euclidean(load(match, j), squares))
        else:
            for j in range(0, filled, LANES):
                store(match, j, _match(kind, load(match, j), square, load(right_squares, j)))


@compiled_borrowing
def _filled_up(length):
    """The length of an attention matrix's row, filled up to whole vectors."""
    return (length + LANES - 1) // LANES * LANES


@compiled_borrowing
def _sums(attention, left_weights, right_weights):
    """The sums of the attention matrix's rows and columns; up to a vector more is written."""
    n, filled = attention.shape
    for i in range(0, n, 4):
        x0, x1 = attention[i], attention[min(i + 1, n - 1)]
        x2, x3 = attention[min(i + 2, n - 1)], attention[min(i + 3, n - 1)]
        s0 = s1 = s2 = s3 = splat(_ZERO)
        for j in range(0, filled, LANES):
            s0 += load(x0, j)
            s1 += load(x1, j)
            s2 += load(x2, j)
            s3 += load(x3, j)
        store_totals(left_weights, i, s0, s1, s2, s3)
    for j in range(0, filled, LANES):
        summed = splat(_ZERO)
        for i in range(n):
            summed += load(attention[i], j)
        store(right_weights, j, summed)


@compiled_borrowing
def _pool(attention, size, out):
    """The attention matrix pooled to `size` by `size` entries of `out`.

    As `abcnn.layers.dynamic_pooling`, whose windows these are.
    """
    n, m = attention.shape
    out[: size * size] = _ZERO
    if n == 0 or m == 0:
        return
    for i in range(size):
        top, bottom = _window(n, size, i)
        for j in range(size):
            left, right = _window(m, size, j)
            largest = attention[top, left]
            for row in range(top, bottom + 1):
                for column in range(left, right + 1):
                    largest = max(largest, attention[row, column])
            out[i * size + j] = largest


@compiled_borrowing
def _window(length, size, window):
    """The first and the last unit of a window of a sentence."""
    times = (length + size - 1) // length
    each = length * times // size
    even = size - (length * times - each * size)
    start = window * each + max(window - even, 0)
    stop = (window + 1) * each + max(window + 1 - even, 0)
    return start // times, (stop - 1) // times


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
    shape = (len(run.seen.words), _filled_up(n))
    scores = run.scores[: shape[0] * shape[1]].reshape(shape)
    scores_of_new = scores[old : old + len(new)]
    _squares(network.vectors, new, right.squares)
    _attend(
        *(network.match_score, network.vectors, new, right.squares),
        *(network.vectors, left_ids, run.squares, scores_of_new),
    )
    taps, maps = run.taps[old:], network.maps[0, 1]
    _add_products(network.taps, new, scores_of_new[:, :n], maps, taps)
    for j in range(len(slots)):
        of_word, row = scores[slots[j]], words[j]
        for i in range(0, len(row), LANES):
            store(row, i, load(of_word, i))


@compiled_borrowing
def _convolve(kernel, units, places, taps):
    """What units add to phrases at each place in a window, into `taps`."""
    taps[: len(units)] = _ZERO
    _add_products(taps, places[: len(units)], units, kernel, taps)


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
    of_words, of_phrases = (m, _filled_up(n)), (len(left_places), _filled_up(len(right_places)))
    words = room[: of_words[0] * of_words[1]].reshape(of_words)
    phrases = room[: of_phrases[0] * of_phrases[1]].reshape(of_phrases)

    size = network.pooled_attention
    pooled = (len(network.biases) + 1) * len(kinds)

    if not again:
        forget(run.seen)
        if network.attend_input:
            _squares(network.vectors, left_ids, run.squares)
    scores[: len(kinds)] = _ZERO
    if network.averages:
        left.weights[:] = _ONE
        right.weights[:] = _ONE
        if not again:
            _average(network.vectors, left_ids, left.weights, left.mean)
        _average(network.vectors, right_ids, right.weights, right.mean)
        _compare(kinds, left.mean, right.mean, scores)
        _add_comparison(network.mean_comparison, left.mean, right.mean, logits)

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
                _convolve(network.kernels[block - 1], left.units[:n], places, left.taps)
            _convolve(network.kernels[block - 1], right.units[:m], places, right.taps)
        if network.attend_input:
            matches = words[:, :n]
            if block == 0:
                _attend_words(network, left_ids, right_ids, run, right, words)
                right_rows, right_taps = run.slots[:m], run.taps
            else:
                _squares(left_units, left_rows, left.squares)
                _squares(right_units, right_rows, right.squares)
                _attend(
                    *(kind, right_units, right_rows, right.squares),
                    *(left_units, left_rows, left.squares, words),
                )
                maps = network.maps[block, 1]
                _add_products(right_taps, right_rows, matches, maps, right.taps)
            if size:
                _pool(matches.T, size, scores[pooled:])
                pooled += size * size
            _add_products(left_taps, left_rows, matches.T, network.maps[block, 0], left.taps)
            left_rows, left_taps = places[:n], left.taps
        if not known:
            _phrases(left_taps, left_rows, network.biases[block], width, left.parts, left_phrases)
        _phrases(right_taps, right_rows, network.biases[block], width, right.parts, right_phrases)

        left.weights[:] = _ONE
        right.weights[:] = _ONE
        if network.attend_pooling:
            left_squares = run.squares if alone else left.squares
            if not known:
                _squares(left_phrases, left_places, left_squares)
            _squares(right_phrases, right_places, right.squares)
            _attend(
                *(kind, left_phrases, left_places, left_squares),
                *(right_phrases, right_places, right.squares, phrases),
            )
            phrases[:, len(right_places) :] = _ZERO  # for the sums
            if size:
                _pool(phrases[:, : len(right_phrases)], size, scores[pooled:])
                pooled += size * size
            if network.weight_all_pooling:
                _sums(phrases, left.weights, right.weights)
        left_vector, right_vector = left.vectors[block], right.vectors[block]
        if not known or (network.attend_pooling and network.weight_all_pooling):
            _average(left_phrases, left_places, left.weights, left_vector)
        _average(right_phrases, right_places, right.weights, right_vector)
        _compare(kinds, left_vector, right_vector, scores[(block + 1) * len(kinds) :])
        _add_comparison(network.block_comparisons[block], left_vector, right_vector, logits)

        if block + 1 < len(network.biases):
            left.weights[:] = _ONE / np.float32(width)
            right.weights[:] = _ONE / np.float32(width)
            if network.attend_pooling:
                _sums(phrases, left.weights, right.weights)
            if not known or network.attend_pooling:
                _windows(left_phrases, left.weights, width, left.units[:n])
            _windows(right_phrases, right.weights, width, right.units[:m])


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


@compiled_entry(lanes, seen_words)
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
