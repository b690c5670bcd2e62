"""The table formats, and how a file's format is recognised."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath

from abcnn.errors import InputError

TABLE_FORMATS = ("csv", "tsv", "jsonl", "parquet")

_SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
}
# The magic, then the first byte of what follows in any Parquet file, a Thrift i32 field: a CSV may
# begin with the four letters.
_PARQUET_MAGIC = b"PAR1\x15"


@dataclass(frozen=True)
class Dialect:
    """How a table is written.

    `delimiter` and `quoted` are of CSV and TSV: with `quoted` False a quote is a character like any
    other, as in the corpora; `header` is False when the names were given by the caller.
    """

    format: str
    delimiter: str | None = None
    quoted: bool = False
    header: bool = True


def check_format(format: str | None) -> None:
    """Raise InputError when `format` is neither None nor one of `TABLE_FORMATS`."""
    if format is not None and format not in TABLE_FORMATS:
        raise InputError(
            f"`format` must be one of {', '.join(TABLE_FORMATS)}. Received: {format!r}"
        )


def format_of_name(name: str) -> str | None:
    """The format that a file name's suffix states (`.gz` aside), or None."""
    path = PurePath(name.lower())
    if path.suffix == ".gz":
        path = path.with_suffix("")
    return _SUFFIXES.get(path.suffix)


def recognise_format(name: str, head: bytes) -> str | None:
    """The format of a file by its first bytes and its name.

    None: text without a known suffix, CSV or TSV, which its first line tells apart.
    """
    if head.startswith(_PARQUET_MAGIC):
        return "parquet"
    stated = format_of_name(name)
    if stated is None and head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return "jsonl"
    return stated
