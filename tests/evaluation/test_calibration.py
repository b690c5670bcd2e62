"""The calibration error by hand, and what follows from its definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abcnn.errors import InputError
from abcnn.evaluation.calibration import claims, reliability


def test_by_hand():
    """Two bins: .1 and .3 of which one happened, .5, .9 and 1 of which two did."""
    found = reliability([0.1, 0.9, 0.3, 0.5, 1.0], [True, True, False, False, True], bins=2)
    np.testing.assert_array_equal(found.counts, [2, 3])
    np.testing.assert_allclose(found.probability, [0.2, 0.8])
    np.testing.assert_allclose(found.share, [1 / 2, 2 / 3])
    assert found.expected_error == pytest.approx(2 / 5 * 0.3 + 3 / 5 * (0.8 - 2 / 3))


def test_empty_bins_count_for_nothing():
    found = reliability([0.95, 0.95], [True, True])
    assert found.counts.tolist() == [0] * 9 + [2]
    assert np.isnan(found.share[:9]).all()
    assert found.expected_error == pytest.approx(0.05)


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=40), st.randoms())
def test_order_does_not_matter_and_one_bin_is_the_difference_of_means(pairs, random):
    values, happened = map(np.array, zip(*pairs, strict=True))
    error = reliability(values, happened).expected_error
    assert 0 <= error <= 1
    order = list(range(len(pairs)))
    random.shuffle(order)
    assert reliability(values[order], happened[order]).expected_error == pytest.approx(error)
    single = reliability(values, happened, bins=1).expected_error
    assert single == pytest.approx(abs(values.mean() - happened.mean()))
    assert single <= error + 1e-12


def test_claims_of_two_labels_and_of_three():
    two = np.array([[0.7, 0.3], [0.2, 0.8]])
    said, so = claims(two, np.array([0, 1]), np.array([1, 1]))
    assert (said.tolist(), so.tolist()) == ([0.3, 0.8], [True, True])
    three = np.array([[0.7, 0.2, 0.1], [0.2, 0.3, 0.5]])
    said, so = claims(three, np.array([0, 2]), np.array([1, 2]))
    assert (said.tolist(), so.tolist()) == ([0.7, 0.5], [False, True])


@pytest.mark.parametrize("bad", [([], []), ([0.5], []), ([1.5], [True])])
def test_bad_columns(bad):
    with pytest.raises(InputError):
        reliability(*bad)
