"""Parquet as a table, a batch of rows at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING

from abcnn.errors import InputError
from abcnn.tables.chunks import Table, TableChunk
from abcnn.tables.formats import Dialect
from abcnn.tables.names import header_names
from abcnn.tables.source import Source

if TYPE_CHECKING:
    import pyarrow.parquet


@contextmanager
def parquet_table(source: Source, chunk_rows: int) -> Iterator[Table]:
    """The Parquet in `source`, with its arrow schema.

    Parquet needs random access: what cannot seek (stdin, gzip) goes through a temporary file.
    Memory is bounded by a row group. Raises InputError, also while iterating, when the file is not
    whole.
    """
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile

    with ExitStack() as stack:
        try:
            file = stack.enter_context(
                ParquetFile(source.path or _spooled(source, stack.enter_context(TemporaryFile())))
            )
        except (ArrowException, OSError) as error:
            raise _not_whole(source.name, error) from None
        schema = file.schema_arrow
        names = header_names(schema.names, source.name)
        chunks = _chunks(file, names, source.name, chunk_rows)
        yield Table(source.name, names, Dialect("parquet"), chunks, schema)


def _chunks(
    file: pyarrow.parquet.ParquetFile, names: tuple[str, ...], source: str, chunk_rows: int
) -> Iterator[TableChunk]:
    from pyarrow import ArrowException

    row = 1
    batches = file.iter_batches(batch_size=chunk_rows)
    while True:
        try:
            batch = next(batches, None)
            if batch is not None:
                batch.validate(full=True)  # Parquet has no checksums; text may be no UTF-8
        except (ArrowException, OSError) as error:
            raise _not_whole(source, error) from None
        if batch is None:
            return
        if batch.num_rows:
            yield TableChunk(source, names, tuple(batch.columns), row)
            row += batch.num_rows


def _spooled(source: Source, file: IO[bytes]) -> IO[bytes]:
    """`file` with all the bytes of `source`, at its start."""
    while block := source.read():
        file.write(block)
    file.seek(0)
    return file


def _not_whole(name: str, error: Exception) -> InputError:
    reason = (str(error) or type(error).__name__).splitlines()[0]
    return InputError(f"{name}: expected a whole Parquet file. Received: {reason}")
