"""Columns to Parquet, and arrow columns to Python values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any

from abcnn.errors import InputError
from abcnn.tables.places import place, shown

if TYPE_CHECKING:
    import pyarrow
    import pyarrow.parquet

_KINDS = {str: "string", int: "int64", float: "float64", bool: "bool"}


class ParquetEncoder:
    """Writes columns to a Parquet stream; a context manager, whose end writes the footer.

    The type of a column is that of its field in `schema`, or of its kind, or else that of its
    first values (text when they are all None).
    """

    def __init__(
        self,
        stream: IO[bytes],
        source: str,
        names: Sequence[str],
        schema: pyarrow.Schema | None,
        kinds: Mapping[str, type],
    ) -> None:
        self._stream = stream
        self._source = source
        self._names = names
        self._known = schema
        self._kinds = kinds
        self._writer: pyarrow.parquet.ParquetWriter | None = None

    def __enter__(self) -> ParquetEncoder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        if kind is None:
            self._writer = self._writer or self._open([[] for _ in self._names])
        if self._writer is not None:
            self._writer.close()

    def write(self, columns: Sequence[Sequence[Any]], first_row: int) -> None:
        """Append rows; InputError for a value that is not of its column's type."""
        import pyarrow

        self._writer = self._writer or self._open(columns)
        arrays = [
            self._array(column, field, first_row)
            for column, field in zip(columns, self._writer.schema, strict=True)
        ]
        self._writer.write_batch(pyarrow.record_batch(arrays, schema=self._writer.schema))

    def _open(self, columns: Sequence[Sequence[Any]]) -> pyarrow.parquet.ParquetWriter:
        import pyarrow
        import pyarrow.parquet

        fields = [
            self._field(name, column) for name, column in zip(self._names, columns, strict=True)
        ]
        metadata = self._known.metadata if self._known is not None else None
        return pyarrow.parquet.ParquetWriter(self._stream, pyarrow.schema(fields, metadata))

    def _field(self, name: str, column: Sequence[Any]) -> pyarrow.Field:
        import pyarrow

        if self._known is not None and name in self._known.names:
            return self._known.field(name)
        if name in self._kinds:
            return pyarrow.field(name, pyarrow.type_for_alias(_KINDS[self._kinds[name]]))
        try:
            type_ = pyarrow.infer_type(column)
        except pyarrow.ArrowException as error:
            raise InputError(f"{self._source}, column `{name}`: {error}") from None
        return pyarrow.field(name, pyarrow.string() if pyarrow.types.is_null(type_) else type_)

    def _array(self, column: Sequence[Any], field: pyarrow.Field, first_row: int) -> pyarrow.Array:
        import pyarrow

        if isinstance(column, pyarrow.Array):
            return column.cast(field.type)
        failures = (pyarrow.ArrowException, TypeError, ValueError, OverflowError)
        try:
            return pyarrow.array(column, type=field.type)
        except failures:
            for index, value in enumerate(column):
                try:
                    pyarrow.scalar(value, type=field.type)
                except failures:
                    raise InputError(
                        f"{place(self._source, first_row + index, None)}: column `{field.name}` "
                        f"must hold {field.type}, as its first rows do. Received: {shown(value)}; "
                        "write .jsonl to mix types"
                    ) from None
            raise


def python_values(column: Sequence[Any]) -> Sequence[Any]:
    """A column as a list; of arrow dates and times their ISO text, which keeps nanoseconds."""
    if isinstance(column, list | tuple):
        return column
    import pyarrow

    if isinstance(column, pyarrow.Array) and pyarrow.types.is_temporal(column.type):
        column = column.cast(pyarrow.string())
    return column.tolist()  # type: ignore[attr-defined]
