"""Scores of a ranking as probabilities."""

import numpy as np
import pytest

from abcnn.network import NetworkConfig, build_network
from abcnn.training.calibration import calibrate


@pytest.mark.parametrize("direction", [1, -1])
def test_probabilities_fit_the_labels_and_no_order_changes(direction):
    """With logits that go against the labels nothing is changed."""
    network = build_network(
        NetworkConfig(vocabulary=5, dim=2, features=1, outputs=1, scores=("cosine",))
    )
    generator = np.random.default_rng(0)
    inputs = {
        "left": generator.integers(1, 5, (200, 8)),
        "right": generator.integers(1, 5, (200, 6)),
        "features": generator.normal(size=(200, 1)).astype(np.float32),
    }
    before = np.asarray(network(inputs))
    labels = direction * before[:, 0] + generator.normal(scale=0.5, size=200) > np.median(
        direction * before
    )
    calibrate(network, before, labels.astype(int))
    after = np.asarray(network(inputs))
    if direction < 0:
        np.testing.assert_array_equal(after, before)
        return
    np.testing.assert_array_equal(np.argsort(after[:, 0]), np.argsort(before[:, 0]))
    # What logistic regression promises: the mean probability is the share of right answers.
    assert (1 / (1 + np.exp(-after))).mean() == pytest.approx(labels.mean(), abs=1e-3)
    assert abs(after - before).max() > 0.01
