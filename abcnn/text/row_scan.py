"""Where the rows of a word2vec binary file begin and which may be kept: loops to be compiled.

The words of millions of rows are not made Python objects to be looked up. A word's hash is looked
for in a table of flags instead: all wanted words are flagged, and few others are by chance.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cache
from typing import Any

import numpy as np

_FLAGS_A_WORD = 32
_MOST_FLAGS = (1 << 24) - 1


def wanted_flags(wanted: Collection[bytes]) -> np.ndarray:
    """uint8: 1 where the hash of a wanted word points, modulo the size, which is a power of 2."""
    size = 1 << min(_MOST_FLAGS, _FLAGS_A_WORD * len(wanted)).bit_length()
    flags = np.zeros(size, np.uint8)
    text = np.frombuffer(b" ".join([*wanted, b""]), np.uint8)
    _compiled(_flag_words)(text, flags)
    return flags


def scan_rows(*arguments: Any) -> tuple[int, int, int]:
    """`_scan_rows`, compiled on its first call."""
    return _compiled(_scan_rows)(*arguments)


@cache
def _compiled(loop: Callable[..., Any]) -> Callable[..., Any]:
    # Numba is imported when there is something to read.
    from abcnn.compiled import compiled_entry

    return compiled_entry()(loop)


def _flag_words(text: np.ndarray, flags: np.ndarray) -> None:
    """Set the flag of every word of a text in which each ends with a space."""
    last = np.uint32(len(flags) - 1)
    code = np.uint32(0)
    for value in text:
        if value == 32:
            flags[(code ^ (code >> np.uint32(15))) & last] = 1
            code = np.uint32(0)
        else:
            code = (code ^ np.uint32(value)) * np.uint32(0x01000193)


def _scan_rows(
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
    rows = found = 0
    while rows < limit:
        begin = space = place + newline
        code = np.uint32(0)
        while space < end and data[space] != 32:
            code = (code ^ np.uint32(data[space])) * np.uint32(0x01000193)
            space += 1
        if space + 1 + size > end:
            break
        if rows < first or flags[(code ^ (code >> np.uint32(15))) & last]:
            words[found, 0], words[found, 1] = begin, space
            found += 1
        place = space + 1 + size
        rows += 1
    return rows, found, place
