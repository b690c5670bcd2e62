"""What a layer shows of itself is the attention that it uses."""

import numpy as np
import pytest

from abcnn import layers
from tests.contracts import arrays_of
from tests.layers.attending import normal

PAIR = {
    "query": normal(2, 5, 4),
    "value": normal(2, 3, 4, seed=1),
    "query_mask": np.arange(5) < [[5], [2]],
    "value_mask": np.arange(3) < [[2], [3]],
}
ONE = {"units": PAIR["query"], "mask": PAIR["query_mask"]}
ENDS = np.array([[False, True, False, False, True], [False, True, False, False, False]])
TEXT = {"words": PAIR["query"], "ends": ENDS, "mask": PAIR["query_mask"]}
CUT = {"words": normal(2, 3, 5, 4), "mask": np.arange(5) < [[[5], [2], [0]], [[1], [3], [4]]]}
CASES = [
    (layers.SoftAttention("additive"), PAIR, ("own", "other")),
    (layers.LocalAttention(1), PAIR, ("own", "other")),
    (layers.LocalAttention(1, "predictive"), PAIR, ("own", "other")),
    (layers.HardAttention("bilinear", seed=0), PAIR, ("own", "other")),
    (layers.MultiHeadAttention(2, 3), PAIR, ("own", "other")),
    (layers.WordByWordAttention(), PAIR, ("own", "other")),
    (layers.SelfAttention(3), ONE, ("own", "own")),
    (layers.AttentionPooling(3), ONE, ("own", "own")),
    (layers.DocumentAttention(3, 2), TEXT, ("own", "own")),
    (layers.HierarchicalAttention(3), CUT, ("own", "own")),
]


@pytest.mark.parametrize(("layer", "arguments", "sides"), CASES, ids=lambda one: str(one)[:30])
def test_a_layer_shows_the_attention_that_it_returns(layer, arguments, sides):
    layer.return_attention = True
    _, expected, *weights = arrays_of(layer(**arguments))
    (shown,) = layer.attentions(**arguments)
    assert (shown.name, shown.rows, shown.columns) == (layer.name, *sides)
    [matrix] = arrays_of(shown.matrix)
    np.testing.assert_array_equal(matrix, expected.reshape(matrix.shape))
    assert matrix.ndim == (4 if "heads" in layer.get_config() else 3)
    if weights:
        np.testing.assert_array_equal(*arrays_of(shown.row_weights), weights[0])


def test_a_pooled_vector_stands_for_the_real_units():
    layer = layers.AttentionPooling(3)
    layer(**ONE)
    (shown,) = layer.attentions(**ONE)
    np.testing.assert_array_equal(*arrays_of(shown.row_units), ONE["mask"][:, None])
