"""Rows of CSV and TSV text.

The standard `csv` module is not used for reading: it accepts a stray quote and merges rows until
the next one, cannot say where a quote opened, and bounds a cell by a process-wide setting.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from abcnn.errors import InputError
from abcnn.tables.places import place

# `(line, characters, cells)`: the physical line that the row begins on, and its size.
DelimitedRow = tuple[int, int, list[str]]

DELIMITERS = (",", ";", "\t")
MAX_RECORD_CHARACTERS = 1 << 24


def find_delimiter(first_line: str, columns: int | None = None) -> str:
    """The delimiter of a CSV, from its first line, quoted cells left aside.

    It is the one of `DELIMITERS` that gives `columns` cells, or where that number is not known the
    only one that occurs. Anything ambiguous is a comma, as in RFC 4180.
    """
    # A cell may go on in the next line.
    bare = re.sub(r'"[^"]*("|$)', "", first_line)
    counts = {delimiter: bare.count(delimiter) for delimiter in DELIMITERS}
    fitting = [
        delimiter
        for delimiter, count in counts.items()
        if (count > 0 if columns is None else count == columns - 1 > 0)
    ]
    return fitting[0] if len(fitting) == 1 else ","


def delimited_rows(
    lines: Iterator[tuple[int, str]], *, delimiter: str, quoted: bool, source: str, first_row: int
) -> Iterator[DelimitedRow]:
    """Every row; rows are counted from `first_row`, where the header is 0.

    With `quoted`, the rules of RFC 4180: a cell in quotes may hold delimiters, line ends and
    doubled quotes, all kept as they are. Without, a quote is a character like any other.

    Raises InputError for a quote inside a cell that has none around it, for text after a closing
    quote and for a quote that is never closed; it says where the quote opened.
    """
    for row, (number, line) in enumerate(lines, start=first_row):
        if quoted and '"' in line:
            cells = _quoted_cells(line, number, lines, delimiter, place(source, row, number))
            yield number, sum(map(len, cells)), cells
        else:
            yield number, len(line), line.rstrip("\r\n").split(delimiter)


def _quoted_cells(
    line: str, number: int, lines: Iterator[tuple[int, str]], delimiter: str, where: str
) -> list[str]:
    """The cells of the record that begins with `line`, taking more lines while a quote is open."""
    cells: list[str] = []
    body = line.rstrip("\r\n")
    position = 0
    while True:
        if body.startswith('"', position):
            opened, pieces, characters = number, [], 0
            position += 1
            while True:
                end = body.find('"', position)
                if end >= 0 and not body.startswith('"', end + 1):
                    pieces.append(body[position:end])
                    position = end + 1
                    break
                if end >= 0:  # a doubled quote: the first of the two is the cell's
                    pieces.append(body[position : end + 1])
                    position = end + 2
                    continue
                pieces.append(line[position:])
                characters += len(line)
                following = next(lines, None) if characters <= MAX_RECORD_CHARACTERS else None
                if following is None:
                    raise InputError(
                        f"{where}, cell {len(cells) + 1}: the quote that opens on line {opened} "
                        "is never closed"
                    )
                number, line = following
                body, position = line.rstrip("\r\n"), 0
            cell = "".join(pieces)
            if position < len(body) and not body.startswith(delimiter, position):
                raise InputError(
                    f"{where}, cell {len(cells) + 1}: expected {delimiter!r} or the line's end "
                    f"after a closing quote (line {number}; it opened on line {opened}). "
                    f"Received: {body[position : position + 20]!r}; a quote inside a quoted cell "
                    "is written twice"
                )
        else:
            end = body.find(delimiter, position)
            cell = body[position:] if end < 0 else body[position:end]
            position += len(cell)
            if '"' in cell:
                raise InputError(
                    f"{where}, cell {len(cells) + 1}: a stray quote in {cell[:40]!r}; a cell with "
                    "quotes is quoted as a whole, each quote in it written twice"
                )
        cells.append(cell)
        if position == len(body):
            return cells
        position += len(delimiter)
