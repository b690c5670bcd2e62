"""CSV and TSV as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from abcnn.errors import InputError
from abcnn.tables.cells import DelimitedRow, delimited_rows, find_delimiter
from abcnn.tables.chunks import Table, TableChunk, grouped, regrouped
from abcnn.tables.columnar import columnar_rows
from abcnn.tables.formats import Dialect
from abcnn.tables.lines import TextReader
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
    text = TextReader(source, encoding)
    first = next(text, (1, ""))
    delimiter = "\t"
    if format != "tsv":
        delimiter = find_delimiter(first[1], None if columns is None else len(columns))
        format = format or ("tsv" if delimiter == "\t" else "csv")
    dialect = Dialect(format, delimiter, quoted=format == "csv", header=columns is None)
    if columns is None:
        rows = _rows(chain([first], text), dialect, source.name, first_row=0)
        names = header_names(next(rows)[2], source.name)
    else:
        names = given_names(columns)
        _refuse_header(first, text, columns, dialect, source.name)
    return Table(source.name, names, dialect, _chunks(text, names, dialect, source, chunk_rows))


def _rows(
    lines: Iterator[tuple[int, str]], dialect: Dialect, source: str, first_row: int
) -> Iterator[DelimitedRow]:
    return delimited_rows(
        lines,
        delimiter=dialect.delimiter or ",",
        quoted=dialect.quoted,
        source=source,
        first_row=first_row,
    )


def _chunks(
    text: TextReader,
    names: tuple[str, ...],
    dialect: Dialect,
    source: Source,
    chunk_rows: int,
) -> Iterator[TableChunk]:
    """The rows in chunks; from the first that is not well-formed on they are read one by one."""
    first_row, width = 1, len(names)
    regions = columnar_rows(text, width, dialect.delimiter or ",", quoted=dialect.quoted)
    for rows in regrouped(regions, chunk_rows):
        yield TableChunk(source.name, names, rows.columns, first_row, tuple(rows.lines.tolist()))
        first_row += len(rows)
    singly = _whole_rows(
        _rows(text, dialect, source.name, first_row), width, dialect, source.name, first_row
    )
    for first, lines, cells in grouped(singly, chunk_rows, first_row):
        columns = tuple(map(list, zip(*cells, strict=True)))
        yield TableChunk(source.name, names, columns, first, lines)


def _whole_rows(
    rows: Iterator[DelimitedRow], width: int, dialect: Dialect, source: str, first_row: int
) -> Iterator[DelimitedRow]:
    """The rows, each proved to have `width` cells; blank lines at the end are none."""
    for row, record in enumerate(rows, start=first_row):
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


def _refuse_header(
    first: tuple[int, str],
    text: TextReader,
    columns: Sequence[str],
    dialect: Dialect,
    source: str,
) -> None:
    """InputError when the first row is the header that `columns` stands for; it is given back."""
    seen = []

    def remembered() -> Iterator[tuple[int, str]]:
        for line in chain([first], text):
            seen.append(line[1])
            yield line

    if next(_rows(remembered(), dialect, source, first_row=1))[2] == list(columns):
        raise InputError(
            f"{place(source, 1, first[0])}: expected data, as the columns were named. "
            "Received: these names; leave out --columns"
        )
    text.give_back("".join(seen), 0)
