"""Arrow arrays made of buffers: those that `pyarrow.array` makes."""

import numpy as np
import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abcnn.tables.arrays import number_array, text_array


@settings(deadline=None)
@given(st.lists(st.none() | st.text(max_size=5), max_size=20))
def test_texts(values):
    assert text_array(values).equals(pyarrow.array(values, pyarrow.string()))


@settings(deadline=None)
@given(st.lists(st.tuples(st.floats(allow_nan=False), st.booleans()), max_size=20))
def test_numbers(rows):
    values = np.array([[value, value] for value, _ in rows]).reshape(-1, 2)[:, 0]
    missing = np.array([hidden for _, hidden in rows], bool)
    assert number_array(values, missing).equals(pyarrow.array(values, mask=missing))
    whole = (values > 0).astype(np.uint8)
    assert number_array(whole).equals(pyarrow.array(whole))


def test_half_a_surrogate_pair_is_no_text():
    with pytest.raises(UnicodeEncodeError):
        text_array(["\ud83d"])
