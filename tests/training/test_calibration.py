"""Scores of a ranking as probabilities."""

import numpy as np
import pytest

from abcnn.evaluation.calibration import claims, reliability
from abcnn.network import NetworkConfig, build_network
from abcnn.scoring.predictions import decide
from abcnn.tasks import TASKS
from abcnn.training.calibration import (
    divide_logits,
    even_odds,
    isotonic,
    platt,
    scale_logits,
    temperature,
)
from abcnn.training.choosing import adjustment
from abcnn.training.options import TrainingOptions


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
    scale_logits(network, *platt(before, labels.astype(int)))
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
    scale_logits(network, *platt(logits, parted))
    scale = np.abs(network.get_layer("logits").get_weights()[0]).max()
    # Probabilities of twelve parted pairs stay where float64 can tell them apart.
    assert scale < 10


def labelled(logits, generator):
    """Labels drawn with the probabilities that the logits say."""
    probabilities = decide(logits, tuple("abc")[: max(2, logits.shape[1])], 0.5).probabilities
    return (generator.random((len(logits), 1)) > probabilities.cumsum(axis=1)).sum(axis=1)


@pytest.mark.parametrize("outputs", [1, 3])
def test_temperature_finds_what_logits_were_multiplied_by(outputs):
    generator = np.random.default_rng(0)
    logits = generator.normal(scale=2, size=(20_000, outputs))
    assert temperature(logits * 3, labelled(logits, generator)) == pytest.approx(3, rel=0.05)


def test_temperature_of_parted_labels_has_an_end():
    logits = np.linspace(-1, 1, 10)[:, None]
    assert 0.05 <= temperature(logits, (logits[:, 0] > 0).astype(int)) < 0.06
    assert 19 < temperature(logits, (logits[:, 0] < 0).astype(int)) <= 20


def test_divided_logits():
    network = build_network(
        NetworkConfig(vocabulary=5, dim=2, features=1, outputs=3, scores=("cosine",))
    )
    inputs = {
        "left": np.array([[1, 2, 3]]),
        "right": np.array([[4, 2]]),
        "features": np.array([[0.5]], dtype=np.float32),
    }
    before = np.asarray(network(inputs))
    divide_logits(network, 4.0)
    np.testing.assert_allclose(np.asarray(network(inputs)), before / 4, rtol=1e-5)


@pytest.mark.parametrize("loss", ["pointwise", "pairwise"])
@pytest.mark.parametrize("calibrate", ["none", "temperature", "isotonic"])
def test_an_adjustment_is_the_scale_that_is_open_then_the_calibration(loss, calibrate):
    generator = np.random.default_rng(2)
    logits = generator.normal(scale=2, size=(300, 1))
    labels = labelled(logits / 2 + 1, generator)
    options = TrainingOptions(loss=loss, calibrate=calibrate)
    found = adjustment(TASKS["answer-selection"], options, logits, labels)
    scale, shift = platt(logits, labels) if loss == "pairwise" else (1, 0)
    scaled = logits * scale + shift
    by = temperature(scaled, labels) if calibrate == "temperature" else 1
    assert (found.scale, found.shift, found.temperature) == (scale, shift, by)
    np.testing.assert_array_equal(found.logits(logits), scaled / by)
    assert found.of_weights == (loss == "pairwise" or calibrate == "temperature")
    assert found.calibration == (isotonic(scaled, labels) if calibrate == "isotonic" else None)


@pytest.mark.parametrize("outputs", [1, 3])
def test_isotonic_mends_a_crooked_scale(outputs):
    """Logits bent by a rising function: probabilities again, on pairs that were not fitted."""
    generator = np.random.default_rng(0)
    honest = generator.normal(scale=1.5, size=(12_000, outputs))
    labels = labelled(honest, generator)
    bent = 4 * np.sign(honest) * np.sqrt(np.abs(honest))
    fitted = isotonic(bent[:6000], labels[:6000])
    names = tuple("abc")[: max(2, outputs)]

    def error(calibration):
        said = decide(bent[6000:], names, 0.5, calibration)
        return reliability(*claims(said.probabilities, said.labels, labels[6000:])).expected_error

    assert error(None) > 0.08
    assert error(fitted) < 0.03


def test_isotonic_by_hand():
    """Wrong, right, wrong, right: the middle two are one step of a half, a little tilted."""
    logits = np.array([[0.0], [2.0], [1.0], [5.0]])
    [points] = isotonic(logits, np.array([0, 0, 1, 1])).knots
    expected = [(0, -np.log(5)), (1, -0.001), (2, 0.001), (5, np.log(5))]
    np.testing.assert_allclose(points, expected, atol=1e-12)
    assert isotonic(logits, np.zeros(4, dtype=int)) is None
    assert isotonic(np.zeros((3, 3)), np.array([0, 1, 1])) is None


def test_isotonic_changes_no_order_and_makes_no_tie():
    generator = np.random.default_rng(1)
    logits = generator.normal(size=(500, 1)).astype(np.float32)
    labels = (generator.random(500) < 0.3).astype(int)
    mapped = isotonic(logits, labels)(logits)[:, 0]
    order = np.argsort(logits[:, 0])
    different = np.diff(logits[order, 0]) > 0
    assert (np.diff(mapped[order])[different] > 0).all()
