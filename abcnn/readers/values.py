"""Table values as sentences, labels and names."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from abcnn.errors import InputError
from abcnn.tables import TableChunk
from abcnn.tables.places import shown


def text_of(value: Any) -> str | None:
    """A value as text, None when there is none: null, not-a-number, or only white space.

    Words such as "NA" and "null" are text. Numbers become their text, `true` and `false` too.
    Raises TypeError for what is no single value (a list, an object).
    """
    if isinstance(value, str):
        return value if value.strip() else None
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | dict | bytes):
        raise TypeError
    return str(value)


def texts(chunk: TableChunk, name: str) -> list[str | None]:
    """The column `name` of a chunk as text; InputError for a list or an object."""
    values = chunk.column(name)
    if is_text(chunk.columns[chunk.names.index(name)]):
        return [value if value and value.strip() else None for value in values]
    result = []
    for index, value in enumerate(values):
        try:
            result.append(text_of(value))
        except TypeError:
            raise InputError(
                f"{chunk.place(index)}: column `{name}` must hold text. Received: {shown(value)}"
            ) from None
    return result


def is_text(column: Sequence[Any]) -> bool:
    """Whether a column is an arrow array of text."""
    return not isinstance(column, list) and str(column.type) == "string"  # type: ignore[attr-defined]


def stripped(values: list[str | None]) -> list[str | None]:
    """Labels and names without the white space around them."""
    return [value and value.strip() for value in values]


def require(
    chunk: TableChunk, name: str, values: list[str | None], what: str, rows: list[int]
) -> list[str]:
    """The values at `rows` (places in the chunk), none of which may be missing: InputError."""
    whole = []
    for index in rows:
        value = values[index]
        if value is None:
            raise InputError(
                f"{chunk.place(index)}: column `{name}` must hold {what}. Received: an empty cell"
            )
        whole.append(value)
    return whole
