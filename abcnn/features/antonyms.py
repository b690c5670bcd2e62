"""Antonym pairs learnt from labelled pairs (Yin et al. 2016, section 5.3, feature ANT)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

import numpy as np

from abcnn.features.relations import only
from abcnn.features.sentence import Sentence
from abcnn.features.wordnet import ancestors, senses
from abcnn.text.vectors import WordVectors

FEWEST_PAIRS = 2
LEAST_COSINE = 0.4


def learn_antonyms(
    pairs: Iterable[tuple[Sentence, Sentence, bool]],
    cosine: Callable[[str, str], float],
) -> frozenset[tuple[str, str]]:
    """Word pairs that occur in sentence pairs that do not hold, and in none that does.

    `pairs` are left, right, and whether the right sentence follows from the left one; a word pair
    has one word of each NONOVER copy. One is learnt when it occurs at least `FEWEST_PAIRS` times,
    the cosine of the words' vectors is above `LEAST_COSINE`, and, where the sentences know a
    WordNet, the words are neither synonyms nor is one the other's hypernym. Each pair is in
    alphabetical order.
    """
    against: Counter[tuple[str, str]] = Counter()
    holding: set[tuple[str, str]] = set()
    lexicon = None
    for left, right, holds in pairs:
        lexicon = left.statistics.wordnet
        found = {
            (min(word, other), max(word, other))
            for word in only(left, right)
            for other in only(right, left)
        }
        if holds:
            holding |= found
        else:
            against.update(found)
    return frozenset(
        pair
        for pair, count in against.items()
        if count >= FEWEST_PAIRS
        and pair not in holding
        and cosine(*pair) > LEAST_COSINE
        and not (lexicon and _related(lexicon, *pair))
    )


def word_cosines(vectors: WordVectors) -> Callable[[str, str], float]:
    """The cosine of the vectors of two words; 0 for a word without one."""
    rows = {word: row for row, word in enumerate(vectors.words)}

    def cosine(word: str, other: str) -> float:
        if word not in rows or other not in rows:
            return 0.0
        one = vectors.matrix[rows[word]].astype(np.float64)
        two = vectors.matrix[rows[other]].astype(np.float64)
        lengths = np.sqrt(one @ one) * np.sqrt(two @ two)
        return float(one @ two / lengths) if lengths else 0.0

    return cosine


def _related(lexicon: str, word: str, other: str) -> bool:
    ours, theirs = senses(lexicon, word), senses(lexicon, other)
    return not (
        ours.isdisjoint(theirs | ancestors(lexicon, other))
        and theirs.isdisjoint(ancestors(lexicon, word))
    )
