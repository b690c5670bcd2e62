"""What a network's layers make of the units of one pair, as compiled loops.

Each writes into arrays that its caller has made. Vectors are filled up with zeros to a multiple of
`LANES`, and the rows of attention matrices, so that no loop has a remainder. Each entry of a result
is summed up in one order, whichever others are computed beside it.
"""

from __future__ import annotations

import numpy as np

from abcnn.compiled import compiled_borrowing
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
def dot_products(left, rows, right, columns, out):
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
def attend(kind, left, left_rows, left_squares, right, right_rows, right_squares, out):
    """The attention matrix of two sentences of units `left[left_rows]` and `right[right_rows]`.

    The rows of `out` are `filled_up`, with anything.
    """
    m, filled = len(right_rows), out.shape[1]
    dot_products(left, left_rows, right, right_rows, out)
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
def filled_up(length):
    """The length of an attention matrix's row, filled up to whole vectors."""
    return (length + LANES - 1) // LANES * LANES


@compiled_borrowing
def square_norms(units, rows, out):
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
def attention_sums(attention, left_weights, right_weights):
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
def add_products(units, rows, attention, weights, out):
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
def convolve(kernel, units, places, taps):
    """What units add to phrases at each place in a window, into `taps`."""
    taps[: len(units)] = _ZERO
    add_products(taps, places[: len(units)], units, kernel, taps)


@compiled_borrowing
def sum_taps(taps, rows, bias, width, parts, out):
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
def weighted_mean(units, rows, weights, out):
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
def pool_windows(phrases, weights, width, out):
    """`out[i]`, the sum of `weights[k] phrases[k]` for `k` from `i` to `i + width - 1`."""
    for i in range(len(out)):
        for f in range(0, out.shape[1], LANES):
            unit = splat(_ZERO)
            for k in range(i, i + width):
                unit += weights[k] * load(phrases[k], f)
            store(out[i], f, unit)


@compiled_borrowing
def pool_dynamically(attention, size, out):
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


@compiled_borrowing
def compare(kinds, left, right, out):
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
def add_comparison(weights, left, right, out):
    """Add to each logit its weights of `|x - y|`, `weights[0]`, and of `x * y`, `weights[1]`."""
    for output in range(len(out)):
        of_difference, of_product, added = weights[0, output], weights[1, output], splat(_ZERO)
        for d in range(0, weights.shape[2], LANES):
            x, y = load(left, d), load(right, d)
            added += load(of_difference, d) * where_greater(x, y, x - y, y - x)
            added += load(of_product, d) * (x * y)
        out[output] += total(added)
