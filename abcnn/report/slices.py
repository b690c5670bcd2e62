"""A measure by what pairs are like: their length, their overlap, their question word."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from abcnn.report.measures import mean_of
from abcnn.report.records import Slices

QUESTION_WORDS = ("who", "whom", "whose", "what", "which", "when", "where", "why", "how")
_OVERLAPS = ("none", "up to 1/4", "1/4 to 1/2", "1/2 to 3/4", "over 3/4")


def by_length(lengths: np.ndarray, values: np.ndarray, seed: int, **names: str) -> Slices:
    """By quarters of the units' lengths in tokens, each length wholly in one of them."""
    edges = np.unique(np.quantile(lengths, [0.25, 0.5, 0.75], method="lower"))
    places = np.searchsorted(edges, lengths, side="left")
    keys = {}
    for place in np.unique(places):
        inside = lengths[places == place]
        low, high = int(inside.min()), int(inside.max())
        keys[place] = f"{low}" if low == high else f"{low} to {high}"
    return _slices([keys[place] for place in places], keys.values(), values, seed, **names)


def by_overlap(overlaps: np.ndarray, values: np.ndarray, seed: int, **names: str) -> Slices:
    """By the share of one sentence's words that the other one has, in [0, 1]."""
    places = np.ceil(overlaps * 4).astype(int)
    return _slices([_OVERLAPS[place] for place in places], _OVERLAPS, values, seed, **names)


def by_question_word(
    sentences: Sequence[Sequence[str]], values: np.ndarray, seed: int, **names: str
) -> Slices:
    """By the first question word among the tokens of a sentence."""
    words = [
        next((token.lower() for token in tokens if token.lower() in QUESTION_WORDS), "none")
        for tokens in sentences
    ]
    return _slices(words, (*QUESTION_WORDS, "none"), values, seed, **names)


def overlap(left: Sequence[str], right: Sequence[str]) -> float:
    """The share of the different words of `left`, lower-cased, that `right` has; 0 for none."""
    words = {token.lower() for token in left}
    return len(words & {token.lower() for token in right}) / len(words) if words else 0.0


def _slices(
    keys: Sequence[str], order: Iterable[str], values: np.ndarray, seed: int, **names: str
) -> Slices:
    found = np.array(keys, dtype=object)
    parts = [(name, values[found == name]) for name in dict.fromkeys(order)]
    return Slices(parts=tuple(mean_of(n, v, seed) for n, v in parts if len(v)), **names)
