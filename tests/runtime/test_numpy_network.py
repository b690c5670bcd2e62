"""The network in NumPy against the Keras network, which is the reference."""

from dataclasses import replace

import numpy as np
import pytest
from keras import ops

from abcnn.layers.match_scores import MATCH_SCORES, WEIGHTLESS
from abcnn.network import build_network, named_weights, set_named_weights
from abcnn.network_config import ATTENTIONS, NetworkConfig
from abcnn.runtime import matching
from abcnn.runtime.numpy_network import COMPUTED, NumpyNetwork, shares
from abcnn.runtime.packed_vectors import PackedVectors
from tests.runtime.networks import FEATURES, MAX_LENGTH, VOCABULARY, pairs_of, ragged

CONFIG = NetworkConfig(
    VOCABULARY, 18, FEATURES, 3, WEIGHTLESS, conv_layers=2, filters=5, width=3,
    max_length=MAX_LENGTH, hidden_dim=6, share_weights=False,
)  # fmt: skip
# Empty, of one word, of the greatest length, the same on both sides.
LEFT = [[], [1], [2, 3, 4], [], [5, 6, 5, 6, 7, 8, 9], [2, 2, 2, 2]]
RIGHT = [[4, 5], [], [7], [], [5, 6, 5, 6, 7, 8, 9], [2]]


def random_weights(config, seed=0):
    """Of the network's names and shapes, the biases and vectors too."""
    generator = np.random.default_rng(seed)
    return {
        name: generator.normal(size=values.shape, scale=0.4).astype(np.float32)
        for name, values in named_weights(build_network(config)).items()
    }


def of_keras(config, weights, inputs):
    network = build_network(config)
    set_named_weights(network, weights)
    return np.asarray(ops.convert_to_numpy(network(inputs)))


def of_numpy(config, weights, inputs):
    vectors = PackedVectors(weights["vectors/embeddings"])
    return NumpyNetwork(config, weights, vectors)(inputs)


@pytest.mark.parametrize("model", COMPUTED)
@pytest.mark.parametrize("weigh_and_share", [False, True])
def test_every_model(model, weigh_and_share):
    config = replace(
        CONFIG, model=model, share_weights=weigh_and_share, weight_all_pooling=weigh_and_share
    )
    if weigh_and_share and model != "decomposable":
        config = replace(config, comparison=("product", "difference"), width=(3, 1))
    weights = random_weights(config)
    pairs = pairs_of(LEFT, RIGHT)
    inputs = pairs.inputs(np.arange(len(pairs)), MAX_LENGTH, step=1)
    expected, actual = (of(config, weights, inputs) for of in (of_keras, of_numpy))
    assert (actual.dtype, actual.shape) == (np.float32, expected.shape)
    np.testing.assert_allclose(actual, expected, atol=1e-5)


@pytest.mark.parametrize("width", [3, (3, 1)])
@pytest.mark.parametrize("model", ["average", *ATTENTIONS])
def test_pooled_attention_and_a_second_network(model, width):
    shape = {"pooled_attention": 3, "rest_network": True, "width": width}
    config = replace(CONFIG, model=model, comparison=("product",), **shape)
    weights = random_weights(config)
    pairs = replace(pairs_of(LEFT, RIGHT), rests=(ragged(RIGHT[::-1]), ragged(LEFT)))
    inputs = pairs.inputs(np.arange(len(pairs)), MAX_LENGTH, step=1)
    expected, actual = (of(config, weights, inputs) for of in (of_keras, of_numpy))
    np.testing.assert_allclose(actual, expected, atol=1e-5)


@pytest.mark.parametrize("score", MATCH_SCORES)
def test_every_match_score(score):
    config = replace(CONFIG, model="abcnn-1", match_score=score, conv_layers=1, scores=("cosine",))
    weights = random_weights(config, 1)
    # Two words, so that the left side is shorter than the right one in the whole batch.
    pairs = pairs_of([[1, 2], [], [3]], [[4, 5, 6, 1, 2], [2], []])
    inputs = pairs.inputs(np.arange(3), MAX_LENGTH, step=1)
    np.testing.assert_allclose(
        of_numpy(config, weights, inputs), of_keras(config, weights, inputs), atol=1e-5
    )
    assert set(matching.MATCH_SCORES) == set(MATCH_SCORES)


def test_padding_changes_nothing():
    config = replace(CONFIG, model="decomposable")
    weights = random_weights(config)
    pairs = pairs_of(LEFT, RIGHT)
    together = of_numpy(config, weights, pairs.inputs(np.arange(len(pairs)), MAX_LENGTH))
    for index in range(len(pairs)):
        alone = of_numpy(config, weights, pairs.inputs(np.array([index]), MAX_LENGTH, step=1))
        np.testing.assert_allclose(alone[0], together[index], atol=1e-5)


def test_shares_by_hand():
    scores = np.array([[[0, np.log(3), 50]], [[1, 2, 3]]], np.float32)
    mask = np.array([[True, True, False], [False, False, False]])
    np.testing.assert_allclose(shares(scores, mask), [[[0.25, 0.75, 0]], [[0, 0, 0]]], rtol=1e-6)
