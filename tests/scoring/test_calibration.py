"""Maps of logits: through their points, rising, the same after JSON."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abcnn.scoring.calibration import Calibration, log_odds, rising
from abcnn.scoring.predictions import decide

ONE = Calibration((((-1.0, -2.0), (1.0, 0.0), (2.0, 0.5)),))


def test_through_the_points_and_on_with_slope_1():
    values = np.array([-3.0, -1.0, 0.0, 1.0, 1.5, 2.0, 5.0])
    np.testing.assert_allclose(rising(values, ONE.knots[0]), [-4, -2, -1, 0, 0.25, 0.5, 3.5])


@given(st.lists(st.floats(-30, 30, width=32), min_size=2, max_size=20, unique=True))
def test_no_order_changes(values):
    logits = np.sort(np.array(values, dtype=np.float32))[:, None]
    assert (np.diff(ONE(logits)[:, 0]) >= 0).all()
    assert (np.diff(decide(logits, ("0", "1"), 0.5, ONE).scores) >= -1e-15).all()


def test_log_odds_are_those_of_the_softmax():
    logits = np.random.default_rng(0).normal(size=(5, 3))
    p = decide(logits, ("a", "b", "c"), 0.5).probabilities
    np.testing.assert_allclose(log_odds(logits), np.log(p / (1 - p)), atol=1e-9)


def test_of_three_labels():
    """Label a is said half as likely as it was, by odds; then all are brought to a sum of 1."""
    same = ((0.0, 0.0),)
    calibration = Calibration((((0.0, np.log(0.5)),), same, same))
    logits = np.log(np.array([[0.5, 0.3, 0.2]]))
    p = decide(logits, ("a", "b", "c"), 0.5, calibration).probabilities[0]
    a = 0.5 / 1.5  # odds of 1 halved
    np.testing.assert_allclose(p, np.array([a, 0.3, 0.2]) / (a + 0.5))


def test_the_same_after_json():
    again = Calibration.from_lists(json.loads(json.dumps(ONE.to_lists())))
    assert again == ONE
    assert again(np.array([[0.3]])) == pytest.approx(ONE(np.array([[0.3]])))
