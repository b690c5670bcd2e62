"""The decoder as a language model: its likelihood, what it learns from, decoding."""

from functools import partial

import keras
import numpy as np
import pytest
from keras import ops

from abcnn.models import TargetLikelihood, decode
from abcnn.network import build_network
from abcnn.network_config import NetworkConfig
from abcnn.training.losses import pointwise, with_likelihood
from tests.contracts import LayerCase, arrays_of, check_config
from tests.layers.attending import normal, with_weights

pytestmark = pytest.mark.backend

WORDS, LENGTH = 7, 3
CONFIG = NetworkConfig(
    vocabulary=WORDS,
    dim=WORDS,
    features=0,
    outputs=1,
    scores=("cosine",),
    model="seq2seq",
    cell="gru",
    hidden_dim=24,
    match_score="bilinear",
    target_words=50,
)


def test_the_mean_log_probability():
    """Of words that are not among the first five, OOV's; PAD is a word as any other."""
    layer = with_weights(TargetLikelihood(5, "l2"), (2, 4, 3), (2, 4))
    kernel, bias = (weight.astype("float64") for weight in layer.get_weights())
    hidden, ids = normal(2, 4, 3), np.array([[3, 9, 0, 2], [4, 0, 0, 0]])
    mask = np.array([[True, True, True, False], [True, True, False, False]])
    [actual] = arrays_of(layer(hidden, ids, mask=mask))
    for row, words in enumerate([[3, 1, 0], [4, 0]]):
        logs = []
        for unit, word in zip(hidden[row].astype("float64"), words, strict=False):
            powers = np.exp(unit @ kernel + bias)
            logs.append(np.log(powers[word] / powers.sum()))
        np.testing.assert_allclose(actual[row], [np.mean(logs)], rtol=1e-5)
    check_config(LayerCase(partial(TargetLikelihood, 5, "l2"), {}))
    with pytest.raises(ValueError, match=r"words.*integer of at least 1.*Received: 0"):
        TargetLikelihood(0)


def test_pairs_of_the_last_label_alone_have_the_likelihood_in_their_loss():
    layer = with_weights(TargetLikelihood(5), (3, 4, 3), (3, 4))
    targets = np.array([[1, 0], [0, 0], [1, 0]], "float32")
    logits = ops.convert_to_tensor(normal(3, 1))
    loss = with_likelihood(pointwise, layer, 1)
    hidden, ids = normal(3, 4, 3), np.array([[2, 3, 4, 0]] * 3)
    [mean] = arrays_of(layer(hidden, ids))
    [plain] = arrays_of(pointwise(ops.convert_to_tensor(targets), logits))
    np.testing.assert_array_equal(arrays_of(loss(ops.convert_to_tensor(targets), logits))[0], plain)
    layer(hidden, ids, training=True)
    [both] = arrays_of(loss(ops.convert_to_tensor(targets), logits))
    np.testing.assert_allclose(both - plain, -mean[:, 0] * [1, 0, 1], rtol=1e-5, atol=1e-6)


@pytest.fixture(scope="module")
def copier() -> keras.Model:
    """A network that has learnt that the right sentence is the left one."""
    keras.utils.set_random_seed(0)
    network = build_network(CONFIG, np.eye(WORDS, dtype="float32") * 2)
    [layer] = [one for one in network.layers if isinstance(one, TargetLikelihood)]
    network.compile(keras.optimizers.Adam(0.02), with_likelihood(pointwise, layer, 1))
    generator = np.random.default_rng(0)
    for _ in range(250):
        sentences = generator.integers(2, WORDS, (64, LENGTH)).astype("int32")
        sentences[:20, 2:] = 0
        inputs = {"left": sentences, "right": sentences, "features": np.zeros((64, 0), "float32")}
        network.train_on_batch(inputs, np.tile(np.float32([1, 0]), (64, 1)))
    return network


@pytest.mark.parametrize("beam", [1, 3])
def test_a_sentence_copied_is_what_is_decoded(copier, beam):
    for sentence in ([2, 5, 3], [6, 6, 2], [4, 3]):
        found = decode(copier, np.array(sentence + [0] * (LENGTH - len(sentence))), beam=beam)
        assert found[0].ids == tuple(sentence)
        assert len(found) <= beam
        logs = [one.log_probability for one in found]
        assert logs == sorted(logs, reverse=True)
        assert logs[0] > np.log(0.5)


def test_decoding_gives_the_probability_that_the_network_gives(copier):
    likelihood = keras.Model(copier.inputs, copier.get_layer("likelihood").output)
    left = np.array([[3, 5, 0]], "int32")
    for ids, total in decode(copier, left[0], beam=3, max_length=4):
        right = np.zeros((1, 4), "int32")
        right[0, : len(ids)] = ids
        inputs = {"left": left, "right": right, "features": np.zeros((1, 0), "float32")}
        [mean] = arrays_of(likelihood(inputs))
        assert total == pytest.approx(float(mean[0, 0]) * (len(ids) + 1), rel=1e-3, abs=1e-4)
