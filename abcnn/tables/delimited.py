"""CSV and TSV as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from abcnn.errors import InputError
from abcnn.tables.cells import DelimitedRow, delimited_rows, find_delimiter
from abcnn.tables.chunks import Table, TableChunk, grouped
from abcnn.tables.formats import Dialect
from abcnn.tables.lines import numbered_lines
from abcnn.tables.names import given_names, header_names
from abcnn.tables.places import place
from abcnn.tables.source import Source


def delimited_table(
    source: Source,
    format: str | None,
    encoding: str,
    columns: Sequence[str] | None,
    chunk_rows: int,
) -> Table:
    """The CSV or TSV in `source`; `format` None: TSV when the first line says tab, else CSV.

    `columns` are the names of a file without a header. Raises InputError, also while iterating.
    """
    lines = numbered_lines(source, encoding)
    first = next(lines, (1, ""))
    delimiter = "\t"
    if format != "tsv":
        delimiter = find_delimiter(first[1], None if columns is None else len(columns))
        format = format or ("tsv" if delimiter == "\t" else "csv")
    dialect = Dialect(format, delimiter, quoted=format == "csv", header=columns is None)
    rows = delimited_rows(
        chain([first], lines),
        delimiter=delimiter,
        quoted=dialect.quoted,
        source=source.name,
        first_row=1 if columns else 0,
    )
    if columns is None:
        names = header_names(next(rows)[2], source.name)
    else:
        names = given_names(columns)
        rows = _without_header(rows, columns, source.name)
    return Table(source.name, names, dialect, _chunks(rows, names, dialect, source, chunk_rows))


def _chunks(
    rows: Iterator[DelimitedRow],
    names: tuple[str, ...],
    dialect: Dialect,
    source: Source,
    chunk_rows: int,
) -> Iterator[TableChunk]:
    whole = _whole_rows(rows, len(names), dialect, source.name)
    for first_row, lines, cells in grouped(whole, chunk_rows):
        columns = tuple(map(list, zip(*cells, strict=True)))
        yield TableChunk(source.name, names, columns, first_row, lines)


def _whole_rows(
    rows: Iterator[DelimitedRow], width: int, dialect: Dialect, source: str
) -> Iterator[DelimitedRow]:
    """The rows, each proved to have `width` cells; blank lines at the end are none."""
    for row, record in enumerate(rows, start=1):
        line, _, cells = record
        if len(cells) != width:
            if cells == [""] and all(later == [""] for _, _, later in rows):
                return
            received = "a blank line" if cells == [""] else str(len(cells))
            hint = ""
            if dialect.quoted and len(cells) > width:
                hint = f"; a cell that holds {dialect.delimiter!r} must be in quotes"
            raise InputError(
                f"{place(source, row, line)}: expected {width} cells. Received: {received}{hint}"
            )
        yield record


def _without_header(
    rows: Iterator[DelimitedRow], columns: Sequence[str], source: str
) -> Iterator[DelimitedRow]:
    """The rows; InputError when the first is the header that `columns` stands for."""
    first = next(rows)
    if first[2] == list(columns):
        raise InputError(
            f"{place(source, 1, first[0])}: expected data, as the columns were named. "
            "Received: these names; leave out --columns"
        )
    return chain([first], rows)
