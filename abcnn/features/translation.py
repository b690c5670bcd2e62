"""Measures of machine translation between the two sentences of a pair.

One sentence is taken for the translation, the other for the reference, so each measure has two
features: `left_bleu_1` measures the left sentence against the right one. All of them see the
lower-cased tokens, and of a sentence the first `LONGEST`: some take time that is quadratic in it.
A sentence without tokens gets 0, and with TER, an error rate, 100.

Source of their use: Madnani et al. 2012, Yin et al. 2016, sections 5.2 and 5.3. MAXSIM, SEPIA,
TERp and BADGER of the papers have no kept implementation.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

from abcnn.errors import require
from abcnn.features.sentence import Sentence
from abcnn.features.wordnet import synonyms

LONGEST = 200


def bleu(translation: Sentence, reference: Sentence, order: int) -> float:
    """BLEU up to n-grams of `order` of one sentence, in [0, 100] (Papineni et al. 2002).

    sacrebleu's, with its exponential smoothing ("exp": the first order without a match counts half
    a match, the next a quarter, ...) and the effective order: orders longer than the sentence are
    left out.
    """
    return _bleu(order).sentence_score(_cut(translation), [_cut(reference)]).score


def chrf(translation: Sentence, reference: Sentence) -> float:
    """chrF2, the F2 of character 1- to 6-grams, in [0, 100] (Popovic 2015; sacrebleu's)."""
    return _metric("CHRF").sentence_score(_cut(translation), [_cut(reference)]).score


def ter(translation: Sentence, reference: Sentence) -> float:
    """TER: edits and shifts for 100 words of the reference (Snover et al. 2006; sacrebleu's)."""
    return _metric("TER").sentence_score(_cut(translation), [_cut(reference)]).score


def nist(translation: Sentence, reference: Sentence, order: int) -> float:
    """NIST up to n-grams of `order` (Doddington 2002; nltk's).

    The information of an n-gram comes from the reference alone. Orders longer than the translation
    add nothing.
    """
    words = translation.words[:LONGEST]
    if not words or not reference.words:
        return 0.0
    score = require("nltk.translate.nist_score", "features").sentence_nist
    return score([reference.words[:LONGEST]], words, min(order, len(words)))


def meteor(translation: Sentence, reference: Sentence) -> float:
    """METEOR: words, stems and WordNet synonyms, in [0, 1] (Lavie and Agarwal 2007; nltk's)."""
    module = require("nltk.translate.meteor_score", "features")
    return module.single_meteor_score(
        reference.words[:LONGEST],
        translation.words[:LONGEST],
        wordnet=_Synonyms(translation.statistics.wordnet),
    )


def rouge(sentence: Sentence, other: Sentence, kind: str) -> float:
    """ROUGE-1, -2 or -L recall: what the other sentence has of this one, in [0, 1] (Lin 2004).

    rouge-score's, without stemming. Its precision is the recall of the other side.
    """
    scores = _rouge(kind).score(target=_cut(sentence), prediction=_cut(other))
    return float(scores[kind].recall)


def _cut(sentence: Sentence) -> str:
    return " ".join(sentence.words[:LONGEST])


@lru_cache
def _bleu(order: int) -> Any:
    return require("sacrebleu.metrics", "features").BLEU(
        max_ngram_order=order, smooth_method="exp", effective_order=True, tokenize="none"
    )


@lru_cache
def _metric(name: str) -> Any:
    return getattr(require("sacrebleu.metrics", "features"), name)()


@lru_cache
def _rouge(kind: str) -> Any:
    module = require("rouge_score.rouge_scorer", "features")
    return module.RougeScorer([kind], tokenizer=_Spaces())


class _Spaces:
    """What rouge-score asks of a tokenizer."""

    def tokenize(self, text: str) -> list[str]:
        return text.split()


class _Synonyms:
    """What nltk's METEOR asks of a WordNet: a word's synsets, their lemmas, a lemma's name."""

    def __init__(self, lexicon: str | None):
        self._lexicon = lexicon

    def synsets(self, word: str) -> list[_Lemmas]:
        return [_Lemmas(synonyms(self._lexicon, word))] if self._lexicon else []


class _Lemmas:
    def __init__(self, names: frozenset[str]):
        self._names = names

    def lemmas(self) -> list[_Lemma]:
        return [_Lemma(name) for name in self._names]


class _Lemma:
    def __init__(self, name: str):
        self._name = name

    def name(self) -> str:
        return self._name


def _right(
    measure: Callable[[Sentence, Sentence], float], left: Sentence, right: Sentence
) -> float:
    return measure(right, left)


def _both(
    measures: dict[str, Callable[[Sentence, Sentence], float]],
) -> dict[str, Callable[[Sentence, Sentence], float]]:
    """Each measure of the left sentence and, with the sides changed, of the right one."""
    return {
        f"{side}_{name}": measure if side == "left" else partial(_right, measure)
        for name, measure in measures.items()
        for side in ("left", "right")
    }


BLEU = _both({f"bleu_{order}": partial(bleu, order=order) for order in range(1, 5)})
NIST = _both({f"nist_{order}": partial(nist, order=order) for order in range(1, 6)})
ROUGE = _both(
    {f"rouge_{kind.lower()}": partial(rouge, kind=f"rouge{kind}") for kind in ("1", "2", "L")}
)
EDITS = _both({"chrf": chrf, "ter": ter})
METEOR = _both({"meteor": meteor})
