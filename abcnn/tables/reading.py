"""Opening a table of any format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from os import PathLike

from abcnn.errors import InputError
from abcnn.tables.chunks import Table
from abcnn.tables.delimited import delimited_table
from abcnn.tables.formats import check_format, recognise_format
from abcnn.tables.jsonl import json_table
from abcnn.tables.parquet import parquet_table
from abcnn.tables.source import Source, open_source

CHUNK_ROWS = 10_000


@contextmanager
def open_table(
    path: str | PathLike[str],
    *,
    format: str | None = None,
    encoding: str = "utf-8",
    columns: Sequence[str] | None = None,
    chunk_rows: int = CHUNK_ROWS,
) -> Iterator[Table]:
    """The table in the file `path`, or on stdin for `-`, read as a stream in bounded memory.

    `format` is one of `TABLE_FORMATS`; without it, Parquet and gzip are recognised from their
    first bytes, the others from the suffix, or else from the first line. CSV follows RFC 4180 with
    `,` `;` or tab; in TSV a quote is a character like any other. A tab-separated file with quoted
    cells is `format="csv"`.

    `columns` names the columns of a CSV or TSV that has no header; one named `_` is kept as
    `column_<position>`. `chunk_rows` bounds the rows of a chunk.

    Raises InputError, also while iterating, for anything that is not a whole table; the message is
    one line with the file, and where there is one the row and the physical line.
    """
    with (
        open_source(path) as source,
        table_of(
            source, format=format, encoding=encoding, columns=columns, chunk_rows=chunk_rows
        ) as table,
    ):
        yield table


@contextmanager
def table_of(
    source: Source,
    *,
    format: str | None = None,
    encoding: str = "utf-8",
    columns: Sequence[str] | None = None,
    chunk_rows: int = CHUNK_ROWS,
) -> Iterator[Table]:
    """`open_table` for bytes that are open already."""
    check_format(format)
    if not source.head.strip(b"\xef\xbb\xbf \t\r\n"):
        raise InputError(f"{source.name}: expected a table. Received: an empty file")
    source.refuse_html()
    format = format or recognise_format(source.name, source.head)
    if format in ("jsonl", "parquet") and columns is not None:
        raise InputError(
            f"`columns` names the columns of a CSV or TSV without a header. "
            f"Received: {source.name}, which is {format} and has names of its own"
        )
    if format == "parquet":
        with parquet_table(source, chunk_rows) as table:
            yield table
    elif format == "jsonl":
        yield json_table(source, encoding, chunk_rows)
    else:
        yield delimited_table(source, format, encoding, columns, chunk_rows)
