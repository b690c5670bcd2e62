"""Vectors in compiled functions against NumPy, lane by lane."""

import numpy as np
from numba import njit

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

TWO = np.float32(2)


@njit
def everything(x, y, out, totals):
    a, b = load(x, 0), load(y, 0)
    store(out[0], 0, a * b + TWO)
    store(out[1], 0, TWO - a / b)
    store(out[2], 0, root(a * a))
    store(out[3], 0, where_greater(a, b, splat(TWO), b))
    a += b
    a *= TWO
    store(out[4], 0, a)
    store_totals(totals, 1, a, b, a * b, splat(TWO))
    totals[0], totals[5] = first(b), total(a)
    return any_greater(a, b), any_greater(b, b)


def test_lanes_are_numpys():
    x, y = np.random.default_rng(3).normal(size=(2, LANES)).astype(np.float32)
    out, totals = np.zeros((5, LANES), np.float32), np.zeros(6, np.float32)
    assert everything(x, y, out, totals) == ((2 * (x + y) > y).any(), False)
    a = 2 * (x + y)
    expected = [x * y + 2, 2 - x / y, np.abs(x), np.where(x > y, 2, y), a]
    np.testing.assert_allclose(out, expected, rtol=1e-6)
    sums = [y[0], a.sum(), y.sum(), (a * y).sum(), 2 * LANES, a.sum()]
    np.testing.assert_allclose(totals, sums, rtol=1e-5)
