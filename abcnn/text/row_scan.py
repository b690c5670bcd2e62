"""Where the rows of a word2vec binary file begin and which may be kept: compiled loops.

The words of millions of rows are not made Python objects to be looked up. A word's hash is looked
for in a table of flags instead: all wanted words are flagged, and few others are by chance.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from abcnn.compiled import compiled, compiled_entry, prefetch

_FLAGS_A_WORD = 32
_MOST_FLAGS = (1 << 24) - 1
# Rows that are asked for before they are passed over: as long as memory takes to answer.
_AHEAD = 6


def wanted_flags(wanted: Collection[bytes]) -> np.ndarray:
    """uint8, of a size that is a power of 2: 1 at the two places where a wanted word's hash points.

    Up to half a million wanted words, fewer than one other word in 250 finds both places flagged.
    """
    size = 1 << min(_MOST_FLAGS, _FLAGS_A_WORD * len(wanted)).bit_length()
    flags = np.zeros(size, np.uint8)
    _flag_words(np.frombuffer(b" ".join([*wanted, b""]), np.uint8), flags)
    return flags


@compiled
def _one_place(code):
    return code ^ (code >> np.uint32(15))


@compiled
def _other_place(code):
    mixed = code * np.uint32(0x85EBCA6B)
    return mixed ^ (mixed >> np.uint32(13))


@compiled_entry()
def _flag_words(text: np.ndarray, flags: np.ndarray) -> None:
    """Set the flag of every word of a text in which each ends with a space."""
    last = np.uint32(len(flags) - 1)
    code = np.uint32(0)
    for value in text:
        if value == 32:
            flags[_one_place(code) & last] = flags[_other_place(code) & last] = 1
            code = np.uint32(0)
        else:
            code = (code ^ np.uint32(value)) * np.uint32(0x01000193)


@compiled_entry()
def scan_rows(
    data: np.ndarray,
    place: int,
    end: int,
    size: int,
    newline: int,
    limit: int,
    first: int,
    flags: np.ndarray,
    words: np.ndarray,
) -> tuple[int, int, int]:
    """Pass over up to `limit` whole rows of `data[place:end]`: `newline` bytes, word, space, `size`
    bytes of values.

    Of the first `first` rows, and of those whose word is flagged, the bounds of the word are
    written to `words`, int64 `(rows, 2)`. Returns the rows passed, how many of them were written,
    and where the last one ends.
    """
    last = np.uint32(len(flags) - 1)
    rows = found = step = 0
    while rows < limit:
        # Words are about as long as those before: the row is where it is looked for, or near.
        prefetch(data.ctypes.data + place + _AHEAD * step)  # type: ignore[call-arg]
        begin = space = place + newline
        code = np.uint32(0)
        while space < end and data[space] != 32:
            code = (code ^ np.uint32(data[space])) * np.uint32(0x01000193)
            space += 1
        if space + 1 + size > end:
            break
        if rows < first or (flags[_one_place(code) & last] and flags[_other_place(code) & last]):
            words[found, 0], words[found, 1] = begin, space
            found += 1
        step = space + 1 + size - place
        place += step
        rows += 1
    return rows, found, place


@compiled_entry()
def values_of(data: np.ndarray, starts: np.ndarray, size: int) -> np.ndarray:
    """The `size` bytes that begin at each of `starts`: uint8 `(len(starts), size)`."""
    values = np.empty((len(starts), size), np.uint8)
    for row in range(len(starts)):
        values[row] = data[starts[row] : starts[row] + size]
    return values
