"""Paired tests against all resamples of a few units, and against each other."""

from __future__ import annotations

import itertools
from math import erfc, sqrt

import numpy as np
import pytest

from abcnn.errors import InputError
from abcnn.evaluation import paired
from abcnn.evaluation.paired import compare, f1_of_sums, mean_of_sums, with_ones

FIRST = np.array([0.0, 0.5, 1.0, 0.25, 0.5])
SECOND = np.array([1.0, 0.5, 0.5, 1.0, 1.0])


def means(first, second, **options):
    return compare(
        "MAP", with_ones(first), with_ones(second), mean_of_sums, unit="question", **options
    )


def test_values_and_counts():
    found = means(FIRST, SECOND, rounds=10)
    assert (found.first, found.second) == pytest.approx((0.45, 0.8))
    assert found.difference == pytest.approx(0.35)
    assert (found.units, found.differing) == (5, 4)


def test_the_p_value_is_the_share_of_exchanges_with_as_large_a_difference():
    differences = SECOND - FIRST
    exact = np.mean(
        [
            abs(np.mean(signs * differences)) >= abs(differences.mean()) - 1e-12
            for signs in itertools.product((-1, 1), repeat=5)
        ]
    )
    assert means(FIRST, SECOND, rounds=20_000).p_value == pytest.approx(exact, abs=0.02)


def test_the_interval_holds_the_middle_of_all_resamples():
    differences = SECOND - FIRST
    every = [np.mean(chosen) for chosen in itertools.product(differences, repeat=5)]
    for level in (0.95, 0.5):
        found = means(FIRST, SECOND, rounds=20_000, level=level)
        expected = np.quantile(every, [(1 - level) / 2, (1 + level) / 2])
        assert (found.low, found.high) == pytest.approx(expected, abs=0.06)


def test_systems_that_are_the_same_do_not_differ():
    found = means(FIRST, FIRST, rounds=100)
    assert (found.difference, found.low, found.high, found.p_value) == (0, 0, 0, 1)
    assert found.differing == 0


def test_the_other_way_round_is_the_same_with_the_other_sign():
    one, other = means(FIRST, SECOND, rounds=4000), means(SECOND, FIRST, rounds=4000)
    assert other.difference == -one.difference
    assert other.p_value == pytest.approx(one.p_value, abs=0.03)
    assert (other.low, other.high) == pytest.approx((-one.high, -one.low), abs=0.1)


def test_a_seed_gives_the_same_and_another_another():
    assert means(FIRST, SECOND, seed=3) == means(FIRST, SECOND, seed=3)
    assert means(FIRST, SECOND, seed=3).p_value != means(FIRST, SECOND, seed=4).p_value


def test_memory_is_bounded_and_what_is_drawn_is_not_less_for_it(monkeypatch):
    whole = means(FIRST, SECOND, rounds=3001)
    monkeypatch.setattr(paired, "_LARGEST", 2000)
    parts = means(FIRST, SECOND, rounds=3001)
    assert parts.p_value == pytest.approx(whole.p_value, abs=0.04)
    assert parts.p_value * 3002 == pytest.approx(round(parts.p_value * 3002))


def test_many_units_agree_with_the_normal_law():
    generator = np.random.default_rng(0)
    first, second = (generator.random(4000) < share for share in (0.70, 0.72))
    found = means(first.astype(float), second.astype(float), rounds=5000)
    error = np.std(second.astype(float) - first) / np.sqrt(4000)
    assert found.high - found.low == pytest.approx(2 * 1.96 * error, rel=0.05)
    expected = erfc(abs(found.difference) / error / sqrt(2))
    assert found.p_value == pytest.approx(expected, abs=0.03)


def test_f1_is_that_of_the_sums():
    # One label: two of three true positives found, one said wrongly: 2 * 2 / (3 + 3).
    units = np.array([[1, 2], [1, 2], [0, 1], [0, 1], [0, 0]], float)
    assert f1_of_sums(units.sum(axis=0)[None])[0] == pytest.approx(4 / 6)
    # Two labels, of which the second does not occur, and then does without a hit.
    assert f1_of_sums(np.array([[2.0, 0, 6, 0], [2, 0, 6, 1]])) == pytest.approx([4 / 6, 2 / 6])


@pytest.mark.parametrize(
    ("options", "name"), [({"rounds": 0}, "rounds"), ({"level": 1.0}, "level")]
)
def test_bad_arguments(options, name):
    with pytest.raises(InputError, match=f"`{name}` must be"):
        means(FIRST, SECOND, **options)
