"""Well-formed CSV and TSV text to columns, many rows at a time.

What is not well-formed is left to `delimited_rows`, which says what is wrong and where. The rules
are the same: here they are checked for all rows at once, then arrow cuts the cells.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from abcnn.tables.lines import TextReader

if TYPE_CHECKING:
    import pyarrow

_LF, _CR, _QUOTE = b'\n\r"'
_REGION = 1 << 20  # Characters that are cut at once, if they end in a row.
_LONGEST = 1 << 24  # A row so long is left to `delimited_rows`, which knows the bounds.


@dataclass(frozen=True)
class Rows:
    """Some rows: arrow arrays of text, the line that each begins on, and its size in bytes."""

    columns: tuple[pyarrow.Array, ...]
    lines: np.ndarray
    sizes: np.ndarray

    def __len__(self) -> int:
        return len(self.lines)

    def slice(self, start: int, stop: int) -> Rows:
        """The rows from `start` on, up to `stop`."""
        columns = tuple(column.slice(start, stop - start) for column in self.columns)
        return Rows(columns, self.lines[start:stop], self.sizes[start:stop])

    @classmethod
    def joined(cls, parts: Sequence[Rows]) -> Rows:
        """One after the other; at least one."""
        import pyarrow

        return cls(
            tuple(map(pyarrow.concat_arrays, zip(*(part.columns for part in parts), strict=True))),
            np.concatenate([part.lines for part in parts]),
            np.concatenate([part.sizes for part in parts]),
        )


def columnar_rows(text: TextReader, width: int, delimiter: str, *, quoted: bool) -> Iterator[Rows]:
    """All rows, or those before the first region with a row that is not well-formed.

    Such a region, and what follows, is given back to `text`.
    """
    lines, rest = text.lines, ""
    while True:
        region, last = _region(text, rest)
        if not region:
            return
        found = _whole_rows(region, lines, width, delimiter, quoted=quoted, last=last)
        if found is None or (not found[0] and len(region) > _LONGEST):
            text.give_back(region, lines)
            return
        rows, used, ends = found
        if len(rows):
            yield rows
        lines += ends
        rest = region[used:]
        if last:
            return


def _region(text: TextReader, rest: str) -> tuple[str, bool]:
    """`rest` and so much text behind it as makes a region; whether that is all there is."""
    pieces, size = [rest], 0
    while size < _REGION:
        piece = text.take()
        if not piece:
            return "".join(pieces), True
        pieces.append(piece)
        size += len(piece)
    return "".join(pieces), False


def _whole_rows(
    region: str, lines: int, width: int, delimiter: str, *, quoted: bool, last: bool
) -> tuple[Rows, int, int] | None:
    """The rows that end in the region, and how many characters and line ends they take.

    None when one is not well-formed, or cannot be told.
    """
    try:
        data = region.encode()
    except UnicodeEncodeError:  # Half a surrogate pair, which arrow does not hold.
        return None
    values = np.frombuffer(data, dtype=np.uint8)
    line_ends = _line_ends(values, last=last)
    quotes = np.flatnonzero(values == _QUOTE) if quoted else np.zeros(0, dtype=np.int64)
    row_ends = _outside(line_ends, quotes)
    if last and values[-1] not in (_LF, _CR) and not len(quotes) % 2:
        row_ends = np.append(row_ends, len(values))
    size = int(row_ends[-1]) + 1 if len(row_ends) else 0
    if last and size < len(values):
        return None
    size = min(size, len(values))
    quotes = quotes[: np.searchsorted(quotes, size)]
    if not _stand_well(quotes, values[:size], ord(delimiter)):
        return None
    cell_ends = _outside(np.flatnonzero(values[:size] == ord(delimiter)), quotes)
    if (np.diff(np.searchsorted(cell_ends, row_ends), prepend=0) != width - 1).any():
        return None
    columns = _cut(data[:size], width, delimiter, quoted=bool(len(quotes)))
    if columns is None or any(len(column) != len(row_ends) for column in columns):
        return None
    ends_before = np.searchsorted(line_ends, row_ends[:-1], side="right")
    first_lines = lines + 1 + np.concatenate([[0], ends_before])[: len(row_ends)]
    rows = Rows(columns, first_lines, np.diff(row_ends, prepend=-1))
    used = len(data[:size].decode()) if len(region) != len(data) else size
    return rows, used, int(np.searchsorted(line_ends, size))


def _line_ends(values: np.ndarray, *, last: bool) -> np.ndarray:
    """Where lines end: at LF, and at a CR that no LF follows."""
    if not (is_cr := values == _CR).any():
        return np.flatnonzero(values == _LF)
    is_cr[:-1] &= values[1:] != _LF
    is_cr[-1] &= last  # Else LF may follow.
    return np.flatnonzero(is_cr | (values == _LF))


def _outside(positions: np.ndarray, quotes: np.ndarray) -> np.ndarray:
    """Those of the positions that have an even number of quotes before them."""
    if not len(quotes):
        return positions
    return positions[np.searchsorted(quotes, positions) % 2 == 0]


def _stand_well(quotes: np.ndarray, values: np.ndarray, delimiter: int) -> bool:
    """Whether every quote opens or closes a cell, or is one of two in a quoted cell."""
    if not len(quotes):
        return True
    bounds = np.zeros(256, dtype=bool)
    bounds[[_LF, _CR, _QUOTE, delimiter]] = True
    opening, closing = quotes[::2], quotes[1::2]
    before = values[opening - 1]
    before[opening == 0] = _LF
    after = values[np.minimum(closing + 1, len(values) - 1)]
    return bool(bounds[before].all() and bounds[after].all())


def _cut(data: bytes, width: int, delimiter: str, *, quoted: bool) -> Any:
    """The cells of well-formed text, column by column; None when arrow cannot."""
    import pyarrow
    from pyarrow import csv

    names = [str(position) for position in range(width)]
    if not data or data.startswith(b"\xef\xbb\xbf"):  # arrow would take it for a mark of the file
        return tuple(pyarrow.array([], pyarrow.string()) for _ in names) if not data else None
    try:
        table = csv.read_csv(
            pyarrow.BufferReader(data),
            csv.ReadOptions(use_threads=False, block_size=len(data) + 1, column_names=names),
            csv.ParseOptions(
                delimiter=delimiter,
                quote_char='"' if quoted else False,
                newlines_in_values=quoted,
                ignore_empty_lines=False,
            ),
            csv.ConvertOptions(
                check_utf8=False,
                column_types=dict.fromkeys(names, pyarrow.string()),
                strings_can_be_null=False,
            ),
        )
    except pyarrow.ArrowException:
        return None
    return tuple(column.combine_chunks() for column in table.columns)
