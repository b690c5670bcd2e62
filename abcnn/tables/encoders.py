"""Rows to the text of CSV, TSV and JSON Lines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from abcnn.tables.places import shown

_CSV_QUOTED = re.compile(r'[",\r\n]')
# In the header also what could be taken for the delimiter.
_CSV_QUOTED_NAME = re.compile(r'[",\r\n;\t]')
_TSV_NEVER = re.compile(r"[\r\n\0]")
_HALF_SURROGATE = re.compile("[\ud800-\udfff]")


def cell_text(value: Any) -> str:
    """A value as the text of a CSV or TSV cell: None is empty, lists and objects are JSON."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool | dict | list):
        return json.dumps(value, ensure_ascii=False, default=plain)
    return str(plain(value))


def plain(value: Any) -> Any:
    """What JSON does not have, as what it has: dates in ISO 8601, bytes as UTF-8, all else as str.

    NumPy scalars become Python numbers.
    """
    if isinstance(value, bytes):
        return value.decode("utf-8")
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if hasattr(value, "item"):
        return value.item()
    return value if isinstance(value, int | float) else str(value)


def csv_header(names: Sequence[str]) -> str:
    """The header of a CSV, quoted so that no reader can take it for another dialect."""
    return ",".join(_csv_cell(name, _CSV_QUOTED_NAME) for name in names) + "\n"


def csv_line(row: Sequence[Any]) -> str:
    """One record of CSV, quoted where it must be, as RFC 4180 says but with LF.

    Raises ValueError for a NUL character.
    """
    cells = [cell_text(value) for value in row]
    if cells == [""]:
        return '""\n'  # an empty line would be no row
    line = ",".join(_csv_cell(cell, _CSV_QUOTED) for cell in cells)
    if "\0" in line:
        raise ValueError("CSV cannot hold a NUL character")
    return line + "\n"


def _csv_cell(cell: str, quoted: re.Pattern[str]) -> str:
    return '"' + cell.replace('"', '""') + '"' if quoted.search(cell) else cell


def tsv_line(row: Sequence[Any]) -> str:
    """One record of TSV; without quoting it cannot hold tabs and line ends: ValueError."""
    cells = [cell_text(value) for value in row]
    line = "\t".join(cells)
    if line.count("\t") != len(cells) - 1 or _TSV_NEVER.search(line):
        cell = next(cell for cell in cells if "\t" in cell or _TSV_NEVER.search(cell))
        raise ValueError(
            f"TSV cannot hold the tab, line end or NUL in {shown(cell)}; write .csv or .jsonl"
        )
    return line + "\n"


def json_line(names: Sequence[str], row: Iterable[Any]) -> str:
    """One object of JSON Lines; half surrogates, which UTF-8 cannot hold, are escaped."""
    value = dict(zip(names, row, strict=True))
    line = _encode(value)
    if _HALF_SURROGATE.search(line):
        line = json.dumps(value, default=plain)
    return line + "\n"


_encode = json.JSONEncoder(ensure_ascii=False, default=plain).encode
