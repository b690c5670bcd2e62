"""Sentence vectors compared number by number."""

import numpy as np
import pytest
from keras import ops

from abcnn.layers import ElementwiseComparison, elementwise_comparison
from abcnn.network_config import COMPARISONS
from abcnn.runtime import matching
from tests.contracts import LayerCase, check_layer, gradients

pytestmark = pytest.mark.backend

LEFT = np.array([[1.0, -2.0, 0.5], [3.0, 0.0, -1.0]], np.float32)
RIGHT = np.array([[0.25, 1.0, 0.5], [-3.0, 2.0, -4.0]], np.float32)
DIFFERENCE = [[0.75, 3.0, 0.0], [6.0, 2.0, 3.0]]
PRODUCT = [[0.25, -2.0, 0.25], [-9.0, 0.0, 4.0]]


@pytest.mark.parametrize("comparisons", [("difference", "product"), ("product",)])
def test_contract(comparisons, tmp_path):
    generator = np.random.default_rng(0)
    left, right = generator.normal(size=(2, 4, 7)).astype(np.float32)
    case = LayerCase(
        lambda **options: ElementwiseComparison(comparisons, **options),
        {"left": left, "right": right},
    )
    check_layer(case, tmp_path)


def test_by_hand_in_both_orders():
    for comparisons, expected in (
        (("difference", "product"), np.concatenate([DIFFERENCE, PRODUCT], axis=1)),
        (("product", "difference"), np.concatenate([PRODUCT, DIFFERENCE], axis=1)),
        (("difference",), DIFFERENCE),
    ):
        layer = ElementwiseComparison(comparisons)
        for pair in ((LEFT, RIGHT), (RIGHT, LEFT)):
            np.testing.assert_array_equal(ops.convert_to_numpy(layer(*pair)), expected)
    for name, expected in (("difference", DIFFERENCE), ("product", PRODUCT)):
        actual = matching.elementwise_comparison(LEFT, RIGHT, name)
        np.testing.assert_array_equal(actual, np.array(expected, np.float32), strict=True)


def test_equal_vectors_have_a_finite_gradient():
    by_input, _ = gradients(ElementwiseComparison(), {"left": LEFT, "right": LEFT.copy()}, {})
    assert all(np.isfinite(gradient).all() for gradient in by_input.values())


def test_what_cannot_be_is_refused():
    assert tuple(elementwise_comparison.COMPARISONS) == COMPARISONS
    with pytest.raises(ValueError, match=r"`comparisons` must name at least one"):
        ElementwiseComparison(())
    with pytest.raises(ValueError, match=r"`comparisons` must be one of difference, product"):
        ElementwiseComparison(("sum",))
    with pytest.raises(ValueError, match=r"`right` must have 2 axes"):
        ElementwiseComparison()(LEFT, RIGHT[0])
