"""The features of many pairs: in one process or several, costly ones remembered on disk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context

import numpy as np

from abcnn.features.cache import FeatureCache, digest_of_pairs
from abcnn.features.catalogue import FEATURES
from abcnn.features.sentence import Sentence
from abcnn.features.words import Tokens, WordStatistics

PART = 256
"""Pairs that are computed at a time, and by one process."""


@dataclass(frozen=True)
class Extraction:
    """How costly features are computed; what they are does not depend on it.

    With `workers` above 1 in as many processes, which start anew and so need a main module that
    can be imported. With a `cache` only those that it does not have.
    """

    workers: int = 1
    cache: FeatureCache | None = None

    def __call__(
        self,
        names: Sequence[str],
        left: Sequence[Tokens],
        right: Sequence[Tokens],
        statistics: WordStatistics,
    ) -> np.ndarray:
        """The features of tokenised pairs: float64 `(pairs, features)`."""
        values = np.zeros((len(left), len(names)))
        cheap = [place for place, name in enumerate(names) if not FEATURES[name].costly]
        costly = [place for place, name in enumerate(names) if FEATURES[name].costly]
        pairs = _Pairs(left, right, statistics)
        if cheap:
            values[:, cheap] = pairs.features([names[place] for place in cheap])
        if costly and left:
            values[:, costly] = self._costly([names[place] for place in costly], pairs)
        return values

    def _costly(self, names: list[str], pairs: _Pairs) -> np.ndarray:
        if self.cache is None:
            return self._compute(names, pairs)
        digest = digest_of_pairs(pairs.left, pairs.right)
        places = {name: self.cache.place(name, digest, pairs.statistics) for name in names}
        columns: dict[str, np.ndarray] = {}
        for name, place in places.items():
            column = self.cache.read(place, len(pairs.left))
            if column is not None:
                columns[name] = column
        if missing := [name for name in names if name not in columns]:
            for name, column in zip(missing, self._compute(missing, pairs).T, strict=True):
                columns[name] = np.ascontiguousarray(column)
                self.cache.write(places[name], columns[name])
        return np.stack([columns[name] for name in names], axis=1)

    def _compute(self, names: list[str], pairs: _Pairs) -> np.ndarray:
        parts = list(pairs.parts())
        if self.workers == 1 or len(parts) == 1:
            return pairs.features(names)
        # Not forked: a backend's threads may be running.
        workers = min(self.workers, len(parts))
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            return np.concatenate(list(pool.map(_features, [names] * len(parts), parts)))


@dataclass(frozen=True)
class _Pairs:
    left: Sequence[Tokens]
    right: Sequence[Tokens]
    statistics: WordStatistics

    def features(self, names: Sequence[str]) -> np.ndarray:
        """Part by part, so that few sentences are there at a time."""
        functions = [FEATURES[name].compute for name in names]
        values = np.zeros((len(self.left), len(names)))
        for start in range(0, len(values), PART):
            pairs = self._sentences(start, start + PART)
            values[start : start + PART] = [
                [f(left, right) for f in functions] for left, right in pairs
            ]
        return values

    def parts(self) -> Iterator[_Pairs]:
        """The pairs in pieces, with what costly features look at: not the IDF."""
        known = self.statistics
        light = WordStatistics({}, 0.0, known.stopwords, wordnet=known.wordnet)
        for start in range(0, len(self.left), PART):
            piece = slice(start, start + PART)
            yield _Pairs(self.left[piece], self.right[piece], light)

    def _sentences(self, start: int, end: int) -> Iterator[tuple[Sentence, Sentence]]:
        """Some pairs; the same list of tokens, as that of a question, is one sentence."""
        left, right = self.left[start:end], self.right[start:end]
        known = {
            key: Sentence(tokens, self.statistics)
            for key, tokens in {id(tokens): tokens for tokens in (*left, *right)}.items()
        }
        for one, other in zip(left, right, strict=True):
            yield known[id(one)], known[id(other)]


def _features(names: list[str], pairs: _Pairs) -> np.ndarray:
    return pairs.features(names)
