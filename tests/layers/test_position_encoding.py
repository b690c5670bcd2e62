"""PositionEncoding: contract, the formula, what counts as a position."""

import numpy as np
import pytest

from abcnn.layers import PositionEncoding
from tests import attention_reference
from tests.contracts import FLOAT32, LayerCase, Length, arrays_of, check_layer
from tests.layers.attending import normal
from tests.strategies import pad

pytestmark = pytest.mark.backend


def test_contract(tmp_path):
    units, mask = pad([normal(5, 3), normal(1, 3, seed=1), normal(0, 3)], 5, 3)
    places = Length((("units", 1),), "mask")
    check_layer(LayerCase(PositionEncoding, {"units": units}, {"mask": mask}, (places,)), tmp_path)


@pytest.mark.parametrize("dim", [1, 4, 5])
def test_equals_the_reference(dim):
    units = normal(2, 6, dim)
    [placed] = arrays_of(PositionEncoding()(units))
    np.testing.assert_allclose(
        placed - units, [attention_reference.sinusoids(6, dim)] * 2, **FLOAT32
    )


def test_padding_in_the_middle_is_not_counted():
    mask = np.array([[True, False, False, True, True]])
    [placed] = arrays_of(PositionEncoding()(np.zeros((1, 5, 4), "float32"), mask=mask))
    np.testing.assert_allclose(placed[mask], attention_reference.sinusoids(3, 4), **FLOAT32)
    assert not placed[~mask].any()


def test_units_without_a_length_are_refused():
    with pytest.raises(ValueError, match=r"units.*3 axes.*Received"):
        PositionEncoding()(normal(2, 3))
