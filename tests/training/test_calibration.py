"""Scores of a ranking as probabilities."""

import numpy as np
import pytest

from abcnn.network import NetworkConfig, build_network
from abcnn.training.calibration import calibrate, even_odds


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


def test_even_odds_is_where_right_and_wrong_are_equally_likely():
    """Logits shifted by 2 from the true log-odds: the threshold is the probability of logit 2."""
    generator = np.random.default_rng(0)
    odds = generator.normal(size=20_000)
    labels = (generator.random(20_000) < 1 / (1 + np.exp(-odds))).astype(int)
    threshold = even_odds((odds + 2).astype(np.float32)[:, None], labels)
    assert threshold == pytest.approx(1 / (1 + np.exp(-2)), abs=0.01)


def test_even_odds_of_logits_that_go_the_wrong_way_is_a_half():
    logits = np.array([[3.0], [2.0], [-2.0], [-3.0]], dtype=np.float32)
    assert even_odds(logits, np.array([0, 0, 1, 1])) == 0.5


def test_one_class_or_wholly_parted_classes_give_usable_numbers():
    logits = np.linspace(-3, 3, 12, dtype=np.float32)[:, None]
    assert even_odds(logits, np.zeros(12, dtype=int)) == 0.5
    parted = (logits[:, 0] > 0).astype(int)
    assert 0.2 < even_odds(logits, parted) < 0.8
    network = build_network(
        NetworkConfig(vocabulary=5, dim=2, features=1, outputs=1, scores=("cosine",))
    )
    calibrate(network, logits, parted)
    scale = np.abs(network.get_layer("logits").get_weights()[0]).max()
    # Probabilities of twelve parted pairs stay where float64 can tell them apart.
    assert scale < 10
