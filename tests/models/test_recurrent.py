"""The recurrent models without attention: what their vectors are, step by step."""

import numpy as np
import pytest

from abcnn.models import attentive_rnn, conditional_rnn, siamese_rnn
from abcnn.models.recurrent import CELLS
from tests import attention_reference
from tests.contracts import arrays_of
from tests.layers.attending import normal
from tests.strategies import pad

pytestmark = pytest.mark.backend

HIDDEN = 4
LEFT, LEFT_MASK = pad([normal(5, 3), normal(2, 3, seed=1), normal(0, 3)], 5, 3)
RIGHT, RIGHT_MASK = pad([normal(1, 3, seed=2), normal(4, 3, seed=3), normal(2, 3, seed=4)], 4, 3)
MODELS = {"siamese": siamese_rnn, "conditional": conditional_rnn}


def readers_of(apply) -> list:
    """The recurrent layers that a model's function has closed over, encoders first."""
    cells = (cell.cell_contents for cell in apply.__closure__)
    layers = [layer for content in cells if isinstance(content, list) for layer in content]
    return sorted(layers, key=lambda layer: layer.name.startswith("decode"))


def vectors_of(apply, *sentences) -> list[np.ndarray]:
    comparison = apply(*sentences)
    return arrays_of(list(comparison.pairs[0]) if comparison.pairs else list(comparison.vectors))


def built(model, **options):
    """A model of simple cells, and its layers' weights in float64, the biases not 0."""
    apply = MODELS[model](cell="rnn", hidden_dim=HIDDEN, **options)
    apply(LEFT, RIGHT, LEFT_MASK, RIGHT_MASK)
    for seed, layer in enumerate(readers_of(apply)):
        layer.set_weights(
            [normal(*w.shape, seed=seed + n) / 2 for n, w in enumerate(layer.get_weights())]
        )
    return apply, [
        [weight.astype("float64") for weight in layer.get_weights()] for layer in readers_of(apply)
    ]


def last(states: np.ndarray, first: np.ndarray) -> np.ndarray:
    return states[-1] if len(states) else first


@pytest.mark.parametrize("both_directions", [False, True])
def test_siamese_vectors_are_the_last_states(both_directions):
    apply, weights = built("siamese", both_directions=both_directions)
    vectors = vectors_of(apply, LEFT, RIGHT, LEFT_MASK, RIGHT_MASK)
    zero = np.zeros(HIDDEN)
    for vector, units, mask in zip(vectors, (LEFT, RIGHT), (LEFT_MASK, RIGHT_MASK), strict=True):
        for row in range(len(units)):
            sentence = units[row][mask[row]]
            orders = (sentence, sentence[::-1])[: len(weights)]
            expected = np.concatenate(
                [
                    last(attention_reference.recurrent(one, of_one, zero), zero)
                    for one, of_one in zip(orders, weights, strict=True)
                ]
            )
            np.testing.assert_allclose(vector[row], expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("both_directions", [False, True])
def test_the_conditional_decoder_starts_where_the_encoder_ends(both_directions):
    apply, weights = built("conditional", both_directions=both_directions)
    [vector] = vectors_of(apply, LEFT, RIGHT, LEFT_MASK, RIGHT_MASK)
    encoders, decoders = weights[: len(weights) // 2], weights[len(weights) // 2 :]
    zero = np.zeros(HIDDEN)
    for row in range(len(LEFT)):
        expected = []
        for backwards, (encode, decode) in enumerate(zip(encoders, decoders, strict=True)):
            step = -1 if backwards else 1
            left, right = LEFT[row][LEFT_MASK[row]][::step], RIGHT[row][RIGHT_MASK[row]][::step]
            state = last(attention_reference.recurrent(left, encode, zero), zero)
            expected.append(last(attention_reference.recurrent(right, decode, state), state))
        np.testing.assert_allclose(vector[row], np.concatenate(expected), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("model", MODELS)
def test_a_pair_alone_is_as_in_the_batch(model, cell):
    apply = MODELS[model](cell=cell, hidden_dim=HIDDEN, both_directions=True)
    together = vectors_of(apply, LEFT, RIGHT, LEFT_MASK, RIGHT_MASK)
    for row in range(2):
        left, right = LEFT[row][LEFT_MASK[row]][None], RIGHT[row][RIGHT_MASK[row]][None]
        masks = (np.ones(one.shape[:2], bool) for one in (left, right))
        for alone, vector in zip(vectors_of(apply, left, right, *masks), together, strict=True):
            np.testing.assert_allclose(alone[0], vector[row], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("attention", ["soft", "local-monotonic"])
def test_attention_in_both_directions_is_one_model_both_ways(attention):
    apply = attentive_rnn(
        cell="lstm",
        hidden_dim=HIDDEN,
        attention=attention,
        window=1,
        match_score="dot",
        both_directions=True,
    )
    [straight] = vectors_of(apply, LEFT, RIGHT, LEFT_MASK, RIGHT_MASK)
    [swapped] = vectors_of(apply, RIGHT, LEFT, RIGHT_MASK, LEFT_MASK)
    assert straight.shape == (3, 2 * HIDDEN)
    np.testing.assert_allclose(straight[:, :HIDDEN], swapped[:, HIDDEN:], rtol=1e-5, atol=1e-6)
    assert np.abs(straight[:, :HIDDEN] - swapped[:, :HIDDEN]).max() > 1e-3
