"""What the features know of words: all of it from the training pairs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

Tokens = Sequence[str]


@dataclass(frozen=True)
class WordStatistics:
    """What the features know of lower-cased words, from the training pairs only.

    `idf[word]` is `ln(sentences / sentences with the word)`; a word that was never seen has
    `unseen_idf`, that of a word seen once. `stopwords` carry no content. `antonyms` are the learnt
    pairs, each in alphabetical order (`abcnn.features.antonyms`); `wordnet` names the WordNet that
    the features look words up in, None when they do not.
    """

    idf: Mapping[str, float] = field(repr=False)
    unseen_idf: float
    stopwords: frozenset[str] = field(repr=False)
    antonyms: frozenset[tuple[str, str]] = field(default=frozenset(), repr=False)
    wordnet: str | None = None

    @classmethod
    def of(cls, sentences: Iterable[Tokens]) -> WordStatistics:
        """The statistics of tokenised sentences, each distinct one counted once."""
        distinct = {tuple(word.lower() for word in sentence) for sentence in sentences}
        counts = Counter(word for sentence in distinct for word in set(sentence))
        return cls.of_counts(counts, len(distinct))

    @classmethod
    def of_counts(cls, counts: Mapping[str, int], sentences: int) -> WordStatistics:
        """The statistics of so many sentences; `counts` says in how many each word stands."""
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        total = max(sentences, 1)
        idf = {word: math.log(total / count) for word, count in counts.items()}
        return cls(idf, math.log(total), frozenset(ENGLISH_STOP_WORDS))

    def weight(self, word: str) -> float:
        """The IDF of a lower-cased word."""
        return self.idf.get(word, self.unseen_idf)

    def weights(self, words: Iterable[str]) -> list[float]:
        """`weight` of many words."""
        find, unseen = self.idf.get, self.unseen_idf
        return [find(word, unseen) for word in words]

    def is_content(self, word: str) -> bool:
        """Whether a lower-cased token is a word or number and no stop word."""
        return word not in self.stopwords and (word.isalnum() or any(map(str.isalnum, word)))

    def are_content(self, words: Iterable[str]) -> list[bool]:
        """`is_content` of many tokens."""
        # Most words are letters only, which is told at once.
        stop = self.stopwords
        return [w not in stop if w.isalnum() else self.is_content(w) for w in words]

    def to_dict(self) -> dict[str, Any]:
        """The statistics as JSON values, always in the same order."""
        return {
            "idf": dict(sorted(self.idf.items())),
            "unseen_idf": self.unseen_idf,
            "stopwords": sorted(self.stopwords),
            "antonyms": [list(pair) for pair in sorted(self.antonyms)],
            "wordnet": self.wordnet,
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> WordStatistics:
        """The statistics of a `to_dict`."""
        return replace(
            cls(**values),
            stopwords=frozenset(values["stopwords"]),
            antonyms=frozenset((first, second) for first, second in values["antonyms"]),
        )
