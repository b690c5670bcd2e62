"""Measures of grades against SciPy, by hand, and where the quotient is not defined."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abcnn.errors import InputError
from abcnn.evaluation.grading import (
    grade_measures,
    pearson,
    pearson_of_sums,
    pearson_terms,
    ranks,
)
from abcnn.evaluation.report import grade_table, headline

scipy_stats = pytest.importorskip("scipy.stats")

TENTHS = st.integers(-50, 50).map(lambda value: value / 10)
COLUMNS = st.lists(st.tuples(TENTHS, TENTHS), min_size=2, max_size=40)


@settings(deadline=None)
@given(COLUMNS)
def test_against_scipy(pairs):
    true, said = np.array(pairs).T
    np.testing.assert_array_equal(ranks(said), scipy_stats.rankdata(said))
    found = grade_measures(true, said)
    assert found.mse == pytest.approx(np.mean((true - said) ** 2))
    assert found.pairs == len(pairs)
    constant = np.ptp(true) == 0 or np.ptp(said) == 0
    expected = 0 if constant else scipy_stats.pearsonr(true, said).statistic
    assert found.pearson == pytest.approx(expected, abs=1e-9)
    expected = 0 if constant else scipy_stats.spearmanr(true, said).statistic
    assert found.spearman == pytest.approx(expected, abs=1e-9)
    of_sums = pearson_of_sums(pearson_terms(true, said).sum(axis=0)[None])
    assert of_sums[0] == pytest.approx(found.pearson, abs=1e-9)


def test_by_hand():
    # Means 2 and 3; deviations -1, 0, 1 and -2, 1, 1: 3 / sqrt(2 * 6).
    found = grade_measures([1, 2, 3], [1, 4, 4])
    assert found.pearson == pytest.approx(3 / 12**0.5)
    assert found.spearman == pytest.approx(1.5 / (2 * 1.5) ** 0.5)
    assert found.mse == pytest.approx((0 + 4 + 1) / 3)
    assert "Pearson   0.8660" in grade_table(found)
    assert headline(found.to_dict()) == "Pearson 0.8660, Spearman 0.8660, MSE 1.6667 (3 pairs)"


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("constant", [3.1, 0.0, 1e300, 0.1 + 0.2])
def test_a_constant_goes_with_nothing(constant):
    same = np.full(7, constant)
    assert pearson(same, np.arange(7.0)) == pearson(np.arange(7.0), same) == 0
    assert pearson_of_sums(pearson_terms(np.arange(7.0), same).sum(axis=0)[None])[0] == 0
    assert pearson(np.array([1.0]), np.array([2.0])) == 0


def test_sizes_and_places_do_not_matter():
    true = np.array([1, 4, 2, 8.0])
    for said in (true * 1e200, true * 1e-200, true + 1e9, true / 1e6 - 5):
        assert pearson(true, said) == pytest.approx(1, abs=1e-6)
        assert pearson(true, -said) == pytest.approx(-1, abs=1e-6)


def test_what_is_no_number_is_refused():
    with pytest.raises(InputError, match=r"`said`, row 2: expected a finite number. Received: nan"):
        grade_measures([1, 2], [1, float("nan")])
    with pytest.raises(InputError, match="one entry a pair"):
        grade_measures([1, 2], [1])
