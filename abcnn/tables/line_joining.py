"""Cells of text to lines of CSV and TSV: compiled loops.

A cell is copied once, from the column's text to its place in the lines.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from abcnn.compiled import compiled_entry

# What a byte is to a format.
_PLAIN, _SPECIAL, _QUOTE, _NUL = 0, 1, 2, 3
_LF = ord("\n")


def joined_lines(
    columns: Sequence[tuple[np.ndarray, np.ndarray]], delimiter: str, *, quoted: bool
) -> np.ndarray | None:
    """The cells of several columns as lines, each ended by a line feed: uint8.

    A column is its text, uint8, and int32 `(rows + 1,)`, where each cell begins in it and the last
    one ends. With `quoted` a cell that holds the delimiter, a quote or a line end stands in quotes,
    and its quotes are doubled.

    None when a cell holds a NUL character or, where there are no quotes, what would need them.
    """
    kinds = np.zeros(256, np.uint8)
    kinds[[ord(delimiter), ord("\r"), _LF]] = _SPECIAL
    kinds[0] = _NUL
    if quoted:
        kinds[ord('"')] = _QUOTE
    rows = len(columns[0][1]) - 1
    added = np.zeros((len(columns), rows), np.int32)
    places = np.zeros(rows + 1, np.int64)
    for (text, offsets), extra in zip(columns, added, strict=True):
        worst = _measure(text, offsets, kinds, extra, places[1:])
        if worst == _NUL or (worst and not quoted):
            return None
    np.cumsum(places, out=places)
    lines = np.empty(int(places[-1]), np.uint8)
    for place, ((text, offsets), extra) in enumerate(zip(columns, added, strict=True)):
        behind = _LF if place == len(columns) - 1 else ord(delimiter)
        _fill(text, offsets, extra, behind, lines, places[:-1])
    return lines


@compiled_entry()
def _measure(
    text: np.ndarray, offsets: np.ndarray, kinds: np.ndarray, added: np.ndarray, sizes: np.ndarray
) -> int:
    """The most special kind of byte in a column.

    `added` becomes the quotes that each cell needs besides its own, around it and doubled; to
    `sizes` is added what a cell takes, with the character behind it.
    """
    worst = 0
    for row in range(len(sizes)):
        most, quotes = 0, 0
        for place in range(offsets[row], offsets[row + 1]):
            kind = kinds[text[place]]
            most = max(most, kind)
            quotes += kind == _QUOTE
        added[row] = 2 + quotes if most != _PLAIN else 0
        sizes[row] += offsets[row + 1] - offsets[row] + added[row] + 1
        worst = max(worst, most)
    return worst


@compiled_entry()
def _fill(
    text: np.ndarray,
    offsets: np.ndarray,
    added: np.ndarray,
    behind: int,
    lines: np.ndarray,
    places: np.ndarray,
) -> None:
    """Put each cell, with the character `behind` it, to its place, and move that behind it."""
    quote = np.uint8(34)
    for row in range(len(places)):
        at, start, stop = places[row], offsets[row], offsets[row + 1]
        if added[row]:
            lines[at] = quote
            at += 1
            for place in range(start, stop):
                lines[at] = text[place]
                at += 1
                if text[place] == quote:
                    lines[at] = quote
                    at += 1
            lines[at] = quote
            at += 1
        else:
            lines[at : at + stop - start] = text[start:stop]
            at += stop - start
        lines[at] = behind
        places[row] = at + 1
