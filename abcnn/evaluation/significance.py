"""How sure a measure is, given the questions or pairs that happen to be in a file."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from abcnn.errors import InputError

_BLOCK = 128  # resamples at once: their weights are a matrix of this many rows


def bootstrap_interval(
    values: np.ndarray,
    *,
    statistic: Callable[[np.ndarray], np.ndarray] | None = None,
    seed: int = 0,
    resamples: int = 2000,
    confidence: float = 0.95,
) -> tuple[float, float]:
    """The percentile bootstrap interval of a measure over units drawn with replacement.

    values: one row a unit (a question or a pair), `(units,)` or `(units, columns)`. Without a
    `statistic` the measure is the mean of `(units,)`, such as the average precision of every
    question. With one it is a function of the columns' means, `(resamples, columns)` ->
    `(resamples,)`: the F1 of counts of right and wrong decisions, for instance. The same seed gives
    the same interval.

    `InputError`: no units.

    Source: Efron and Tibshirani 1993, chapter 13.
    """
    rows = np.asarray(values, dtype=np.float64)
    if not len(rows):
        raise InputError("`values` must have one row a unit. Received: none")
    columns = rows.reshape(len(rows), -1)
    generator = np.random.default_rng(seed)
    even = np.full(len(rows), 1 / len(rows))
    means = [
        generator.multinomial(len(rows), even, size=min(_BLOCK, resamples - start)) @ columns
        for start in range(0, resamples, _BLOCK)
    ]
    drawn = np.concatenate(means) / len(rows)
    measures = drawn[:, 0] if statistic is None else statistic(drawn)
    tail = (1 - confidence) / 2
    low, high = np.quantile(measures, [tail, 1 - tail])
    return float(low), float(high)
