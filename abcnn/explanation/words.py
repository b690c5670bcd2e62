"""Words as they are shown: short enough for an axis, in their direction of writing."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

LONGEST_WORD = 16
LONGEST_UNIT = 4


def shown(text: str) -> str:
    """Text without what a terminal or a font could be confused by: control characters, halves."""
    return "".join(
        character if character.isprintable() or character == "\u200c" else "\ufffd"
        for character in text
    )


def unit_label(words: Sequence[str]) -> str:
    """A short name for a phrase: its words, of long phrases the first and the last two."""
    parts = [
        word if len(word) <= LONGEST_WORD else f"{word[: LONGEST_WORD - 1]}…" for word in words
    ]
    if len(parts) > LONGEST_UNIT:
        parts = [*parts[:2], "…", *parts[-2:]]
    return shown(" ".join(parts))


def is_right_to_left(words: Iterable[str]) -> bool:
    """Whether most letters are of a script that is written from right to left."""
    kinds = [unicodedata.bidirectional(character) for word in words for character in word]
    return sum(kind in ("R", "AL") for kind in kinds) > kinds.count("L")


def width_of(text: str) -> int:
    """How wide a text is, in letters: a Han character is as wide as two."""
    return sum(
        0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF")
        for c in text
    )
