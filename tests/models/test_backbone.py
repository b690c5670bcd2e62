"""The named models against the loops of `tests/reference.py`, and what padding and order do."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from keras import ops

from abcnn.models import Block, abcnn1, abcnn2, abcnn3, bcnn
from tests import reference
from tests.contracts import (
    LayerCase,
    Length,
    check_config,
    check_gradients,
    check_save_and_reload,
    check_shapes,
)
from tests.strategies import RaggedBatch, ragged_batches

pytestmark = pytest.mark.backend

FILTERS, WIDTH, MAX_LENGTH = 4, 3, 9
MODELS = {"bcnn": bcnn, "abcnn-1": abcnn1, "abcnn-2": abcnn2, "abcnn-3": abcnn3}

# Twelve models, each run op by op; the layers have had many examples each.
very_few_examples = settings(max_examples=6, deadline=None)


def blocks_of(apply) -> list[Block]:
    """The blocks that a backbone's function has closed over."""
    towers = next(c.cell_contents for c in apply.__closure__ if isinstance(c.cell_contents, list))
    return list(itertools.chain.from_iterable(towers))


def weights_of(block: Block, dim: int) -> reference.BlockWeights:
    """A block's weights as the reference takes them: one kernel a channel."""
    kernel, bias = (np.asarray(ops.convert_to_numpy(w)) for w in block.convolution.weights)
    if not block.attend_input:
        return reference.BlockWeights(kernel, bias)
    maps = block.feature_map
    left, right = (
        np.asarray(ops.convert_to_numpy(w)) for w in (maps.left_weights, maps.right_weights)
    )
    return reference.BlockWeights(
        kernel[:, :dim], bias, reference.MapWeights(kernel[:, dim:], left, right)
    )


def sentence_vectors(apply, batch: RaggedBatch) -> list[tuple[np.ndarray, np.ndarray]]:
    pairs = apply(batch.left, batch.right, batch.left_mask, batch.right_mask).pairs
    return [tuple(np.asarray(ops.convert_to_numpy(v)) for v in pair) for pair in pairs]


def randomise_biases(blocks: list[Block]) -> None:
    for seed, block in enumerate(blocks):
        generator = np.random.default_rng(seed)
        block.convolution.bias.assign(generator.normal(size=FILTERS).astype("float32"))


REFERENCES = {
    "bcnn": reference.bcnn,
    "abcnn-1": reference.abcnn1,
    "abcnn-2": reference.abcnn2,
    "abcnn-3": reference.abcnn3,
}


@pytest.mark.parametrize("conv_layers", [1, 2, 3])
@pytest.mark.parametrize("model", MODELS)
@very_few_examples
@given(batch=ragged_batches(min_length=1), share=st.booleans(), weigh=st.booleans())
def test_reference(model, conv_layers, batch, share, weigh):
    apply = MODELS[model](
        conv_layers=conv_layers,
        filters=FILTERS,
        width=WIDTH,
        max_length=MAX_LENGTH,
        share_weights=share,
        weight_all_pooling=weigh,
    )
    sentence_vectors(apply, batch)  # builds
    blocks = blocks_of(apply)
    randomise_biases(blocks)
    actual = sentence_vectors(apply, batch)
    dims = [batch.dim] + [FILTERS] * (conv_layers - 1)
    weights = [weights_of(block, dim) for block, dim in zip(blocks, dims, strict=True)]
    for row, (left, right) in enumerate(batch.pairs()):
        expected = REFERENCES[model](left, right, weights, weighted_all_pooling=weigh)
        assert len(expected) == len(actual) == conv_layers + 1
        for (left_vector, right_vector), (expected_left, expected_right) in zip(
            actual, expected, strict=True
        ):
            np.testing.assert_allclose(left_vector[row], expected_left, rtol=2e-3, atol=2e-3)
            np.testing.assert_allclose(right_vector[row], expected_right, rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("model", MODELS)
@very_few_examples
@given(batch=ragged_batches(min_length=1))
def test_each_width_is_a_tower_of_its_own_over_the_same_words(model, batch):
    widths = (3, 1, 2)
    apply = MODELS[model](conv_layers=2, filters=FILTERS, width=widths, max_length=MAX_LENGTH)
    sentence_vectors(apply, batch)  # builds
    blocks = blocks_of(apply)
    assert [block.name for block in blocks] == [
        f"block_{number}_width_{width}" for width in widths for number in (1, 2)
    ]
    randomise_biases(blocks)
    first, *actual = sentence_vectors(apply, batch)
    for tower in range(3):
        of_tower = blocks[2 * tower : 2 * tower + 2]
        weights = [
            weights_of(block, dim)
            for block, dim in zip(of_tower, (batch.dim, FILTERS), strict=True)
        ]
        found = [first, *actual[2 * tower : 2 * tower + 2]]
        for row, (left, right) in enumerate(batch.pairs()):
            expected = REFERENCES[model](left, right, weights, weighted_all_pooling=True)
            for (left_vector, right_vector), (expected_left, expected_right) in zip(
                found, expected, strict=True
            ):
                np.testing.assert_allclose(left_vector[row], expected_left, rtol=2e-3, atol=2e-3)
                np.testing.assert_allclose(right_vector[row], expected_right, rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("model", MODELS)
@very_few_examples
@given(batch=ragged_batches())
def test_swapping_the_sentences_swaps_the_vectors(model, batch):
    apply = MODELS[model](filters=FILTERS, width=WIDTH, max_length=MAX_LENGTH, conv_layers=2)
    swapped = RaggedBatch(batch.right, batch.left, batch.right_mask, batch.left_mask)
    straight, other = sentence_vectors(apply, batch), sentence_vectors(apply, swapped)
    for (left, right), (other_left, other_right) in zip(straight, other, strict=True):
        np.testing.assert_allclose(left, other_right, rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(right, other_left, rtol=1e-4, atol=1e-4)


def test_models_are_four_different_functions():
    """One-layer ABCNN-2 is not BCNN: its sentence vector is weighted by default (paper.md)."""
    generator = np.random.default_rng(1)
    batch = RaggedBatch(
        generator.normal(size=(2, 6, 3)).astype("float32"),
        generator.normal(size=(2, 4, 3)).astype("float32"),
        np.ones((2, 6), bool),
        np.ones((2, 4), bool),
    )
    results = {}
    for model in MODELS:
        apply = MODELS[model](filters=FILTERS, width=WIDTH, max_length=MAX_LENGTH)
        sentence_vectors(apply, batch)
        for block in blocks_of(apply):
            for number, weight in enumerate(block.weights):
                values = np.random.default_rng(number).normal(size=tuple(weight.shape))
                kernel = block.convolution.kernel
                if weight is kernel and block.attend_input:  # as BCNN, and another channel
                    values[:, :3] = np.random.default_rng(number).normal(size=(WIDTH, 3, FILTERS))
                weight.assign(values.astype("float32"))
        results[model] = sentence_vectors(apply, batch)[-1][0]
    for first, second in itertools.combinations(MODELS, 2):
        assert np.abs(results[first] - results[second]).max() > 1e-3, (first, second)


@pytest.mark.parametrize("attend_input", [False, True])
@pytest.mark.parametrize("attend_pooling", [False, True])
def test_block_contract(attend_input, attend_pooling, tmp_path):
    generator = np.random.default_rng(0)
    left, right = generator.normal(size=(2, 5, 3)), generator.normal(size=(2, 3, 3))
    left_mask, right_mask = np.ones((2, 5), bool), np.ones((2, 3), bool)
    left_mask[1, 3:] = right_mask[0, 1:] = False

    def make(**arguments):
        return Block(
            FILTERS,
            WIDTH,
            MAX_LENGTH,
            attend_input=attend_input,
            attend_pooling=attend_pooling,
            **arguments,
        )

    case = LayerCase(
        make,
        {"left": left.astype("float32"), "right": right.astype("float32")},
        {"left_mask": left_mask, "right_mask": right_mask},
        (Length((("left", 1),), "left_mask"), Length((("right", 1),), "right_mask")),
    )
    check_config(case)
    check_shapes(case)
    check_save_and_reload(case, tmp_path)
    check_gradients(case)


@pytest.mark.parametrize("model", ["abcnn-1", "abcnn-2", "abcnn-3"])
@very_few_examples
@given(batch=ragged_batches())
def test_pooled_attention_is_the_reference_s_of_each_block_s_own(model, batch):
    """Of both attentions where there are two, that on the input first; the vectors stay."""
    config = {"filters": FILTERS, "width": WIDTH, "max_length": MAX_LENGTH}
    apply = MODELS[model](**config, pooled_attention=3, prefix="rest_")
    units = batch.left, batch.right, batch.left_mask, batch.right_mask
    [pooled] = apply(*units).vectors
    [block] = blocks_of(apply)
    assert block.name == "rest_block_1"
    maps = [np.asarray(ops.convert_to_numpy(one.matrix)) for one in block.attentions(*units)]
    widths = {"input": 1, "pooling": WIDTH}
    for row, (left, right) in enumerate(batch.pairs()):
        expected = []
        for one, matrix in zip(block.attentions(*units), maps, strict=True):
            more = widths[one.name] - 1
            n, m = (len(side) + more if len(side) else 0 for side in (left, right))
            expected.append(reference.dynamic_pooling(matrix[row, :n, :m], 3).ravel())
        actual = np.asarray(ops.convert_to_numpy(pooled))[row]
        np.testing.assert_allclose(actual, np.concatenate(expected), atol=1e-6)
    plain = MODELS[model](**config)
    assert not plain(*units).vectors


def test_config_of_a_block_with_pooled_attention():
    block = Block(FILTERS, WIDTH, MAX_LENGTH, attend_input=True, pooled_attention=2)
    again = Block.from_config(block.get_config())
    assert again.pooled_attention == 2
    shapes = again.compute_output_shape((None, None, 5), (None, None, 5))
    assert shapes.pooled_attention == (None, 4)
