"""The refitted output layer decides as scikit-learn's model does, also after save and load."""

from __future__ import annotations

import keras
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from abcnn.bundle import load_bundle
from abcnn.network import NetworkConfig, build_network
from abcnn.readers import read_pairs
from abcnn.scoring.matcher import network_logits
from abcnn.tasks import TASKS
from abcnn.text.batches import EncodedPairs, Ragged
from abcnn.training.files import train_files
from abcnn.training.options import TrainingOptions
from abcnn.training.refit import refit
from tests.trained import OPTIONS

PAIRS = 120


def pairs_of(labels: int) -> EncodedPairs:
    generator = np.random.default_rng(1)

    def side(longest: int) -> Ragged:
        lengths = generator.integers(1, longest, PAIRS)
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        return Ragged(generator.integers(2, 20, offsets[-1]).astype(np.int32), offsets)

    features = (generator.normal(size=(PAIRS, 3)) * [1, 30, 0] + [0, 500, 7]).astype(np.float32)
    noisy = features[:, 0] + features[:, 1] / 30 + generator.normal(size=PAIRS)
    classes = np.argsort(np.argsort(noisy)) * labels // PAIRS
    return EncodedPairs(side(6), side(9), features, classes, np.arange(PAIRS))


def network_of(outputs: int) -> keras.Model:
    keras.utils.set_random_seed(0)
    vectors = np.random.default_rng(0).normal(size=(20, 5)).astype(np.float32)
    config = NetworkConfig(
        *(20, 5, 3, outputs, ("cosine", "euclidean")),
        comparison=("difference", "product"),
        filters=4,
        width=2,
    )
    return build_network(config, vectors)


@pytest.mark.parametrize("kind", ["logistic", "svm"])
@pytest.mark.parametrize(("outputs", "labels"), [(1, 2), (2, 2), (3, 3)])
def test_logits_are_those_of_the_pipeline(kind, outputs, labels):
    network, pairs = network_of(outputs), pairs_of(labels)
    before = [np.array(value) for value in network.get_weights()]
    joined = keras.Model(network.inputs, network.get_layer("logits").input)
    inputs = network_logits(joined, pairs, 40).astype(np.float64)
    refit(network, pairs, kind, max_length=40, seed=0)

    model = LogisticRegression(max_iter=1000) if kind == "logistic" else LinearSVC(random_state=0)
    model = make_pipeline(StandardScaler(), model).fit(inputs, pairs.labels)
    logits, expected = network_logits(network, pairs, 40), model.decision_function(inputs)
    if outputs == 1:
        logits = logits[:, 0]
    elif labels == 2:
        logits = logits[:, 1] - logits[:, 0]
    np.testing.assert_allclose(logits, expected, atol=2e-3)
    if kind == "logistic" and outputs == 3:
        shifted = np.exp(logits - logits.max(axis=1, keepdims=True))
        probabilities = shifted / shifted.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(probabilities, model.predict_proba(inputs), atol=1e-3)
    changed = [not np.array_equal(a, b) for a, b in zip(before, network.get_weights(), strict=True)]
    assert sum(changed) == 2  # kernel and bias of the output layer, nothing else


def test_label_weights_move_the_decision():
    pairs, says = pairs_of(2), []
    for weights in (None, np.array([1.0, 9.0])):
        network = network_of(1)
        refit(network, pairs, "logistic", max_length=40, seed=0, label_weights=weights)
        says.append(int((network_logits(network, pairs, 40) > 0).sum()))
    assert says[1] > says[0] + 10


def test_a_bundle_holds_the_refitted_decision(tmp_path, trained):
    plain = trained("answer-selection")
    refitted = train_files(
        TASKS["answer-selection"],
        tmp_path / "out",
        train_file=str(plain.train_file),
        dev_file=str(plain.dev_file),
        options=TrainingOptions(**OPTIONS, refit="svm"),
        device="cpu",
    ).matcher
    dev = read_pairs(plain.dev_file, require_labels=True).pairs
    scores = refitted.predict(dev).scores
    np.testing.assert_allclose(load_bundle(tmp_path / "out").predict(dev).scores, scores)
    assert not np.allclose(scores, plain.matcher.predict(dev).scores)
    assert 0 < scores.min() < scores.max() < 1  # margins became probabilities
