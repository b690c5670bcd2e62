"""WordByWordAttention: contract, the reference, what it learns."""

from functools import partial

import keras
import numpy as np
import pytest
from hypothesis import given, settings

from abcnn.layers import WordByWordAttention
from abcnn.layers.word_by_word_attention import ATTENTIONS
from tests import attention_reference
from tests.contracts import arrays_of, check_layer
from tests.layers.attending import attend, cross_case, normal, real_parts, with_weights
from tests.strategies import RaggedBatch, ragged_batches

pytestmark = pytest.mark.backend

WINDOW = 1


@pytest.mark.parametrize(
    ("attention", "match_score"),
    [("soft", "additive"), ("local-predictive", "bilinear")],
)
def test_contract(attention, match_score, tmp_path):
    make = partial(WordByWordAttention, match_score, attention, 2, None, True, "l2")
    check_layer(cross_case(make, query_dim=2), tmp_path)


def scorer(layer):
    """The layer's score of two vectors in float64."""
    if layer.match_score == "dot":
        return np.dot
    first, second, vector = (w.astype("float64") for w in layer.scores.get_weights())
    return lambda x, y: float(vector @ np.tanh(x @ first + y @ second))


@pytest.mark.parametrize("attention", ATTENTIONS)
@pytest.mark.parametrize("match_score", ["dot", "additive"])
@settings(max_examples=8, deadline=None)
@given(batch=ragged_batches())
def test_equals_the_reference(attention: str, match_score: str, batch: RaggedBatch) -> None:
    layer = with_weights(
        WordByWordAttention(match_score, attention, WINDOW, return_attention=True),
        batch.left.shape,
        batch.right.shape,
    )
    read, matrix = attend(layer, batch)
    kernels = [
        np.asarray(keras.ops.convert_to_numpy(kernel), "float64")
        for kernel in (layer.query_kernel, layer.recurrent_kernel, layer.transfer_kernel)
    ]
    for row, (query, value, actual) in enumerate(real_parts(batch, matrix)):
        if attention == "hard" and len(query) and len(value):
            # Equal scores in float64 may differ in float32: the matrix is checked by itself.
            assert set(np.unique(actual)) <= {0.0, 1.0}
            assert (actual.sum(axis=1) == 1).all()
            of_step = partial(row_of, actual)
        else:
            of_step = partial(reference_attention, layer, query, len(value))
        expected, attentions = attention_reference.word_by_word(
            query.astype("float64"), value.astype("float64"), kernels, scorer(layer), of_step
        )
        np.testing.assert_allclose(read[row], expected, rtol=2e-3, atol=2e-3)
        np.testing.assert_allclose(actual, attentions, rtol=2e-3, atol=2e-3)


def row_of(matrix, scores, t):
    return matrix[t : t + 1].astype("float64")


def reference_attention(layer, query, length, scores, t):
    """The attention of step t, soft or local."""
    if layer.attention == "soft" or not length:
        return attention_reference.soft_attention(scores)
    if layer.attention == "local-monotonic":
        return attention_reference.windowed_attention(scores, [t], WINDOW)
    weights = (layer.position_kernel, layer.position_vector)
    weights = [np.asarray(keras.ops.convert_to_numpy(w), "float64") for w in weights]
    centres = attention_reference.predicted_positions(query.astype("float64"), length, *weights)
    near = attention_reference.windowed_attention(scores, centres[t : t + 1], WINDOW)
    return attention_reference.gaussian(near, centres[t : t + 1], WINDOW)


@pytest.mark.skipif(
    keras.backend.backend() != "tensorflow",
    reason="what is learnt in a few steps depends on the random numbers of the backend",
)
@pytest.mark.parametrize(
    ("attention", "match_score", "rate"), [("soft", "additive", 0.02), ("hard", "bilinear", 0.05)]
)
def test_learns_to_read_the_unit_that_is_asked_for(attention, match_score, rate):
    """Of units of a key and a number, in any order, the number whose key the query has."""
    keras.utils.set_random_seed(0)
    generator = np.random.default_rng(0)
    keys, length, pairs = np.eye(4, dtype="float32"), 4, 256
    orders = np.argsort(generator.random((pairs, length)), axis=1)
    numbers = generator.choice([-1.0, 1.0], (pairs, length, 1)).astype("float32")
    value = np.concatenate([keys[orders], numbers], axis=2)
    place = generator.integers(length, size=pairs)
    everyone = np.arange(pairs)
    query, wanted = keys[orders[everyone, place]][:, None], numbers[everyone, place]

    layer = WordByWordAttention(match_score, attention, return_attention=True, seed=0)
    ask, read = keras.Input((None, 4)), keras.Input((None, 5))
    result, _ = layer(ask, read)
    model = keras.Model([ask, read], keras.layers.Dense(1)(result))
    model.compile(keras.optimizers.Adam(rate), "mse")
    model.fit([query, value], wanted, epochs=30, batch_size=64, verbose=0)
    _, matrix = arrays_of(layer(query, value))
    assert (matrix[:, 0].argmax(axis=1) == place).mean() > 0.95


def test_samples_in_training_alone():
    layer = WordByWordAttention("dot", "hard", seed=3, return_attention=True)
    query, value = normal(4, 6, 3), normal(4, 5, 3, seed=1)
    first, again = (arrays_of(layer(query, value))[1] for _ in range(2))
    np.testing.assert_array_equal(first, again)
    sampled, other = (arrays_of(layer(query, value, training=True))[1] for _ in range(2))
    assert (sampled != other).any()
    np.testing.assert_allclose(sampled.sum(axis=2), 1.0, rtol=1e-6)
    assert np.isin(sampled.round(5), [0.0, 1.0]).all()


def test_bad_arguments_are_refused():
    with pytest.raises(ValueError, match=r"attention.*one of soft, .*Received: 'other'"):
        WordByWordAttention(attention="other")
    with pytest.raises(ValueError, match=r"window.*integer of at least 1.*Received: 0"):
        WordByWordAttention(window=0)
    with pytest.raises(ValueError, match=r"value.*3 axes.*Received"):
        WordByWordAttention()(normal(1, 2, 3), normal(1, 3))
