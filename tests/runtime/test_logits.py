"""The fast engine against the Keras network, which is the reference, and against itself."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st
from keras import ops
from numba import njit

from abcnn.models import MODELS
from abcnn.network import build_network, named_weights, set_named_weights
from abcnn.network_config import COMPARISONS, NetworkConfig
from abcnn.runtime import fold, foldable, logits, weight_shapes
from abcnn.runtime.lanes import LANES, load, store
from abcnn.runtime.numpy_network import NumpyNetwork
from abcnn.runtime.operations import tanh
from abcnn.runtime.packed_vectors import PackedVectors
from abcnn.text.batches import EncodedPairs
from tests.runtime.networks import (
    FEATURES,
    MAX_LENGTH,
    VOCABULARY,
    Case,
    cases,
    network_of,
    pairs_of,
    ragged,
    some,
    weights_of,
)

CONFIG = NetworkConfig(
    VOCABULARY, 5, FEATURES, 1, ("cosine",), filters=3, width=3, max_length=MAX_LENGTH
)


def reference(case: Case, weights: dict[str, np.ndarray]) -> np.ndarray:
    network = network_of(case.config)
    set_named_weights(network, weights)
    # Called, not compiled: a compiler would take longer than all examples.
    inputs = case.pairs.inputs(np.arange(len(case.pairs)), MAX_LENGTH)
    return np.asarray(ops.convert_to_numpy(network(inputs)))


# Smaller examples would cost more networks than they are worth.
@settings(max_examples=40, deadline=None, phases=(Phase.explicit, Phase.generate))
@given(cases())
def test_logits_are_those_of_keras(case):
    weights = weights_of(case.config, case.seed)
    expected = reference(case, weights)
    # Weights of both signs that cancel have results of mere rounding: where the reference itself
    # moves with the last bits of its weights there is nothing to compare.
    shaken = {name: values * np.float32(1 + 3e-7) for name, values in weights.items()}
    assume(np.abs(reference(case, shaken) - expected).max() < 3e-6)
    actual = logits(fold(case.config, weights), case.pairs)
    assert (actual.dtype, actual.shape) == (np.float32, expected.shape)
    np.testing.assert_allclose(actual, expected, atol=1e-5)


@pytest.mark.parametrize("model", ["abcnn-2", "abcnn-3"])
@pytest.mark.parametrize("apart", [1e-6, 1e-3, 3e-3, 1e-2])
def test_logits_are_those_of_keras_however_near_the_words_are(model, apart):
    """Nearly equal words make nearly equal phrases, whose distances float32 products lose."""
    config = replace(CONFIG, model=model, dim=50, filters=50, width=1, scores=("euclidean",))
    pairs = many_pairs(200)
    case, weights = Case(config, 0, pairs), weights_of(config, 0)
    vectors = weights["vectors/embeddings"]
    vectors[:] = 3 * np.repeat(vectors[::3], 3, axis=0) + np.float32(3 * apart) * vectors
    expected = reference(case, weights)
    network = NumpyNetwork(config, weights, PackedVectors(vectors))
    inputs = pairs.inputs(np.arange(len(pairs)), MAX_LENGTH)
    for actual in (logits(fold(config, weights), pairs), network(inputs)):
        np.testing.assert_allclose(actual, expected, atol=2e-6)


@settings(max_examples=60, deadline=None)
@given(cases(), st.randoms(use_true_random=False))
def test_a_pair_scores_the_same_to_the_last_bit_whatever_stands_beside_it(case, random):
    network = fold(case.config, weights_of(case.config, case.seed))
    together = logits(network, case.pairs)
    order = [random.randrange(len(case.pairs)) for _ in range(8)]
    for indices in (order, *([index] for index in order)):
        np.testing.assert_array_equal(logits(network, some(case.pairs, indices)), together[indices])


def many_pairs(number: int) -> EncodedPairs:
    generator = np.random.default_rng(3)

    def sentences() -> list[list[int]]:
        lengths = generator.integers(0, MAX_LENGTH + 1, number)
        return [generator.integers(1, VOCABULARY, length).tolist() for length in lengths]

    return pairs_of(sentences(), sentences())


def test_threads_change_no_bit():
    network, pairs = fold(CONFIG, weights_of(CONFIG, 0)), many_pairs(700)
    expected = logits(network, pairs, threads=1)
    for threads in (2, 3, None):
        np.testing.assert_array_equal(logits(network, pairs, threads=threads), expected)


def test_the_same_word_matches_itself_with_exactly_1():
    """Of vectors whose squares differ from their products by rounding."""
    config = replace(CONFIG, dim=300, model="abcnn-2", scores=("euclidean",), conv_layers=1)
    network = fold(config, weights_of(config, 1))
    words = [[word] * n for word in range(1, VOCABULARY) for n in (1, 2, 7)]
    pairs = pairs_of(words, [sentence[:1] for sentence in words])
    [tower] = network.towers
    head = np.zeros_like(tower.head)
    head[0, 0] = 1
    tower = tower._replace(head=head, head_bias=np.zeros(1, np.float32))
    scores = logits(network._replace(towers=(tower,)), pairs)
    np.testing.assert_array_equal(scores, 1.0)


def test_no_pairs_and_nothing_but_empty_sentences():
    network = fold(CONFIG, weights_of(CONFIG, 0))
    assert logits(network, pairs_of([], [])).shape == (0, 1)
    assert np.isfinite(logits(network, pairs_of([[], [1]], [[], []]))).all()


@pytest.mark.parametrize("change", [{"match_score": "other"}, {"scores": ("cosine", "other")}])
def test_what_it_does_not_know_is_told(change):
    assert foldable(CONFIG)
    assert not foldable(replace(CONFIG, **change))


FOLDABLE = [model for model in MODELS if foldable(replace(CONFIG, model=model))]


def test_the_models_that_it_knows():
    assert FOLDABLE == ["average", "bcnn", "abcnn-1", "abcnn-2", "abcnn-3"]


@pytest.mark.parametrize("width", [3, (2, 4)])
@pytest.mark.parametrize("comparison", [(), COMPARISONS])
@pytest.mark.parametrize("conv_layers", [1, 2, 3])
@pytest.mark.parametrize("model", FOLDABLE)
def test_every_model_depth_comparison_and_width(model, conv_layers, comparison, width):
    shape = {"conv_layers": conv_layers, "comparison": comparison, "width": width}
    config = replace(CONFIG, model=model, **shape)
    left = [[1], [2, 3, 4], [5, 6, 5, 6, 7, 8, 9], [], [2, 2]]
    case = Case(config, 3, pairs_of(left, [[4, 5], [7], [5, 6, 8], [1], [2, 3, 2]]))
    weights = weights_of(config, 3)
    expected = reference(case, weights)
    np.testing.assert_allclose(logits(fold(config, weights), case.pairs), expected, atol=1e-5)
    if comparison:  # What it adds is no rounding.
        head = {"logits/kernel": weights["logits/kernel"].copy()}
        blocks = 0 if model == "average" else conv_layers * len(config.widths)
        head["logits/kernel"][1 + blocks : -FEATURES] = 0
        without = logits(fold(config, weights | head), case.pairs)
        assert np.abs(without - expected).max() > 0.01


@pytest.mark.parametrize(("comparison", "width"), [((), 3), (("product",), 3), ((), (2, 4))])
@pytest.mark.parametrize("model", FOLDABLE)
@pytest.mark.parametrize("share", [True, False])
def test_the_names_and_shapes_of_weights_are_those_of_keras(model, share, comparison, width):
    changes = {"share_weights": share, "comparison": comparison, "width": width}
    pooled = 3 if not share and "abcnn" in model else 0
    changes |= {"pooled_attention": pooled, "rest_network": not share}
    config = replace(CONFIG, model=model, conv_layers=2, **changes)
    weights = named_weights(build_network(config))
    assert {name: array.shape for name, array in weights.items()} == weight_shapes(config)


def test_weights_that_do_not_fit_are_refused():
    """The compiled loops would read beyond them."""
    weights = weights_of(CONFIG, 0)
    for name, array in weights.items():
        with pytest.raises(ValueError, match="`weights` must be"):
            fold(CONFIG, weights | {name: array[:-1]})
        with pytest.raises(ValueError, match="`weights` must be"):
            fold(CONFIG, {other: weights[other] for other in weights if other != name})


def test_pairs_that_do_not_fit_are_refused():
    network = fold(CONFIG, weights_of(CONFIG, 0))
    for words, message in (
        ([VOCABULARY], "ids must be below"),
        ([-1], "ids must be below"),
        ([1] * (MAX_LENGTH + 1), "at most"),
    ):
        with pytest.raises(ValueError, match=message):
            logits(network, pairs_of([words], [[1]]))
        with pytest.raises(ValueError, match=message):
            logits(network, pairs_of([[1]], [words]))
    fitting = pairs_of([[1]], [[2]])
    with pytest.raises(ValueError, match="must have 2 features"):
        logits(network, EncodedPairs(fitting.left, fitting.right, fitting.features[:, :1]))
    config = replace(CONFIG, rest_network=True)
    of_rests = fold(config, weights_of(config, 0))
    with pytest.raises(ValueError, match="must have rests"):
        logits(of_rests, fitting)
    with pytest.raises(ValueError, match="ids must be below"):
        logits(of_rests, replace(fitting, rests=(ragged([[VOCABULARY]]), ragged([[1]]))))


@njit
def tanh_of(x, out):
    for start in range(0, len(x), LANES):
        store(out, start, tanh(load(x, start)))


def test_tanh_is_exact_to_the_last_bits():
    x = np.concatenate([np.linspace(-12, 12, 20_000), np.logspace(-30, 1, 3_000)])
    x = x.astype(np.float32)
    exact, actual = np.tanh(x.astype(np.float64)), np.empty_like(x)
    tanh_of(x, actual)
    np.testing.assert_allclose(actual, exact, rtol=4e-7)
    assert np.abs(actual).max() <= 1
