"""Curves over thresholds against scikit-learn, and by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    f1_score,
    precision_score,
    recall_score,
)

from abcnn.evaluation.curves import threshold_curve


def test_by_hand():
    """From .2 on three are said, two of them right; from .6 on one, and it is right."""
    curve = threshold_curve(np.array([0.6, 0.2, 0.2, 0.1]), np.array([1, 0, 1, 0]))
    np.testing.assert_array_equal(curve.thresholds, [0.1, 0.2, 0.6])
    np.testing.assert_allclose(curve.precision, [2 / 4, 2 / 3, 1])
    np.testing.assert_allclose(curve.recall, [1, 1, 1 / 2])
    np.testing.assert_allclose(curve.f1, [2 / 3, 4 / 5, 2 / 3])
    np.testing.assert_allclose(curve.accuracy, [2 / 4, 3 / 4, 3 / 4])
    assert curve.average_precision == pytest.approx(1 / 2 * 2 / 3 + 1 / 2 * 1)


@given(st.lists(st.tuples(st.sampled_from([0.1, 0.4, 0.5, 0.9]), st.booleans()), min_size=1))
def test_against_scikit_learn(pairs):
    values, truth = map(np.array, zip(*pairs, strict=True))
    curve = threshold_curve(values, truth)
    for place, threshold in enumerate(curve.thresholds):
        said = values >= threshold
        measures = {
            "precision": precision_score(truth, said, zero_division=0),
            "recall": recall_score(truth, said, zero_division=0),
            "f1": f1_score(truth, said, zero_division=0),
            "accuracy": accuracy_score(truth, said),
        }
        for name, value in measures.items():
            assert getattr(curve, name)[place] == pytest.approx(value), name
    if truth.any():
        assert curve.average_precision == pytest.approx(average_precision_score(truth, values))
