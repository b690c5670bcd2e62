"""Tables as streams: CSV, TSV, JSON Lines and Parquet, gzip or not, read and written in bounded
memory.

Nothing here knows of sentences. Reading is strict: a table is whole or an `InputError` says where
it is not; no row is merged, dropped or guessed.
"""

from abcnn.tables.chunks import Table, TableChunk
from abcnn.tables.formats import TABLE_FORMATS, Dialect
from abcnn.tables.output import whole_file
from abcnn.tables.reading import CHUNK_ROWS, open_table
from abcnn.tables.writing import TableWriter, create_table

__all__ = [
    "CHUNK_ROWS",
    "TABLE_FORMATS",
    "Dialect",
    "Table",
    "TableChunk",
    "TableWriter",
    "create_table",
    "open_table",
    "whole_file",
]
