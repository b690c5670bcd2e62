"""Word vectors from files: word2vec, GloVe, fastText, gensim."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Collection
from dataclasses import dataclass
from io import BufferedIOBase
from pathlib import Path
from typing import cast

import numpy as np

from abcnn.errors import InputError
from abcnn.text.vector_rows import (
    KeptRows,
    is_number,
    read_binary_rows,
    read_text_rows,
    shown,
)

LARGEST_DIM = 10_000

_GZIP = b"\x1f\x8b"
_PICKLE = (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")
_SAMPLE = 1 << 16
_HEADER = re.compile(rb"(\d{1,12}) (\d{1,12})[ \t\r]*\n")
_HTML = re.compile(rb"\s*<(!doctype|html|head|\?xml)", re.IGNORECASE)
_ASCII_TEXT = re.compile(rb"[ -~\t\r]+")


@dataclass(frozen=True, eq=False, slots=True)
class WordVectors:
    """Words and their vectors, float32 `(len(words), dim)`, in the order of their source.

    `skipped` rows of the source had words that are no text: broken UTF-8, empty, or with a line
    feed.
    """

    words: tuple[str, ...]
    matrix: np.ndarray
    source: str
    skipped: int = 0

    def __post_init__(self) -> None:
        if self.matrix.ndim != 2 or len(self.matrix) != len(self.words):
            raise ValueError(
                f"`matrix` must have one row a word, {len(self.words)}. "
                f"Received: shape {self.matrix.shape}"
            )

    def __len__(self) -> int:
        return len(self.words)

    @property
    def dim(self) -> int:
        """The size of a vector."""
        return self.matrix.shape[1]


def read_vectors(
    path: str | Path, wanted: Collection[str], *, most_frequent: int = 50_000
) -> WordVectors:
    """Read the vectors of `wanted` words, and of the first `most_frequent` rows, from a file.

    The file is read once from beginning to end, so that memory is that of the rows kept, however
    large it is. Vector files have their most frequent words first. Words are compared as they are:
    to look up lower-cased forms too, want them too (`with_lower_case`).

    The format is recognised from the content: word2vec binary (rows with or without a newline),
    word2vec and fastText `.vec` text (a header line `rows size`), GloVe text (no header), each
    possibly gzip; and what gensim's `KeyedVectors.save` wrote, whose list of words is read whole.
    That one is a pickle: loading it can run code, so it must come from someone you trust.

    Raises InputError if the file can't be read or is none of these, is cut, has vectors of
    different sizes or values that are no finite numbers, or if it has no wanted word at all.
    Rows that are not kept are checked for their size only.
    """
    source, file = str(path), Path(path)
    try:
        with file.open("rb") as stream:
            magic = stream.read(2)
        if magic in _PICKLE:
            kept = _read_gensim(source, wanted, most_frequent)
        elif magic == _GZIP:
            with gzip.open(file) as unpacked:
                kept = _read_stream(unpacked, source, wanted, most_frequent)
        else:
            # A buffer below the size of the blocks, which then go past it.
            with file.open("rb", buffering=1 << 16) as stream:
                kept = _read_stream(cast("BufferedIOBase", stream), source, wanted, most_frequent)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{source}: damaged gzip file, is it cut? ({error})") from error
    except OSError as error:
        raise InputError(f"{source}: {error.strerror or error}") from error

    if wanted and not kept.wanted_found:
        raise InputError(
            f"{source}: none of the {len(wanted):,} words was found; "
            "is it the right language, upper and lower case?"
        )
    vectors = WordVectors(tuple(kept.words), kept.matrix(), source, kept.skipped)
    _check_finite(vectors)
    return vectors


def check_vectors_file(path: str | Path) -> None:
    """Raise InputError as `read_vectors` does for a file that can't be opened, or is of no format.

    Only its beginning is read.
    """
    try:
        with Path(path).open("rb") as stream:
            magic = stream.read(2)
        if magic not in _PICKLE:
            with gzip.open(path) if magic == _GZIP else Path(path).open("rb") as stream:
                _recognise(cast("BufferedIOBase", stream), str(path))
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{path}: damaged gzip file, is it cut? ({error})") from error
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from error


def _read_stream(
    stream: BufferedIOBase, source: str, wanted: Collection[str], most_frequent: int
) -> KeptRows:
    """Recognise the format from the first bytes, and read."""
    count, dim, binary = _recognise(stream, source)
    kept = KeptRows(wanted, most_frequent, dim)
    if count is not None and binary:
        read_binary_rows(stream, source, count, dim, kept)
    else:
        read_text_rows(stream, source, count, dim, kept)
    return kept


def _recognise(stream: BufferedIOBase, source: str) -> tuple[int | None, int, bool]:
    """The rows that a header promises (None: there is no header), their size, whether they are
    binary; the stream then stands before the first row."""
    sample = stream.read(_SAMPLE)
    if not sample.strip():
        raise InputError(f"{source}: expected word vectors. Received: an empty file")
    if _HTML.match(sample):
        raise InputError(
            f"{source}: expected word vectors. Received: HTML, a web page; download the file itself"
        )
    if sample.startswith(b"PK\x03\x04"):
        raise InputError(f"{source}: expected word vectors. Received: a zip archive; unpack it")
    if header := _HEADER.match(sample):
        dim = _checked_dim(int(header[2]), source)
        stream.seek(header.end())
        return int(header[1]), dim, _is_binary(sample[header.end() :], dim)
    stream.seek(0)
    line = stream.readline(1 << 20).rstrip()
    word, *values = line.split(b" ")
    if not values or not all(map(is_number, values)):
        bad = next((value for value in values if not is_number(value)), word)
        raise InputError(
            f"{source}, line 1: expected a header `rows size`, or a word and numbers. "
            f"Received: {shown(bad)}"
        )
    stream.seek(0)
    return None, _checked_dim(len(values), source), False


def _is_binary(rows: bytes, dim: int) -> bool:
    """Whether the rows after a header are binary: the first one's values are no ASCII text."""
    values = rows.partition(b" ")[2][: 4 * dim].partition(b"\n")[0]
    return not _ASCII_TEXT.fullmatch(values)


def _checked_dim(dim: int, source: str) -> int:
    if not 1 <= dim <= LARGEST_DIM:
        raise InputError(
            f"{source}, line 1: vectors must have between 1 and {LARGEST_DIM:,} values. "
            f"Received: {dim:,}"
        )
    return dim


def _read_gensim(source: str, wanted: Collection[str], most_frequent: int) -> KeptRows:
    from gensim.models import KeyedVectors

    try:
        loaded = KeyedVectors.load(source, mmap="r")
        vectors = getattr(loaded, "wv", loaded)  # A whole model holds its vectors in `wv`.
        words, matrix = vectors.index_to_key, vectors.vectors
    except Exception as error:  # Reading a pickle may raise anything.
        raise InputError(
            f"{source}: expected gensim's KeyedVectors, with its .npy files beside it. "
            f"Received: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
        ) from error
    kept = KeptRows(wanted, most_frequent, _checked_dim(matrix.shape[1], source))
    for row, word in enumerate(words):
        encoded = word.encode("utf-8", "surrogatepass")
        if row < most_frequent or encoded in kept.wanted:
            kept.add([encoded], matrix[row][None])
    return kept


def _check_finite(vectors: WordVectors, rows: int = 4096) -> None:
    for start in range(0, len(vectors), rows):
        finite = np.isfinite(vectors.matrix[start : start + rows]).all(axis=1)
        if not finite.all():
            word = vectors.words[start + int(finite.argmin())]
            raise InputError(
                f"{vectors.source}: the vector of {word!r} must be finite numbers. "
                "Received: NaN or infinity"
            )
