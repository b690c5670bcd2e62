"""The Transformer: its block against the reference, the order of words, one sequence or two."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings

from abcnn.models import JoinSentences, TransformerBlock, transformer
from tests import attention_reference
from tests.contracts import LayerCase, Length, arrays_of, check_config, check_layer
from tests.layers.attending import normal, with_weights
from tests.strategies import RaggedBatch, pad, ragged_batches

pytestmark = pytest.mark.backend

HIDDEN = 4
SENTENCES = {
    "left": normal(2, 5, 3),
    "right": normal(2, 4, 3, seed=1),
    "left_mask": np.arange(5) < [[5], [2]],
    "right_mask": np.arange(4) < [[3], [4]],
}


@pytest.mark.parametrize("cross", [False, True])
def test_contract(cross, tmp_path):
    units, mask = pad([normal(5, 4), normal(1, 4, seed=1), normal(0, 4)], 5, 4)
    others, others_mask = pad([normal(2, 4, seed=2), normal(3, 4, seed=3), normal(1, 4)], 3, 4)
    case = LayerCase(
        partial(TransformerBlock, 2, 6, cross, "l2"),
        {"units": units} | ({"others": others} if cross else {}),
        {"mask": mask} | ({"others_mask": others_mask} if cross else {}),
        (
            Length((("units", 1),), "mask"),
            *([Length((("others", 1),), "others_mask")] if cross else []),
        ),
    )
    check_layer(case, tmp_path)


@settings(max_examples=10, deadline=None)
@given(batch=ragged_batches())
def test_equals_the_reference(batch: RaggedBatch) -> None:
    size = batch.dim * 2
    left, right = (np.concatenate([side, side**2], axis=2) for side in (batch.left, batch.right))
    layer = with_weights(TransformerBlock(2, 5), left.shape, right.shape)
    masks = {"mask": batch.left_mask, "others_mask": batch.right_mask}
    [actual] = arrays_of(layer(left, right, **masks))
    own, cross = ([w.astype("float64") for w in a.get_weights()] for a in layer.attention_layers)
    norms = [[w.astype("float64") for w in norm.get_weights()] for norm in layer.norms]
    weights = dict(zip(("self_norm", "cross_norm", "inner_norm"), norms, strict=True))
    weights |= {"self": own, "cross": cross}
    weights["inner"] = [*layer.inner.get_weights(), *layer.outer.get_weights()]
    for row, (left_mask, right_mask) in enumerate(zip(*masks.values(), strict=True)):
        expected = attention_reference.transformer_block(
            left[row][left_mask].astype("float64"),
            right[row][right_mask].astype("float64"),
            weights,
            heads=2,
        )
        assert expected.shape[1] == size
        np.testing.assert_allclose(actual[row][left_mask], expected, rtol=1e-3, atol=1e-3)


def test_two_sentences_joined():
    layer = with_weights(JoinSentences(), (2, 5, 3), (2, 4, 3))
    separator, sides = layer.get_weights()
    units, mask, left_part, right_part = arrays_of(layer(**SENTENCES))
    left, right = SENTENCES["left"], SENTENCES["right"]
    expected = [left[1] + sides[0], [separator], right[1] + sides[1]]
    np.testing.assert_allclose(units[1], np.concatenate(expected), rtol=1e-6)
    assert mask[1].tolist() == [1, 1, 0, 0, 0, 1, 1, 1, 1, 1]
    assert left_part[1].tolist() == [1, 1, 0, 0, 0, 0, 0, 0, 0, 0]
    assert right_part[0].tolist() == [0, 0, 0, 0, 0, 0, 1, 1, 1, 0]
    check_config(LayerCase(JoinSentences, {}))


@pytest.mark.parametrize("joint", [False, True])
def test_each_sentence_vector_depends_on_the_other_and_on_the_order_of_words(joint):
    compare = transformer(hidden_dim=HIDDEN, heads=2, depth=2, joint=joint)
    [(left, right)] = compare(**SENTENCES).pairs
    turned = SENTENCES | {"left": SENTENCES["left"][:, ::-1], "left_mask": np.ones((2, 5), bool)}
    straight = turned | {"left": SENTENCES["left"]}
    [(whole_left, whole_right)] = compare(**straight).pairs
    [(turned_left, turned_right)] = compare(**turned).pairs
    for one, other in ((whole_left, turned_left), (whole_right, turned_right)):
        [difference] = arrays_of(one - other)
        assert (np.abs(difference).max(axis=1) > 1e-5).all()
    assert arrays_of(left)[0].shape == arrays_of(right)[0].shape == (2, HIDDEN)


def test_swapping_the_sentences_swaps_the_vectors_of_two_sequences():
    compare = transformer(hidden_dim=HIDDEN, heads=2, depth=2)
    left, right, left_mask, right_mask = SENTENCES.values()
    [straight] = compare(left, right, left_mask, right_mask).pairs
    [swapped] = compare(right, left, right_mask, left_mask).pairs
    for one, other in zip(arrays_of(straight), arrays_of(swapped[::-1]), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def test_heads_that_do_not_divide_the_size_are_refused():
    with pytest.raises(ValueError, match=r"heads.*divide.*4.*Received: 3"):
        TransformerBlock(3, 5)(normal(1, 2, 4), normal(1, 3, 4))
