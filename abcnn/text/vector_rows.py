"""The rows of word vector files: read in one pass, keeping few.

A file may hold millions of rows, of which a model needs some ten thousand: a row that is not kept
costs a few compiled steps in a binary file, a look into a set in a text file.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from io import BufferedIOBase

import numpy as np

from abcnn.errors import InputError

BLOCK = 1 << 20  # Bytes read at a time: what the processor's caches hold.
_GROWTH = 1 << 25  # Bytes by which the matrix of kept rows grows.
_LONGEST_WORD = 1 << 16  # Bytes; a binary file without a space for so long is none.


class KeptRows:
    """The rows kept of a file: those of the wanted words and the first `most_frequent` rows.

    Of a word's rows the first counts. A row is kept under a word that is UTF-8 and one line of
    text; `skipped` counts the others among the first rows.
    """

    def __init__(self, wanted: Collection[str], most_frequent: int, dim: int) -> None:
        # A word that can't be encoded, half a surrogate pair, is in no file.
        encoded = {word.encode("utf-8", "ignore") for word in wanted}
        # Nor is one kept that is no line of text.
        self.wanted = {word for word in encoded if word and b"\n" not in word}
        self.most_frequent = most_frequent
        self.words: list[str] = []
        self.wanted_found = 0
        self.skipped = 0
        self._seen: set[bytes] = set()
        self._matrix = np.empty((0, dim), dtype=np.float32)

    def add(self, words: Sequence[bytes], values: np.ndarray) -> None:
        """Keep rows, each if it is its word's first. values `(len(words), dim)`."""
        new = [place for place, word in enumerate(words) if self._is_new(word)]
        end = len(self.words)
        if end > len(self._matrix):
            dim = self._matrix.shape[1]
            # In place, by a fixed step: at no time is there a second copy, nor room for as much.
            self._matrix.resize((end + _GROWTH // (4 * dim) + 1, dim), refcheck=False)
        if new:
            self._matrix[end - len(new) : end] = values if len(new) == len(words) else values[new]

    def _is_new(self, word: bytes) -> bool:
        """Whether a row of this word is kept; if so, the word is."""
        if word in self.wanted:
            self.wanted.remove(word)
            self.wanted_found += 1
            text = word.decode()
        elif word in self._seen:
            return False
        else:
            text = _line_of_text(word)
            if not text:
                self.skipped += 1
                return False
        self._seen.add(word)
        self.words.append(text)
        return True

    def matrix(self) -> np.ndarray:
        """The kept vectors, float32 `(len(words), dim)`; no more rows can be added."""
        self._matrix.resize((len(self.words), self._matrix.shape[1]), refcheck=False)
        return self._matrix


def _line_of_text(word: bytes) -> str:
    """A word as text, empty where it is none or several lines."""
    try:
        text = word.decode()
    except UnicodeDecodeError:
        return ""
    return "" if "\n" in text else text


def read_binary_rows(
    stream: BufferedIOBase, path: str, count: int, dim: int, kept: KeptRows
) -> None:
    """Rows of a word2vec binary file after its header: word, space, `dim` float32, maybe a newline.

    Raises InputError if there are not `count` whole rows, or more.
    """
    # Numba is imported when there is work for it.
    from abcnn.text.row_scan import scan_rows, values_of, wanted_flags

    size = 4 * dim
    # One buffer, filled again and again: it stays in the processor's cache.
    buffer = bytearray(BLOCK + _LONGEST_WORD + size + 2)
    view, data = memoryview(buffer), np.frombuffer(buffer, np.uint8)
    flags = wanted_flags(kept.wanted)
    words = np.empty((len(buffer) // (size + 1) + 1, 2), np.int64)
    filled = row = newline = 0
    while row < count:
        received = stream.readinto(view[filled : filled + BLOCK])
        if not received:
            raise InputError(_cut(path, count, dim, row, partly=bool(buffer[:filled].strip())))
        filled += received
        start = 0
        while row < count:
            if row == 1:
                newline = int(buffer.startswith(b"\n", start, filled))
            # What ends the first row shows where the second begins.
            limit = 1 if row == 0 else count - row
            first = max(0, kept.most_frequent - row)
            passed, found, start = scan_rows(
                data, start, filled, size, newline, limit, first, flags, words
            )
            written = [bytes(view[begin:end]) for begin, end in words[:found].tolist()]
            # Of the rows written, the first ones are all the first ones there are.
            chosen = [n for n, word in enumerate(written) if n < first or word in kept.wanted]
            if chosen:
                values = values_of(data, words[chosen, 1] + 1, size).view("<f4")
                kept.add([written[n] for n in chosen], values)
            row += passed
            if passed < limit:
                break
        buffer[: filled - start] = buffer[start:filled]
        filled -= start
        if filled > _LONGEST_WORD and buffer.find(b" ", 0, filled) < 0:
            raise InputError(
                f"{path}, row {row + 1}: expected a word, a space and {dim} float32 values. "
                f"Received: no space in {filled:,} bytes"
            )
    if buffer[:filled].strip() or stream.read(BLOCK).strip():
        raise InputError(f"{path}: the header says {count:,} rows of {dim} values. Received: more")


def read_text_rows(
    stream: BufferedIOBase, path: str, count: int | None, dim: int, kept: KeptRows
) -> None:
    """Lines of a text file: a word and `dim` numbers, with single spaces; words may hold spaces.

    count: the rows that the header, line 1, has promised; None if there is no header.
    Raises InputError if a line has another number of values, a value of a kept one is no number, or
    there are not `count` lines.
    """
    first, row = kept.most_frequent, 0
    for number, whole_line in enumerate(stream, 1 if count is None else 2):
        line = whole_line.rstrip()
        spaces = line.count(b" ")
        if spaces != dim:
            if not line:
                continue
            _check_size(whole_line, dim, f"{path}, line {number}")
        # All of the word, or the part of it before its first space.
        part = line[: line.find(b" ")]
        if row < first or part in kept.wanted:
            word, *values = line.rsplit(b" ", dim)
            if row < first or word in kept.wanted:
                kept.add([word], parse_numbers(values, f"{path}, line {number}")[None])
        row += 1
    if count is not None and row < count:
        raise InputError(_cut(path, count, dim, row, partly=False))
    if count is not None and row > count:
        raise InputError(
            f"{path}: the header says {count:,} rows of {dim} values. Received: {row:,} rows"
        )


def parse_numbers(values: list[bytes], where: str) -> np.ndarray:
    """The numbers of a line, float32; InputError names the first that is none."""
    try:
        with np.errstate(over="ignore"):  # Infinite values are looked for in all that is kept.
            return np.array([float(value) for value in values], dtype=np.float32)
    except ValueError:
        bad = next(value for value in values if not is_number(value))
        raise InputError(f"{where}: expected a number. Received: {shown(bad)}") from None


def is_number(value: bytes) -> bool:
    """Whether some bytes are a number in text."""
    try:
        float(value)
    except ValueError:
        return False
    return True


def shown(value: bytes) -> str:
    """The beginning of some bytes, for an error message."""
    text = repr(value[:40].decode("utf-8", "replace"))
    return text if len(value) <= 40 else f"{text[:-1]}…{text[-1]}"


def _check_size(line: bytes, dim: int, where: str) -> None:
    """Accept a line whose word holds spaces, but not a line with too few or too many numbers."""
    word, *values = line.rstrip().rsplit(b" ", dim)
    more = word.split(b" ")[1:]
    if len(values) < dim or all(map(is_number, more)):
        end = "" if line.endswith(b"\n") else " at the end of the file; is it cut?"
        raise InputError(
            f"{where}: every vector must have {dim} values, as the header or the first line has. "
            f"Received: {len(values) + len(more)}{end}"
        )


def _cut(path: str, count: int, dim: int, row: int, *, partly: bool) -> str:
    end = f"in the middle of row {row + 1:,}" if partly else f"after {row:,} rows"
    return (
        f"{path}: the header says {count:,} rows of {dim} values, but the file ends {end}; "
        "is it cut?"
    )
