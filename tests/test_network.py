"""The whole network: padding, options, precision, what is trained and what is not."""

from dataclasses import fields, replace

import keras
import numpy as np
import pytest
from keras import ops

from abcnn.models import MODELS
from abcnn.network import NetworkConfig, build_network, named_weights, set_named_weights
from abcnn.network_config import COMPARISONS, MODEL_OPTIONS, model_in_words
from abcnn.text.batches import EncodedPairs, Ragged
from abcnn.text.vocabulary import PAD

WORDS, DIM = 15, 4
CONFIG = NetworkConfig(
    vocabulary=WORDS,
    dim=DIM,
    features=2,
    outputs=1,
    scores=("cosine", "euclidean"),
    filters=3,
    width=3,
    max_length=16,
    hidden_dim=4,
)
VECTORS = np.random.default_rng(0).normal(size=(WORDS, DIM)).astype(np.float32)
LENGTHS = [(5, 2), (1, 9), (16, 3), (0, 4), (7, 12), (2, 1)]


def ragged(generator: np.random.Generator, lengths: list[int]) -> Ragged:
    offsets = np.cumsum([0, *lengths])
    return Ragged(generator.integers(1, WORDS, offsets[-1]).astype(np.int32), offsets)


def some_pairs() -> EncodedPairs:
    generator = np.random.default_rng(1)
    return EncodedPairs(
        left=ragged(generator, [left for left, _ in LENGTHS]),
        right=ragged(generator, [right for _, right in LENGTHS]),
        features=generator.normal(size=(len(LENGTHS), 2)).astype(np.float32),
    )


PAIRS, EVERYONE = some_pairs(), np.arange(len(LENGTHS))


def network_of(config: NetworkConfig, vectors: np.ndarray = VECTORS) -> keras.Model:
    """A network whose weights, the biases too, depend on their shapes and order alone."""
    network = build_network(config, vectors)
    generator = np.random.default_rng(2)
    for weight in network.weights:
        if weight.path != network.get_layer("vectors").embeddings.path:
            weight.assign(generator.normal(size=weight.shape).astype(np.float32) / 2)
    return network


def logits(network: keras.Model, inputs: dict[str, np.ndarray], **arguments) -> np.ndarray:
    return np.asarray(ops.convert_to_numpy(network(inputs, **arguments)))


@pytest.mark.parametrize(
    ("model", "conv_layers"),
    [
        (name, number)
        for name, model in MODELS.items()
        for number in ([1, 2] if "conv_layers" in model.options else [1])
    ],
)
def test_padding_changes_no_logit(model, conv_layers):
    """Batched, in tighter and wider batches, and one by one."""
    network = network_of(replace(CONFIG, model=model, conv_layers=conv_layers, outputs=3))
    together = logits(network, PAIRS.inputs(EVERYONE, 16))
    assert together.shape == (len(LENGTHS), 3)
    assert together.dtype == np.float32
    assert np.isfinite(together).all()
    for index in EVERYONE:
        for step in (1, 8):
            alone = logits(network, PAIRS.inputs(np.array([index]), 16, step))
            np.testing.assert_allclose(alone[0], together[index], rtol=1e-5, atol=1e-5)


def rests_of(pairs: EncodedPairs) -> EncodedPairs:
    """The pairs with rests of other lengths, one of them empty."""
    generator = np.random.default_rng(5)
    sides = ([1, 3, 2, 9, 1, 4], [6, 1, 0, 2, 12, 3])
    return replace(pairs, rests=tuple(ragged(generator, lengths) for lengths in sides))


@pytest.mark.parametrize("model", ["bcnn", "abcnn-3"])
def test_padding_changes_no_logit_of_a_network_with_all_there_is(model):
    pooled = 0 if model == "bcnn" else 4
    config = replace(CONFIG, model=model, conv_layers=2, rest_network=True, pooled_attention=pooled)
    network, pairs = network_of(config), rests_of(PAIRS)
    together = logits(network, pairs.inputs(EVERYONE, 16))
    for index in EVERYONE:
        alone = logits(network, pairs.inputs(np.array([index]), 16, 1))
        np.testing.assert_allclose(alone[0], together[index], rtol=1e-5, atol=1e-5)


def test_the_second_network_is_the_first_one_of_other_sentences_and_weights():
    """With its weights, and the output layer's, exchanged it gives what the first one does."""
    config = replace(CONFIG, rest_network=True, features=2)
    network, pairs = network_of(config), rests_of(PAIRS)
    weights = named_weights(network)
    first, second = (
        {name for name in weights if name.startswith(start)} for start in ("block_", "rest_block_")
    )
    assert {f"rest_{name}" for name in first} == second
    other = network_of(config)
    kernel, scores = weights["logits/kernel"], 2 * len(CONFIG.scores)
    order = [*range(scores, 2 * scores), *range(scores), *range(2 * scores, len(kernel))]
    set_named_weights(
        other,
        weights
        | {f"rest_{name}": weights[name] for name in first}
        | {name: weights[f"rest_{name}"] for name in first}
        | {"logits/kernel": kernel[order]},
    )
    left, right = pairs.rests
    turned = EncodedPairs(left, right, pairs.features, rests=(pairs.left, pairs.right))
    np.testing.assert_allclose(
        logits(other, turned.inputs(EVERYONE, 16)),
        logits(network, pairs.inputs(EVERYONE, 16)),
        rtol=1e-5,
        atol=1e-5,
    )


def test_the_vector_of_padding_never_matters():
    """Whatever the row holds."""
    inputs = PAIRS.inputs(EVERYONE, 16)
    odd = VECTORS.copy()
    odd[PAD] = 1e3
    np.testing.assert_array_equal(
        logits(network_of(CONFIG, odd), inputs), logits(network_of(CONFIG), inputs)
    )


def test_the_options_of_every_model_are_fields_of_the_configuration():
    known = {field.name for field in fields(NetworkConfig)} | {"regularizer"}
    for name, model in MODELS.items():
        assert set(model.options) <= known, name


def test_the_average_is_the_first_block_of_bcnn():
    """With the output layer's weights of all other blocks 0."""
    average, bcnn = (network_of(replace(CONFIG, model=name)) for name in ("average", "bcnn"))
    kernel, bias = bcnn.get_layer("logits").get_weights()
    scores = len(CONFIG.scores)
    kernel[scores : 2 * scores] = 0.0
    bcnn.get_layer("logits").set_weights([kernel, bias])
    average.get_layer("logits").set_weights(
        [np.delete(kernel, range(scores, 2 * scores), axis=0), bias]
    )
    inputs = PAIRS.inputs(EVERYONE, 16)
    np.testing.assert_allclose(logits(average, inputs), logits(bcnn, inputs), atol=1e-6)


def test_the_output_layer_reads_scores_comparisons_and_features_in_this_order():
    """By hand, of the averages of two sentences of two words and one."""
    config = replace(CONFIG, model="average", comparison=("difference", "product"))
    network = network_of(config)
    kernel, bias = (array.astype(np.float64) for array in network.get_layer("logits").get_weights())
    vectors = VECTORS.astype(np.float64)
    left, right = (vectors[3] + vectors[4]) / 2, vectors[7]
    cosine = left @ right / np.linalg.norm(left) / np.linalg.norm(right)
    read = [
        *(cosine, 1 / (1 + np.linalg.norm(left - right))),
        *np.abs(left - right),
        *(left * right),
        *(0.5, -2.0),
    ]
    inputs = {
        "left": np.array([[3, 4, 0]]),
        "right": np.array([[7, 0]]),
        "features": np.array([[0.5, -2.0]], np.float32),
    }
    np.testing.assert_allclose(logits(network, inputs)[0], read @ kernel + bias, rtol=1e-5)


def test_comparisons_start_from_0_in_a_logit_that_trusts_the_scores():
    kernel = build_network(replace(CONFIG, comparison=COMPARISONS)).get_layer("logits").kernel
    scores = 2 * len(CONFIG.scores)
    kernel = ops.convert_to_numpy(kernel)[:, 0]
    assert len(kernel) == scores + 2 * (DIM + CONFIG.filters) + CONFIG.features
    assert kernel[:scores].tolist() == [1] * scores
    assert not kernel[scores:].any()


@pytest.mark.parametrize("model", MODELS)
def test_comparison_is_an_option_of_the_models_that_give_pairs_of_vectors(model):
    config = replace(CONFIG, model=model, comparison=("product",))
    if "comparison" in MODEL_OPTIONS[model]:
        more = build_network(config).count_params()
        assert more > build_network(replace(config, comparison=())).count_params()
    else:
        with pytest.raises(ValueError, match=rf"`comparison` must be \(\) with {model}"):
            build_network(config)


OTHERS = {
    "bcnn": {"model": "bcnn"},
    "abcnn-1": {"model": "abcnn-1"},
    "abcnn-2": {"model": "abcnn-2"},
    "match score": {"match_score": "cosine"},
    "dot": {"match_score": "dot"},
    "manhattan": {"match_score": "manhattan"},
    "all-ap": {"weight_all_pooling": False},
}


@pytest.mark.parametrize("change", OTHERS.values(), ids=OTHERS)
def test_options_change_the_function(change):
    """Each with the same weights, as far as both have them."""
    one, other = network_of(CONFIG), network_of(replace(CONFIG, **change))
    for name in ("logits",):
        other.get_layer(name).set_weights(one.get_layer(name).get_weights())
    if one.count_params() == other.count_params():
        other.set_weights(one.get_weights())
    inputs = PAIRS.inputs(EVERYONE, 16)
    assert np.abs(logits(one, inputs) - logits(other, inputs)).max() > 1e-3


def test_own_weights_for_the_two_feature_maps_are_more_weights():
    shared, own = (build_network(replace(CONFIG, share_weights=share)) for share in (True, False))
    assert own.count_params() == shared.count_params() + CONFIG.max_length * DIM


@pytest.mark.parametrize(("match_score", "size"), [("bilinear", 1), ("additive", 2)])
def test_a_match_score_with_weights_has_them_once_an_attention(match_score, size):
    """On units of DIM numbers and on phrases of `filters`; both sentences share them."""

    def weights_of(dim: int) -> int:
        return size * dim**2 + (dim if match_score == "additive" else 0)

    expected = {
        "abcnn-1": weights_of(DIM),
        "abcnn-2": weights_of(CONFIG.filters),
        "abcnn-3": weights_of(DIM) + weights_of(CONFIG.filters),
    }
    for model, count in expected.items():
        plain = build_network(replace(CONFIG, model=model))
        network = build_network(replace(CONFIG, model=model, match_score=match_score))
        assert network.count_params() - plain.count_params() == count


@pytest.mark.parametrize("match_score", ["bilinear", "additive"])
def test_a_match_score_with_weights_learns(match_score):
    """Its weights move with the first step, and stay finite over many."""
    network = build_network(replace(CONFIG, match_score=match_score), VECTORS)
    network.compile(keras.optimizers.Adam(0.01), "mse")
    inputs = PAIRS.inputs(EVERYONE, 16)
    block = network.get_layer("block_1")
    layers = (block.input_attention, block.pooling_attention)
    before = [weight for layer in layers for weight in layer.get_weights()]
    targets = np.arange(len(LENGTHS), dtype="float32")[:, None] / 3
    losses = [float(network.train_on_batch(inputs, targets)) for _ in range(20)]
    after = [weight for layer in layers for weight in layer.get_weights()]
    for one, other in zip(before, after, strict=True):
        assert (one != other).any()
    assert np.isfinite(losses).all()
    assert losses[-1] < losses[0]


def test_one_layer_of_abcnn_2_without_weighted_pooling_is_bcnn():
    """As the paper has it: attention in the window pooling reaches only a further block."""
    one = network_of(replace(CONFIG, model="abcnn-2", weight_all_pooling=False))
    other = network_of(replace(CONFIG, model="bcnn"))
    inputs = PAIRS.inputs(EVERYONE, 16)
    np.testing.assert_allclose(logits(one, inputs), logits(other, inputs), atol=1e-6)


def test_the_vectors_are_trained_only_when_told_to():
    for train_vectors in (False, True):
        network = build_network(replace(CONFIG, train_vectors=train_vectors), VECTORS)
        trained = {weight.path for weight in network.trainable_weights}
        assert (network.get_layer("vectors").embeddings.path in trained) == train_vectors
        np.testing.assert_array_equal(network.get_layer("vectors").get_weights()[0], VECTORS)


@pytest.mark.parametrize("kind", ["vector_dropout", "score_dropout"])
def test_dropout_is_for_training_only(kind):
    inputs = PAIRS.inputs(EVERYONE, 16)
    network, without = network_of(replace(CONFIG, **{kind: 0.5})), network_of(CONFIG)
    without.set_weights(network.get_weights())
    expected = logits(without, inputs)
    np.testing.assert_array_equal(logits(network, inputs), expected)
    np.testing.assert_allclose(network.predict_on_batch(inputs), expected, atol=1e-5)
    assert (logits(network, inputs, training=True) != expected).any()


def test_weight_decay_is_of_all_weights_but_vectors_and_biases():
    network = network_of(replace(CONFIG, l2=0.5, train_vectors=True))
    vectors = network.get_layer("vectors").embeddings.path
    decayed = [w for w in network.weights if w.path != vectors and not w.path.endswith("bias")]
    assert len(decayed) == 3  # convolution, feature map, output layer
    expected = sum(0.5 * float(ops.sum(weight**2)) for weight in decayed)
    assert float(sum(network.losses)) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("policy", ["mixed_bfloat16", "mixed_float16"])
def test_mixed_precision_gives_nearly_the_same_float32_logits(policy):
    inputs = PAIRS.inputs(EVERYONE, 16)
    expected = logits(network_of(CONFIG), inputs)
    before = keras.config.dtype_policy()
    keras.config.set_dtype_policy(policy)
    try:
        network = network_of(CONFIG)
    finally:
        keras.config.set_dtype_policy(before)
    assert network.get_layer("block_1").compute_dtype == policy.removeprefix("mixed_")
    assert all(weight.dtype == "float32" for weight in network.weights)
    actual = logits(network, inputs)
    assert actual.dtype == np.float32
    assert (actual != expected).any()
    np.testing.assert_allclose(actual, expected, atol=0.05)


def test_a_model_in_words_has_the_sizes_that_it_reads():
    assert model_in_words(vars(CONFIG)) == ("abcnn-3, 1 convolution layer(s), 3 filters of width 3")
    config = replace(CONFIG, model="transformer", heads=2)
    assert model_in_words(vars(config)) == (
        "transformer, hidden dim: 4, heads: 2, depth: 1, joint: False"
    )
    assert model_in_words(vars(replace(CONFIG, model="average"))) == "average"
    several = model_in_words(vars(replace(CONFIG, width=(2, 3, 4))))
    assert several == "abcnn-3, 1 convolution layer(s), 3 filters of width 2 and 3 and 4"
    compared = replace(CONFIG, model="average", comparison=COMPARISONS)
    assert model_in_words(vars(compared)) == "average, compared by difference and product"
