"""Features of a pair that need no other resource than the training sentences themselves."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence, Set

from rapidfuzz.distance import LCSseq

from abcnn.features.sentence import Sentence

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


def left_length(left: Sentence, right: Sentence) -> float:
    """Tokens of the left sentence (Yin et al. 2016, sections 5.1 to 5.3)."""
    return len(left.words)


def right_length(left: Sentence, right: Sentence) -> float:
    """Tokens of the right sentence."""
    return len(right.words)


def word_count(left: Sentence, right: Sentence) -> float:
    """WordCnt: the left sentence's content words that stand in the right one (Yang et al. 2015)."""
    return sum(map(right.types.__contains__, left.content))


def weighted_word_count(left: Sentence, right: Sentence) -> float:
    """WgtWordCnt: the same, each word counted with its IDF (Yang et al. 2015)."""
    among = right.types
    return sum(weight for word, weight in left.content.items() if word in among)


def left_rest(left: Sentence, right: Sentence) -> float:
    """Tokens of the left sentence that are not in the right one: the length of its NONOVER copy."""
    return len(left.rest(right))


def right_rest(left: Sentence, right: Sentence) -> float:
    """Tokens of the right sentence that are not in the left one: the length of its NONOVER copy."""
    return len(right.rest(left))


def left_overlap(left: Sentence, right: Sentence) -> float:
    """The share of the left sentence's tokens that stand in the right one, in [0, 1]."""
    return _share(left.words, right.types)


def right_overlap(left: Sentence, right: Sentence) -> float:
    """The share of the right sentence's tokens that stand in the left one, in [0, 1]."""
    return _share(right.words, left.types)


def left_bigram_overlap(left: Sentence, right: Sentence) -> float:
    """The share of the left sentence's pairs of neighbours that stand in the right one."""
    return _share(left.bigrams, set(right.bigrams))


def right_bigram_overlap(left: Sentence, right: Sentence) -> float:
    """The share of the right sentence's pairs of neighbours that stand in the left one."""
    return _share(right.bigrams, set(left.bigrams))


def left_weighted_overlap(left: Sentence, right: Sentence) -> float:
    """`left_overlap` with every token counted by its IDF."""
    return _weighted_share(left, right)


def right_weighted_overlap(left: Sentence, right: Sentence) -> float:
    """`right_overlap` with every token counted by its IDF."""
    return _weighted_share(right, left)


def left_subsequence(left: Sentence, right: Sentence) -> float:
    """The longest common subsequence as a share of the left sentence, as in ROUGE-L (Lin 2004)."""
    return _subsequence(left, right) / len(left.words) if left.words else 0.0


def right_subsequence(left: Sentence, right: Sentence) -> float:
    """The longest common subsequence as a share of the right sentence, as in ROUGE-L."""
    return _subsequence(left, right) / len(right.words) if right.words else 0.0


def character_overlap(left: Sentence, right: Sentence) -> float:
    """Three-letter sequences in both sentences, as a share of those in either (Jaccard)."""
    shared = len(left.trigrams & right.trigrams)
    either = len(left.trigrams) + len(right.trigrams) - shared
    return shared / either if either else 0.0


def length_difference(left: Sentence, right: Sentence) -> float:
    """By how many tokens one sentence is longer than the other."""
    return abs(len(left.words) - len(right.words))


def negation(left: Sentence, right: Sentence) -> float:
    """NEG: 1 when exactly one of the sentences holds a negation (Yin et al. 2016, section 5.3)."""
    return NEGATIONS.isdisjoint(left.types) != NEGATIONS.isdisjoint(right.types)


def number_mismatch(left: Sentence, right: Sentence) -> float:
    """1 when the sentences hold different numbers (after Socher et al. 2011, section 4.2)."""
    return left.numbers != right.numbers


def number_inclusion(left: Sentence, right: Sentence) -> float:
    """1 when the numbers of one sentence are some, not all, of the other's (Socher et al. 2011)."""
    return left.numbers < right.numbers or right.numbers < left.numbers


def _share(units: Sequence[object], others: Set[object]) -> float:
    """How much of `units` is among `others`; 0 when there are none."""
    return sum(map(others.__contains__, units)) / len(units) if units else 0.0


def _subsequence(left: Sentence, right: Sentence) -> int:
    return LCSseq.similarity(left.words, right.words)


def _weighted_share(sentence: Sentence, other: Sentence) -> float:
    weight, among = sentence.statistics.weight, other.types
    shared = math.fsum(weight(word) for word in sentence.words if word in among)
    return shared / sentence.total_weight if sentence.total_weight else 0.0


LEXICAL: dict[str, Callable[[Sentence, Sentence], float]] = {
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
