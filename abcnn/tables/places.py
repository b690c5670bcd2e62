"""Where in a file something stands, as error messages name it."""

from __future__ import annotations


def place(source: str, row: int, line: int | None) -> str:
    """`pairs.csv, row 20001 (line 20002)`.

    `row` is the 1-based data row, 0 for the header; `line` the physical line it begins on, None
    where the format has no lines.
    """
    what = "header" if row == 0 else f"row {row}"
    return f"{source}, {what}" if line is None else f"{source}, {what} (line {line})"


def shown(value: object, limit: int = 60) -> str:
    """`value` as it stands in an error message: its repr on one line, cut to `limit` characters."""
    text = repr(value)
    return text if len(text) <= limit else f"{text[: limit - 3]}..."
