"""A table as a stream of chunks: the records every format is read into."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from abcnn.tables.columnar import Rows
from abcnn.tables.formats import Dialect
from abcnn.tables.places import place

if TYPE_CHECKING:
    import pyarrow

# A chunk ends early when its text is this long, so that memory is bounded for long texts too.
CHUNK_CHARACTERS = 1 << 24


@dataclass(frozen=True)
class TableChunk:
    """Some neighbouring rows of a table, column by column; never none.

    `columns` has one sequence a name, its values as they were: text of CSV and TSV, as a list or an
    arrow array, JSON values of JSON Lines, an arrow array of Parquet (`column` gives Python values
    of any). `first_row` is the
    1-based data row of the first; `lines` the physical line of each, None for Parquet.
    """

    source: str
    names: tuple[str, ...]
    columns: tuple[Sequence[Any], ...]
    first_row: int
    lines: tuple[int, ...] | None = None

    def __len__(self) -> int:
        return len(self.columns[0])

    def column(self, name: str) -> list[Any]:
        """The values of the column `name` as Python values."""
        values = self.columns[self.names.index(name)]
        return values if isinstance(values, list) else values.to_pylist()  # type: ignore[attr-defined]

    def place(self, index: int) -> str:
        """Where row `index` of this chunk stands: `pairs.csv, row 17 (line 18)`."""
        line = None if self.lines is None else self.lines[index]
        return place(self.source, self.first_row + index, line)


@dataclass(frozen=True)
class Table:
    """A table that is open for reading, once, from front to back.

    Iterating gives its chunks; a table without rows gives none. `schema` is the arrow schema of
    Parquet, None of text.
    """

    source: str
    names: tuple[str, ...]
    dialect: Dialect
    chunks: Iterator[TableChunk]
    schema: pyarrow.Schema | None = None

    def __iter__(self) -> Iterator[TableChunk]:
        return self.chunks


def grouped(
    rows: Iterator[tuple[int, int, Any]], chunk_rows: int, first_row: int = 1
) -> Iterator[tuple[int, tuple[int, ...], list[Any]]]:
    """`(line, characters, value)` of single rows -> `(first row, lines, values)` of many.

    At most `chunk_rows` rows at a time, fewer when they are long.
    """
    characters = 0
    lines: list[int] = []
    values: list[Any] = []
    for line, size, value in rows:
        lines.append(line)
        values.append(value)
        characters += size
        if len(values) == chunk_rows or characters >= CHUNK_CHARACTERS:
            yield first_row, tuple(lines), values
            first_row += len(values)
            lines, values, characters = [], [], 0
    if values:
        yield first_row, tuple(lines), values


def regrouped(regions: Iterator[Rows], chunk_rows: int) -> Iterator[Rows]:
    """Rows in the portions they were read in -> in those of chunks, by the rule of `grouped`."""
    held: list[Rows] = []
    count = size = 0
    for rows in regions:
        start = 0
        while start < len(rows):
            sizes = np.cumsum(rows.sizes[start : start + chunk_rows - count])
            stop = start + min(len(sizes), int(np.searchsorted(sizes, CHUNK_CHARACTERS - size)) + 1)
            held.append(rows.slice(start, stop))
            count += stop - start
            size += int(sizes[stop - start - 1])
            start = stop
            if count == chunk_rows or size >= CHUNK_CHARACTERS:
                yield Rows.joined(held)
                held, count, size = [], 0, 0
    if held:
        yield Rows.joined(held)
