"""Two systems measured on the same units: is one better, or is it chance?

A unit is a question or a pair. Every measure here is a function of sums over units, so resampling
needs no unit twice: units with the same values are one kind, and of each kind a resample has a
multinomial, a random exchange a binomial number. That is exact, and as fast for a million units.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from abcnn.errors import InputError

Measure = Callable[[np.ndarray], np.ndarray]
"""The measure of some sums over units: `(rounds, values) -> (rounds,)`."""

_LARGEST = 1 << 22  # numbers drawn at a time

# Differences of equal sums in another order differ by rounding, and must count as equal.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two systems by one measure.

    `difference` is `second - first`; from `low` to `high` reaches its bootstrap interval at
    `level`. `p_value` is that of the randomisation test: how likely a difference at least as large,
    either way, would be if which system gave which result were chance. `units` are the questions
    or pairs, `differing` those on which the two are not the same.
    """

    measure: str
    first: float
    second: float
    difference: float
    low: float
    high: float
    level: float
    p_value: float
    unit: str
    units: int
    differing: int
    rounds: int
    seed: int

    def to_dict(self) -> dict[str, Any]:
        """The fields by name, ready for JSON."""
        return asdict(self)


def compare(
    name: str,
    first: np.ndarray,
    second: np.ndarray,
    measure: Measure,
    *,
    unit: str,
    rounds: int = 10_000,
    seed: int = 0,
    level: float = 0.95,
) -> Comparison:
    """Compare two systems by the values each unit adds to the sums of a measure.

    `first` and `second` are float64 `(units, values)`. The interval is the percentile interval of
    the paired bootstrap (Efron and Tibshirani 1993, chapter 13), the test is approximate
    randomisation (Noreen 1989): each of `rounds` exchanges the systems' results of every unit with
    probability 1/2. `p_value` is `(1 + as large) / (1 + rounds)`.

    `InputError`: fewer than one round, a level outside (0, 1).
    """
    if rounds < 1:
        raise InputError(f"`rounds` must be at least 1. Received: {rounds}")
    if not 0 < level < 1:
        raise InputError(f"`level` must be between 0 and 1. Received: {level}")
    generator = np.random.default_rng(seed)
    units = len(first)
    kinds, counts = np.unique(np.hstack([first, second]), axis=0, return_counts=True)
    one, two = np.hsplit(kinds, 2)

    of_one, of_two = (float(measure((counts @ values)[None])[0]) for values in (one, two))
    resampled, chance = [], []
    for size in _blocks(rounds, len(counts)):
        drawn = generator.multinomial(units, counts / units, size=size)
        resampled.append(measure(drawn @ two) - measure(drawn @ one))
        exchanged = generator.binomial(counts, 0.5, size=(size, len(counts)))
        kept = counts - exchanged
        chance.append(measure(kept @ two + exchanged @ one) - measure(kept @ one + exchanged @ two))
    tail = (1 - level) / 2
    low, high = np.quantile(np.concatenate(resampled), [tail, 1 - tail])
    as_large = np.sum(np.abs(np.concatenate(chance)) >= abs(of_two - of_one) - _ROUNDING)
    return Comparison(
        measure=name,
        first=of_one,
        second=of_two,
        difference=of_two - of_one,
        low=float(low),
        high=float(high),
        level=level,
        p_value=float((1 + as_large) / (1 + rounds)),
        unit=unit,
        units=units,
        differing=int(counts[(one != two).any(axis=1)].sum()),
        rounds=rounds,
        seed=seed,
    )


def _blocks(rounds: int, kinds: int) -> Iterator[int]:
    """The rounds in blocks that fit in memory."""
    size = max(1, _LARGEST // kinds)
    for start in range(0, rounds, size):
        yield min(size, rounds - start)


def with_ones(values: np.ndarray) -> np.ndarray:
    """What units add to a mean: their value `(units,)` and a one -> `(units, 2)`."""
    return np.stack([values, np.ones(len(values))], axis=1)


def mean_of_sums(sums: np.ndarray) -> np.ndarray:
    """The mean of values that came `with_ones`: MAP, MRR, accuracy."""
    return sums[:, 0] / sums[:, 1]


def f1_of_sums(sums: np.ndarray) -> np.ndarray:
    """The mean F1 of some labels: each adds true positives, then what is true plus predicted."""
    right, sizes = np.hsplit(sums, 2)
    occurs = sizes > 0
    f1 = 2 * right / np.maximum(sizes, 1)
    return f1.sum(axis=1) / np.maximum(occurs.sum(axis=1), 1)
