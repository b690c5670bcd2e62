"""Several networks trained with different seeds, and what is chosen on dev for their mean."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit, logsumexp

from abcnn.errors import InputError
from abcnn.readers import read_pairs
from abcnn.tasks import TASKS
from abcnn.training.calibration import even_odds, temperature
from abcnn.training.ensemble import member_options, train_ensemble
from abcnn.training.options import TrainingOptions
from abcnn.training.prepare import encode_labelled
from abcnn.training.run import train
from abcnn.training.seeds import spread
from tests.trained import OPTIONS, SAMPLES

TINY = TrainingOptions(**OPTIONS | {"epochs": 1, "model": "bcnn", "seed": 4})


def pairs_of(task, count=None):
    parts = [read_pairs(str(SAMPLES / task / f"{part}.tsv")).pairs for part in ("train", "dev")]
    return [pairs.select(range(count or len(pairs))) for pairs in parts]


@pytest.fixture(scope="module")
def ranking():
    """An ensemble for answer selection, whose listwise loss leaves the scale of logits open."""
    return train_ensemble(
        TASKS["answer-selection"], *pairs_of("answer-selection"), members=2, options=TINY
    )


def test_networks_share_all_but_their_weights_and_the_first_is_the_one_of_its_seed(ranking):
    matcher, (train_pairs, dev) = ranking.matcher, pairs_of("answer-selection")
    alone = train(TASKS["answer-selection"], train_pairs, dev, options=TINY).matcher
    first, second = matcher.members
    for name in set(first) - {"logits/kernel", "logits/bias"}:  # Platt's scale is in these
        np.testing.assert_array_equal(first[name], alone.weights[name], err_msg=name)
        assert np.abs(first[name] - second[name]).max() > 0
    assert matcher.encoder.features == alone.encoder.features
    assert [one["seed"] for one in matcher.about["members"]] == [4, 5]
    assert matcher.about["options"]["seed"] == 4
    assert matcher.about["members"][0]["metrics"] == alone.metrics
    assert len(ranking.epochs) == 2


def test_the_mean_of_ranking_losses_is_calibrated_on_dev(ranking):
    matcher = ranking.matcher
    dev = encode_labelled(pairs_of("answer-selection")[1], matcher.scale, matcher.encoder)
    logits, labels = matcher.logits(dev).astype(np.float64)[:, 0], np.asarray(dev.labels)

    def surprise(scale, shift):
        """With Platt's targets."""
        right, wrong = (labels == 1).sum(), (labels == 0).sum()
        targets = np.where(labels == 1, (right + 1) / (right + 2), 1 / (wrong + 2))
        said = expit(scale * logits + shift)
        return -np.mean(targets * np.log(said) + (1 - targets) * np.log1p(-said))

    best = surprise(1, 0)
    for scale, shift in ((0.98, 0), (1.02, 0), (1, 0.02), (1, -0.02)):
        assert surprise(scale, shift) > best


def test_threshold_and_temperature_are_those_of_the_mean():
    task, (train_pairs, dev_pairs) = TASKS["paraphrase"], pairs_of("paraphrase")
    options = replace(TINY, calibrate="temperature")
    matcher = train_ensemble(task, train_pairs, dev_pairs, members=2, options=options).matcher
    dev = encode_labelled(dev_pairs, matcher.scale, matcher.encoder)
    logits, labels = matcher.logits(dev), np.asarray(dev.labels)
    assert temperature(logits, labels) == pytest.approx(1, abs=1e-3)
    assert matcher.threshold == pytest.approx(even_odds(logits, labels), abs=1e-9)
    assert matcher.about["calibration"].startswith("temperature ")
    assert matcher.about["options"]["calibrate"] == "temperature"
    assert matcher.metrics["dev"]["accuracy"] == matcher.evaluate(dev_pairs).accuracy


def test_isotonic_calibration_of_the_mean_and_three_labels():
    task, (train_pairs, dev_pairs) = TASKS["entailment"], pairs_of("entailment")
    options = replace(TINY, calibrate="isotonic")
    matcher = train_ensemble(task, train_pairs, dev_pairs, members=2, options=options).matcher
    assert matcher.calibration is not None
    mapped = matcher.calibration(matcher.logits(matcher.encode(dev_pairs.left, dev_pairs.right)))
    expected = np.exp(mapped - logsumexp(mapped, axis=1, keepdims=True))
    np.testing.assert_allclose(matcher.predict(dev_pairs).probabilities, expected, atol=1e-12)


def test_word_vectors_that_are_not_trained_are_one_array():
    options = replace(TINY, train_vectors=False)
    matcher = train_ensemble(
        TASKS["paraphrase"], *pairs_of("paraphrase", 60), members=3, options=options
    ).matcher
    assert len({id(weights["vectors/embeddings"]) for weights in matcher.members}) == 1


def test_one_network_is_no_ensemble():
    with pytest.raises(InputError, match=r"`ensemble` must have at least 2 networks\. Received: 1"):
        member_options(TINY, 1)


def test_mean_and_deviation_by_hand():
    runs = [
        {"dev": {"map": 0.5, "questions": 3, "f1": float("nan"), "list": [1.0]}},
        {"dev": {"map": 0.7, "questions": 3, "f1": 0.5, "list": [1.0]}},
    ]
    assert spread(runs) == {"dev": {"map": {"mean": 0.6, "sd": pytest.approx(0.02**0.5)}}}
