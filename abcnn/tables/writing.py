"""Writing a table of any format, chunk by chunk."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from os import PathLike
from typing import IO, TYPE_CHECKING, Any, cast

from abcnn.errors import InputError
from abcnn.tables.columnar_writing import delimited_bytes
from abcnn.tables.encoders import csv_header, csv_line, json_line, tsv_line
from abcnn.tables.formats import check_format, format_of_name
from abcnn.tables.output import whole_file
from abcnn.tables.parquet_writing import ParquetEncoder, python_values
from abcnn.tables.places import place

if TYPE_CHECKING:
    import pyarrow


class TableWriter:
    """A table that is open for writing; see `create_table`.

    `write(columns)` appends rows, given column by column in the order of the names, as lists,
    NumPy or arrow arrays of one length; `rows` counts them.
    """

    def __init__(self, name: str, names: Sequence[str], encode: Callable[..., None]) -> None:
        self.name = name
        self.names = tuple(names)
        self.rows = 0
        self._encode = encode

    def write(self, columns: Sequence[Sequence[Any]]) -> None:
        """Append rows; InputError for a value that the format cannot hold."""
        lengths = {len(column) for column in columns}
        if len(columns) != len(self.names) or len(lengths) > 1:
            raise ValueError(
                f"`columns` must be {len(self.names)} columns of one length. "
                f"Received: {len(columns)} with {sorted(lengths)} rows"
            )
        self._encode(columns, self.rows + 1)
        self.rows += len(columns[0])


@contextmanager
def create_table(
    path: str | PathLike[str],
    names: Sequence[str],
    *,
    format: str | None = None,
    schema: pyarrow.Schema | None = None,
    kinds: Mapping[str, type] | None = None,
    part: str | PathLike[str] | None = None,
) -> Iterator[TableWriter]:
    """A writer for the table `path`, or for stdout with `-`, in UTF-8.

    `format` is one of `TABLE_FORMATS`; without it the suffix says, and any other suffix is CSV; a
    name that ends in `.gz` is packed. The file is there when the block ends without an exception,
    whole, and not before; until then its bytes are in `part` (see `whole_file`).

    The types of Parquet columns come from `schema` (that of a Parquet input keeps its types) and
    from `kinds` (str, int, float or bool of a name), else from the first rows written.

    Raises InputError when the file cannot be written, when a name stands twice, and for a value
    that the format cannot hold: TSV has no quoting, so no tabs and line ends.
    """
    name = str(path)
    check_format(format)
    format = format or format_of_name(name) or "csv"
    for index, column in enumerate(names):
        if column in names[:index]:
            raise InputError(f"{name}: the column name {column!r} stands twice")
    with ExitStack() as stack:
        stream = stack.enter_context(whole_file(path, part))
        if name.lower().endswith(".gz"):
            # No name and no time inside, so that equal tables are equal files.
            packed = gzip.GzipFile("", "wb", compresslevel=6, fileobj=stream, mtime=0)
            stream = cast(IO[bytes], stack.enter_context(packed))
        display = "<stdout>" if name == "-" else name
        if format == "parquet":
            encoder = ParquetEncoder(stream, display, names, schema, kinds or {})
            yield TableWriter(display, names, stack.enter_context(encoder).write)
        else:
            yield TableWriter(display, names, _text_encoder(stream, display, names, format))


def _text_encoder(
    stream: IO[bytes], source: str, names: Sequence[str], format: str
) -> Callable[[Sequence[Sequence[Any]], int], None]:
    line_of: dict[str, Callable[[Sequence[Any]], str]] = {
        "csv": csv_line,
        "tsv": tsv_line,
        "jsonl": partial(json_line, names),
    }

    def encode(
        rows: Iterator[Sequence[Any]], first_row: int, to_line: Callable[[Sequence[Any]], str]
    ) -> None:
        row = first_row
        lines = []
        try:
            for row, values in enumerate(rows, first_row):  # noqa: B007 - named in the error
                lines.append(to_line(values).encode())
        except ValueError as error:
            raise InputError(f"{place(source, row, None)}: {error}") from None
        stream.write(b"".join(lines))

    def write(columns: Sequence[Sequence[Any]], first_row: int) -> None:
        at_once = None if format == "jsonl" else delimited_bytes(columns, format)
        if at_once is None:
            rows = zip(*map(python_values, columns), strict=True)
            encode(rows, first_row, line_of[format])
        else:
            stream.write(at_once)

    if format != "jsonl":
        encode(iter([names]), 0, csv_header if format == "csv" else tsv_line)
    return write
