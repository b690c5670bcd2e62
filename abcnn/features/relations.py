"""Relations between the words that only one of the sentences has (Yin et al. 2016, section 5.3).

All of them look at the NONOVER copies: the different content words that the other sentence lacks.
The first three after Lai and Hockenmaier 2014, who look at the whole sentences.
"""

from __future__ import annotations

from collections.abc import Callable

from abcnn.features.sentence import Sentence
from abcnn.features.wordnet import ancestors, senses


def synonyms(left: Sentence, right: Sentence) -> float:
    """SYN: pairs of words, one a sentence, that share a WordNet synset."""
    lexicon = _lexicon(left)
    return sum(
        not senses(lexicon, word).isdisjoint(senses(lexicon, other))
        for word in only(left, right)
        for other in only(right, left)
    )


def left_hypernyms(left: Sentence, right: Sentence) -> float:
    """HYP0: words of the left sentence that have a WordNet hypernym in the right one."""
    return _with_hypernym(left, right)


def right_hypernyms(left: Sentence, right: Sentence) -> float:
    """HYP1: words of the right sentence that have a WordNet hypernym in the left one."""
    return _with_hypernym(right, left)


def antonyms(left: Sentence, right: Sentence) -> float:
    """ANT: learnt antonym pairs, one word a sentence (`abcnn.features.antonyms`)."""
    learnt = left.statistics.antonyms
    if not learnt:
        return 0
    return sum(
        (min(word, other), max(word, other)) in learnt
        for word in only(left, right)
        for other in only(right, left)
    )


def only(sentence: Sentence, other: Sentence) -> list[str]:
    """The content words of the NONOVER copy of `sentence`, in alphabetical order."""
    return [word for word in sentence.content if word not in other.types]


def _with_hypernym(sentence: Sentence, other: Sentence) -> float:
    lexicon = _lexicon(sentence)
    there = {synset for word in only(other, sentence) for synset in senses(lexicon, word)}
    return sum(not ancestors(lexicon, word).isdisjoint(there) for word in only(sentence, other))


def _lexicon(sentence: Sentence) -> str:
    lexicon = sentence.statistics.wordnet
    assert lexicon is not None, "fitted without a WordNet"
    return lexicon


WORDNET: dict[str, Callable[[Sentence, Sentence], float]] = {
    "synonyms": synonyms,
    "left_hypernyms": left_hypernyms,
    "right_hypernyms": right_hypernyms,
}
LEARNT: dict[str, Callable[[Sentence, Sentence], float]] = {"antonyms": antonyms}
