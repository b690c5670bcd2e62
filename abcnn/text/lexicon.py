"""Training words and word vectors brought together: what is covered, and the embedding matrix."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Set
from dataclasses import dataclass

import numpy as np

from abcnn.text.vectors import WordVectors
from abcnn.text.vocabulary import EMPTY, FIRST_WORD, OOV, Vocabulary

UNKNOWN_RANGE = 0.01
"""Vectors of unknown words are drawn from U(-.01, .01), as in Yin et al. (2016)."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of a text is known: different words (types) and running words (tokens)."""

    types: int
    types_found: int
    tokens: int
    tokens_found: int

    def __str__(self) -> str:
        def part(found: int, of: int, noun: str) -> str:
            return f"{_share(found, of)} of {of:,} {noun}"

        types = part(self.types_found, self.types, "types")
        return f"coverage: {types}, {part(self.tokens_found, self.tokens, 'tokens')}"

    @property
    def shares(self) -> str:
        """The shares found of types and tokens, in few words."""
        return (
            f"{_share(self.types_found, self.types)} and {_share(self.tokens_found, self.tokens)}"
        )


def _share(found: int, of: int) -> str:
    return f"{found / of if of else 0:.1%}"


def coverage(counts: Counter[str], words: Collection[str]) -> Coverage:
    """How much of a text's words, with their counts, `words` cover: as they are or lower-cased."""
    known = words if isinstance(words, Set | Vocabulary) else frozenset(words)
    found = [n for word, n in counts.items() if word in known or word.lower() in known]
    return Coverage(
        types=len(counts),
        types_found=len(found),
        tokens=counts.total(),
        tokens_found=sum(found),
    )


@dataclass(frozen=True, eq=False, slots=True)
class Lexicon:
    """A vocabulary and its embedding matrix, float32 `(len(vocabulary), dim)`.

    The rows from `drawn` on are of words that have no vector; theirs are random.
    """

    vocabulary: Vocabulary
    matrix: np.ndarray
    drawn: int


def build_vocabulary(
    counts: Counter[str],
    vectors: WordVectors,
    generator: np.random.Generator,
    *,
    own_rows: int = 0,
    with_empty: bool = False,
) -> Lexicon:
    """The vocabulary of a model: every word of `vectors`, in their order.

    `vectors` are those of the training words and the file's most frequent words (`read_vectors`).
    A training word that has a vector only in lower case needs no row: its lookup finds that one.
    The row of PAD is zero, the row of OOV is one random vector from U(-.01, .01), which training
    words without a vector share.

    own_rows: of so many training words, the most frequent ones, those without a vector get a row
        each instead, from U(-.01, .01) too, the commonest first: of use only when the rows are
        trained.
    with_empty: `EMPTY` is a word too, the last one, with a row from U(-.01, .01) of its own unless
        there is a vector of it.
    """
    words = vectors.words
    if own_rows:
        known = frozenset(words)
        common = sorted(counts, key=lambda word: (-counts[word], word))[:own_rows]
        words += tuple(w for w in common if w not in known and w.lower() not in known)
    if with_empty and EMPTY not in words:
        words += (EMPTY,)
    vocabulary = Vocabulary(words)

    dim = vectors.matrix.shape[1]
    end = FIRST_WORD + len(vectors.words)
    matrix = np.zeros((len(vocabulary), dim), dtype=np.float32)
    matrix[OOV] = generator.uniform(-UNKNOWN_RANGE, UNKNOWN_RANGE, dim)
    matrix[FIRST_WORD:end] = vectors.matrix
    matrix[end:] = generator.uniform(-UNKNOWN_RANGE, UNKNOWN_RANGE, (len(vocabulary) - end, dim))
    return Lexicon(vocabulary, matrix, end)


def partly_trained(lexicon: Lexicon, counts: Counter[str], words: int) -> np.ndarray:
    """Which rows are trained when those of the `words` most frequent words are, bool
    `(vocabulary,)`: with them all that are random, since such a row says nothing until it is
    trained; but for that of PAD."""
    trained = most_frequent(counts, lexicon.vocabulary, words)
    trained[OOV] = True
    trained[lexicon.drawn :] = True
    return trained


def most_frequent(counts: Counter[str], vocabulary: Vocabulary, words: int) -> np.ndarray:
    """Which words of a vocabulary are the `words` most frequent of a text, bool `(vocabulary,)`.

    Forms of a word that are looked up in one place count together; of equals the first in the
    vocabulary comes first. Words that are not in the text are never among them, nor is OOV.
    """
    found = np.zeros(len(vocabulary), np.int64)
    for word, count in counts.items():
        found[vocabulary.lookup(word)] += count
    found[:FIRST_WORD] = 0
    first = np.argsort(-found, kind="stable")[:words]
    chosen = np.zeros(len(vocabulary), bool)
    chosen[first] = found[first] > 0
    return chosen
