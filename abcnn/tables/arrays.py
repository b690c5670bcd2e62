"""Arrow values without `pyarrow.array` and `scalar`: these import pandas where it is installed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pyarrow


def number_array(values: np.ndarray, missing: np.ndarray | None = None) -> pyarrow.Array:
    """The numbers as an arrow array, null where the mask `missing` is true."""
    import pyarrow

    buffers = [_valid(missing), pyarrow.py_buffer(np.ascontiguousarray(values))]
    kind = pyarrow.from_numpy_dtype(values.dtype)
    return pyarrow.Array.from_buffers(kind, len(values), buffers)


def text_array(values: Sequence[str | None]) -> pyarrow.Array:
    """The texts as an arrow array, null where there is None.

    Raises UnicodeEncodeError for half a surrogate pair, as arrow does.
    """
    import pyarrow

    encoded = [(value or "").encode() for value in values]
    offsets = np.zeros(len(values) + 1, np.int64)
    np.cumsum([len(text) for text in encoded], out=offsets[1:])
    missing = np.fromiter((value is None for value in values), np.bool_, len(values))
    data = pyarrow.py_buffer(b"".join(encoded))
    large = pyarrow.Array.from_buffers(
        pyarrow.large_string(),
        len(values),
        [_valid(missing), pyarrow.py_buffer(offsets), data],
    )
    return large.cast(pyarrow.string())


def mask_array(mask: np.ndarray) -> pyarrow.BooleanArray:
    """A mask of bools as an arrow array."""
    import pyarrow

    bits = pyarrow.py_buffer(np.packbits(mask, bitorder="little"))
    return pyarrow.Array.from_buffers(pyarrow.bool_(), len(mask), [None, bits])


def text_scalar(text: str) -> pyarrow.StringScalar:
    """A text for functions that take arrow arrays."""
    return text_array([text])[0]


def _valid(missing: np.ndarray | None) -> pyarrow.Buffer | None:
    import pyarrow

    if missing is None or not missing.any():
        return None
    return pyarrow.py_buffer(np.packbits(~missing, bitorder="little"))
