"""Columns to the bytes of CSV and TSV, many rows at a time.

What needs more than that is left to `csv_line` and `tsv_line`: values that are to be refused, and
blank lines. The bytes are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from abcnn.tables.arrays import mask_array, text_array, text_scalar
from abcnn.tables.encoders import cell_text
from abcnn.tables.parquet_writing import python_values

if TYPE_CHECKING:
    import pyarrow

# Numbers between them that are not whole arrow writes as Python does.
_SMALLEST_ALIKE, _LARGEST_ALIKE = 1e-4, 1e9


def delimited_bytes(columns: Sequence[Sequence[Any]], format: str) -> memoryview | None:
    """The lines of some rows in `csv` or `tsv`; None when they must be written one by one."""
    import pyarrow

    # Numba is imported when there is work for it.
    from abcnn.tables.line_joining import joined_lines

    try:
        cells = [_cell_texts(column) for column in columns]
    except (pyarrow.ArrowException, UnicodeEncodeError):  # Too long for one array; half an emoji.
        return None
    texts = [_text_and_offsets(column) for column in cells]
    if len(texts) == 1 and format == "csv" and not np.diff(texts[0][1]).all():
        return None
    lines = joined_lines(texts, "," if format == "csv" else "\t", quoted=format == "csv")
    return None if lines is None else lines.data


def _cell_texts(column: Sequence[Any]) -> pyarrow.StringArray:
    """A column as the texts of its cells."""
    import pyarrow

    if isinstance(column, pyarrow.Array):
        kind = column.type
        if pyarrow.types.is_string(kind) or pyarrow.types.is_integer(kind):
            return column.cast(pyarrow.string()).fill_null(text_scalar(""))
        if pyarrow.types.is_float64(kind):
            return _number_texts(column)
    return text_array([cell_text(value) for value in python_values(column)])


def _number_texts(column: pyarrow.DoubleArray) -> pyarrow.StringArray:
    """Numbers as Python writes them; arrow does so faster, but whole, tiny and huge ones otherwise.

    Where there is none the text is empty.
    """
    import pyarrow
    from pyarrow import compute

    values = np.nan_to_num(_numbers(column), nan=0.0)
    size = np.abs(values)
    alike = (size >= _SMALLEST_ALIKE) & (size <= _LARGEST_ALIKE) & (values != np.floor(values))
    texts = column.cast(pyarrow.string())
    if alike.all():
        return texts
    others = column.filter(mask_array(~alike)).to_pylist()
    other_texts = text_array(["" if x is None else repr(x) for x in others])
    return compute.replace_with_mask(texts, mask_array(~alike), other_texts)


def _numbers(column: pyarrow.DoubleArray) -> np.ndarray:
    """The values, and NaN for nulls."""
    valid, data = column.buffers()
    part = slice(column.offset, column.offset + len(column))
    values = np.frombuffer(data, np.float64)[part]
    if valid is None:
        return values
    known = np.unpackbits(np.frombuffer(valid, np.uint8), bitorder="little")[part]
    return np.where(known, values, np.nan)


def _text_and_offsets(column: pyarrow.StringArray) -> tuple[np.ndarray, np.ndarray]:
    """The text of a column without nulls, uint8, and where its cells begin and the last ends."""
    _, offsets, data = column.buffers()
    text = np.zeros(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)
    if not len(column):
        return text, np.zeros(1, np.int32)
    bounds = np.frombuffer(offsets, np.int32)
    return text, bounds[column.offset : column.offset + len(column) + 1]
