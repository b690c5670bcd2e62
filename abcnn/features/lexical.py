"""Features of a pair that need no other resource than the training sentences themselves."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from rapidfuzz.distance import LCSseq

from abcnn.errors import InputError

Tokens = Sequence[str]

NEGATIONS = frozenset(
    (
        "no",
        "not",
        "n't",
        "never",
        "none",
        "nobody",
        "nothing",
        "neither",
        "nor",
        "nowhere",
        "without",
    )
)


@dataclass(frozen=True)
class WordStatistics:
    """What the features know of words, from the training sentences only.

    `idf[word]` is `ln(sentences / sentences with the word)` of lower-cased words; a word that was
    never seen has `unseen_idf`, that of a word seen once. `stopwords` carry no content.
    """

    idf: Mapping[str, float] = field(repr=False)
    unseen_idf: float
    stopwords: frozenset[str] = field(repr=False)

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

    def is_content(self, word: str) -> bool:
        """Whether a lower-cased token is a word or number and no stop word."""
        return word not in self.stopwords and any(character.isalnum() for character in word)


def left_length(left: Tokens, right: Tokens, statistics: WordStatistics) -> float:
    """Tokens of the left sentence (Yin et al. 2016, sections 5.1 to 5.3)."""
    return len(left)


def right_length(left: Tokens, right: Tokens, statistics: WordStatistics) -> float:
    """Tokens of the right sentence."""
    return len(right)


def word_count(left: Tokens, right: Tokens, statistics: WordStatistics) -> float:
    """WordCnt: the left sentence's content words that stand in the right one (Yang et al. 2015)."""
    return len(_shared_content(left, right, statistics))


def weighted_word_count(left: Tokens, right: Tokens, statistics: WordStatistics) -> float:
    """WgtWordCnt: the same, each word counted with its IDF (Yang et al. 2015)."""
    return sum(map(statistics.weight, sorted(_shared_content(left, right, statistics))))


def left_rest(left: Tokens, right: Tokens, statistics: WordStatistics) -> float:
    """Tokens of the left sentence that are not in the right one: the length of its NONOVER copy."""
    return _rest(left, right)


def right_rest(left: Tokens, right: Tokens, statistics: WordStatistics) -> float:
    """Tokens of the right sentence that are not in the left one: the length of its NONOVER copy."""
    return _rest(right, left)


def left_overlap(left: Tokens, right: Tokens, statistics: WordStatistics) -> float:
    """The share of the left sentence's tokens that stand in the right one, in [0, 1]."""
    return _share(left, right)


def right_overlap(left: Tokens, right: Tokens, statistics: WordStatistics) -> float:
    """The share of the right sentence's tokens that stand in the left one, in [0, 1]."""
    return _share(right, left)


def left_bigram_overlap(left: Tokens, right: Tokens, statistics: WordStatistics) -> float:
    """The share of the left sentence's pairs of neighbours that stand in the right one."""
    return _share(_bigrams(left), _bigrams(right))


def right_bigram_overlap(left: Tokens, right: Tokens, statistics: WordStatistics) -> float:
    """The share of the right sentence's pairs of neighbours that stand in the left one."""
    return _share(_bigrams(right), _bigrams(left))


def left_weighted_overlap(left: Tokens, right: Tokens, statistics: WordStatistics) -> float:
    """`left_overlap` with every token counted by its IDF."""
    return _weighted_share(left, right, statistics)


def right_weighted_overlap(left: Tokens, right: Tokens, statistics: WordStatistics) -> float:
    """`right_overlap` with every token counted by its IDF."""
    return _weighted_share(right, left, statistics)


def left_subsequence(left: Tokens, right: Tokens, statistics: WordStatistics) -> float:
    """The longest common subsequence as a share of the left sentence, as in ROUGE-L (Lin 2004)."""
    return LCSseq.similarity(left, right) / len(left) if left else 0.0


def right_subsequence(left: Tokens, right: Tokens, statistics: WordStatistics) -> float:
    """The longest common subsequence as a share of the right sentence, as in ROUGE-L."""
    return LCSseq.similarity(left, right) / len(right) if right else 0.0


def character_overlap(left: Tokens, right: Tokens, statistics: WordStatistics) -> float:
    """Three-letter sequences in both sentences, as a share of those in either (Jaccard)."""
    trigrams, others = _trigrams(left), _trigrams(right)
    return len(trigrams & others) / len(trigrams | others) if trigrams or others else 0.0


def length_difference(left: Tokens, right: Tokens, statistics: WordStatistics) -> float:
    """By how many tokens one sentence is longer than the other."""
    return abs(len(left) - len(right))


def negation(left: Tokens, right: Tokens, statistics: WordStatistics) -> float:
    """NEG: 1 when exactly one of the sentences holds a negation (Yin et al. 2016, section 5.3)."""
    return NEGATIONS.isdisjoint(left) != NEGATIONS.isdisjoint(right)


def number_mismatch(left: Tokens, right: Tokens, statistics: WordStatistics) -> float:
    """1 when the sentences hold different numbers (after Socher et al. 2011, section 4.2)."""
    return _numbers(left) != _numbers(right)


def number_inclusion(left: Tokens, right: Tokens, statistics: WordStatistics) -> float:
    """1 when the numbers of one sentence are some, not all, of the other's (Socher et al. 2011)."""
    numbers, others = _numbers(left), _numbers(right)
    return numbers < others or others < numbers


def _rest(units: Tokens, others: Tokens) -> int:
    among = set(others)
    return sum(unit not in among for unit in units)


def _share(units: Sequence[object], others: Sequence[object]) -> float:
    """How much of `units` is among `others`; 0 when there are none."""
    among = set(others)
    return sum(unit in among for unit in units) / len(units) if units else 0.0


def _bigrams(sentence: Tokens) -> list[tuple[str, str]]:
    return list(pairwise(sentence))


def _weighted_share(units: Tokens, others: Tokens, statistics: WordStatistics) -> float:
    among = set(others)
    total = math.fsum(map(statistics.weight, units))
    shared = math.fsum(statistics.weight(unit) for unit in units if unit in among)
    return shared / total if total else 0.0


def _trigrams(sentence: Tokens) -> set[str]:
    text = " ".join(sentence)
    return {text[start : start + 3] for start in range(len(text) - 2)}


def _shared_content(left: Tokens, right: Tokens, statistics: WordStatistics) -> set[str]:
    return {word for word in set(left) & set(right) if statistics.is_content(word)}


def _numbers(sentence: Tokens) -> set[str]:
    return {word for word in sentence if any(character.isdigit() for character in word)}


Feature = Callable[[Tokens, Tokens, WordStatistics], float]

FEATURES: dict[str, Feature] = {
    function.__name__: function
    for function in (
        left_length,
        right_length,
        word_count,
        weighted_word_count,
        left_rest,
        right_rest,
        left_overlap,
        right_overlap,
        left_bigram_overlap,
        right_bigram_overlap,
        left_weighted_overlap,
        right_weighted_overlap,
        left_subsequence,
        right_subsequence,
        character_overlap,
        length_difference,
        negation,
        number_mismatch,
        number_inclusion,
    )
}


def check_features(names: Iterable[str]) -> None:
    """Raise InputError for a name that is no feature's."""
    if unknown := [name for name in names if name not in FEATURES]:
        raise InputError(
            f"`features` must be among {', '.join(FEATURES)}. Received: {', '.join(unknown)}"
        )
