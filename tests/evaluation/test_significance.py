"""Bootstrap intervals against what theory says."""

import numpy as np
import pytest
from scipy.stats import bootstrap

from abcnn.errors import InputError
from abcnn.evaluation.significance import bootstrap_interval


def test_of_a_mean_against_scipy():
    values = np.random.default_rng(1).beta(2, 3, size=200)
    low, high = bootstrap_interval(values, resamples=4000)
    theirs = bootstrap((values,), np.mean, n_resamples=4000, method="percentile", rng=2)
    assert (low, high) == pytest.approx(tuple(theirs.confidence_interval), abs=0.003)
    assert low < values.mean() < high


def test_the_same_seed_gives_the_same_interval():
    values = np.arange(50.0)
    assert bootstrap_interval(values, seed=3) == bootstrap_interval(values, seed=3)
    assert bootstrap_interval(values, seed=3) != bootstrap_interval(values, seed=4)


def test_a_wider_confidence_holds_the_narrower_one():
    values = np.random.default_rng(0).normal(size=60)
    narrow, wide = (bootstrap_interval(values, confidence=share) for share in (0.5, 0.99))
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


def test_equal_units_leave_no_doubt():
    assert bootstrap_interval(np.full(9, 0.25)) == pytest.approx((0.25, 0.25))


def test_a_statistic_of_the_means_of_columns():
    """F1 of decisions: right, said and true positives a pair."""
    generator = np.random.default_rng(0)
    truth, said = generator.random(300) < 0.4, generator.random(300) < 0.5
    rows = np.stack([truth & said, said, truth], axis=1)

    def f1(means):
        return 2 * means[:, 0] / (means[:, 1] + means[:, 2])

    low, high = bootstrap_interval(rows, statistic=f1, resamples=4000)

    def drawn(indices):
        return 2 * (truth & said)[indices].sum() / (said[indices].sum() + truth[indices].sum())

    loops = [drawn(generator.integers(0, 300, 300)) for _ in range(4000)]
    assert (low, high) == pytest.approx(np.quantile(loops, [0.025, 0.975]), abs=0.01)


def test_no_units():
    with pytest.raises(InputError, match="one row a unit"):
        bootstrap_interval(np.zeros((0, 2)))
