"""A sentence as the features see it."""

from __future__ import annotations

from collections.abc import Iterable, Set
from functools import cached_property
from itertools import pairwise
from math import fsum

from abcnn.features.words import Tokens, WordStatistics


def words_not_in(others: Set[str], tokens: Iterable[str]) -> list[str]:
    """The tokens whose lower-cased words do not stand among the `others`: a sentence's rest."""
    return [token for token in tokens if token.lower() not in others]


def is_number(word: str) -> bool:
    """Whether a word holds a digit."""
    # Most words are letters only, which is told at once.
    return not word.isalpha() and any(map(str.isdigit, word))


def are_numbers(words: Iterable[str]) -> list[bool]:
    """`is_number` of many words."""
    return [not word.isalpha() and is_number(word) for word in words]


class Sentence:
    """The lower-cased words of a sentence, and what features look up in it, each made once.

    Pairs share sentences, a question all its candidates: what is remembered here is why a feature
    costs little.
    """

    def __init__(self, tokens: Tokens, statistics: WordStatistics):
        self.words = [*map(str.lower, tokens)]
        self.types = frozenset(self.words)
        self.statistics = statistics

    @cached_property
    def text(self) -> str:
        """The words divided by spaces."""
        return " ".join(self.words)

    @cached_property
    def content(self) -> dict[str, float]:
        """The different content words in alphabetical order, each with its IDF."""
        known = self.statistics
        return {word: known.weight(word) for word in sorted(self.types) if known.is_content(word)}

    @cached_property
    def total_weight(self) -> float:
        """The IDF of all words together."""
        return fsum(map(self.statistics.weight, self.words))

    @cached_property
    def bigrams(self) -> list[tuple[str, str]]:
        """All pairs of neighbours."""
        return list(pairwise(self.words))

    @cached_property
    def trigrams(self) -> frozenset[tuple[str, str, str]]:
        """The different three-letter sequences of the text."""
        text = self.text
        return frozenset(zip(text, text[1:], text[2:], strict=False))

    @cached_property
    def numbers(self) -> frozenset[str]:
        """The different words that are numbers."""
        return frozenset(filter(is_number, self.types))

    def rest(self, other: Sentence) -> list[str]:
        """The NONOVER copy: the words that do not stand in the other sentence."""
        return words_not_in(other.types, self.words)
