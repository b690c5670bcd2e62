"""Columns to the bytes of CSV and TSV, many rows at a time.

What needs more than that is left to `csv_line` and `tsv_line`: values that are to be refused, and
blank lines. The bytes are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from abcnn.tables.arrays import text_array, text_scalar
from abcnn.tables.encoders import cell_text
from abcnn.tables.parquet_writing import python_values

if TYPE_CHECKING:
    import pyarrow


def delimited_bytes(columns: Sequence[Sequence[Any]], format: str) -> memoryview | None:
    """The lines of some rows in `csv` or `tsv`; None when they must be written one by one."""
    import pyarrow
    from pyarrow import compute

    try:
        cells = [_cell_texts(column) for column in columns]
        delimiter, special = (",", b'",\r\n') if format == "csv" else ("\t", b"\t\r\n")
        for place, column in enumerate(cells):
            found = _found(column, special + b"\0")
            if b"\0" in found or (found and format == "tsv"):
                return None
            if found:
                cells[place] = _quoted(column)
        if (
            len(cells) == 1
            and format == "csv"
            and compute.any(compute.equal(cells[0], text_scalar(""))).as_py()
        ):
            return None
        lines = compute.binary_join_element_wise(*cells, text_scalar(delimiter))
        text = compute.binary_join_element_wise(lines, text_scalar(""), text_scalar("\n"))
    except (pyarrow.ArrowException, UnicodeEncodeError):  # Too long for one array; half an emoji.
        return None
    return _data(text)


def _cell_texts(column: Sequence[Any]) -> pyarrow.StringArray:
    """A column as the texts of its cells."""
    import pyarrow

    if isinstance(column, pyarrow.Array):
        kind = column.type
        if pyarrow.types.is_string(kind) or pyarrow.types.is_integer(kind):
            return column.cast(pyarrow.string()).fill_null(text_scalar(""))
        if pyarrow.types.is_float64(kind):
            return text_array(["" if x is None else repr(x) for x in column.to_pylist()])
    return text_array([cell_text(value) for value in python_values(column)])


def _found(column: pyarrow.StringArray, characters: bytes) -> bytes:
    """Those of some ASCII characters that stand anywhere in a column."""
    data = _data(column).tobytes()
    return bytes(character for character in characters if character in data)


def _data(column: pyarrow.StringArray) -> memoryview:
    """All texts of a column without nulls, one after the other."""
    _, offsets, data = column.buffers()
    if data is None or not len(column):
        return memoryview(b"")
    bounds = memoryview(offsets).cast("B").cast("i")
    first, last = bounds[column.offset], bounds[column.offset + len(column)]
    return memoryview(data).cast("B")[first:last]


def _quoted(column: pyarrow.StringArray) -> pyarrow.StringArray:
    from pyarrow import compute

    quote = text_scalar('"')
    doubled = compute.replace_substring(column, '"', '""')
    quoted = compute.binary_join_element_wise(quote, doubled, quote, text_scalar(""))
    return compute.if_else(compute.match_substring_regex(column, '[",\r\n]'), quoted, column)
