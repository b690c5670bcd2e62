"""Named features of pairs, fitted on training sentences and brought to one scale."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from abcnn.features.lexical import FEATURES, Tokens, WordStatistics, check_features


@dataclass(frozen=True)
class PairFeatures:
    """Features of a pair by name, each with the mean and standard deviation of the training pairs.

    Words are lower-cased before they are compared. `mean` and `scale` hold one number a feature.
    """

    names: tuple[str, ...]
    statistics: WordStatistics = field(repr=False)
    mean: tuple[float, ...]
    scale: tuple[float, ...]

    @classmethod
    def fit(
        cls, names: Iterable[str], left: Sequence[Tokens], right: Sequence[Tokens]
    ) -> PairFeatures:
        """Fit on tokenised training pairs.

        Raises InputError for a name that is not in `abcnn.features.lexical.FEATURES`.
        """
        return cls.fit_chunks(names, WordStatistics.of([*left, *right]), [(left, right)])

    @classmethod
    def fit_chunks(
        cls,
        names: Iterable[str],
        statistics: WordStatistics,
        chunks: Iterable[tuple[Sequence[Tokens], Sequence[Tokens]]],
    ) -> PairFeatures:
        """Fit on training pairs that come in chunks, left and right tokens, with their statistics.

        Raises InputError as `fit` does.
        """
        names = tuple(names)
        check_features(names)
        mean, squares, count = np.zeros(len(names)), np.zeros(len(names)), 0
        raw = cls(names, statistics, (0.0,) * len(names), (1.0,) * len(names))
        for left, right in chunks if names else ():
            values = raw(left, right).astype(np.float64)
            # Mean and squared deviations of two parts together (Chan et al. 1983).
            shift, total = values.mean(axis=0) - mean, count + len(values)
            squares += values.var(axis=0) * len(values) + shift**2 * count * len(values) / total
            mean, count = mean + shift * len(values) / total, total
        deviation = np.sqrt(squares / max(count, 1))
        # A feature that never varies keeps scale 1: it then counts as 0, and so does nothing.
        scale = np.where(deviation > 0, deviation, 1.0)
        return cls(names, statistics, tuple(mean.tolist()), tuple(scale.tolist()))

    def __call__(self, left: Sequence[Tokens], right: Sequence[Tokens]) -> np.ndarray:
        """Standardised features of tokenised pairs: float32 `(pairs, features)`."""
        functions = [FEATURES[name] for name in self.names]
        if not functions or not left:
            return np.zeros((len(left), len(functions)), dtype=np.float32)
        lowered: dict[int, list[str]] = {}

        def lower(tokens: Tokens) -> list[str]:
            # Pairs share sentences: the same list of tokens is lowered once.
            if id(tokens) not in lowered:
                lowered[id(tokens)] = [word.lower() for word in tokens]
            return lowered[id(tokens)]

        values = [
            [function(lower(a), lower(b), self.statistics) for function in functions]
            for a, b in zip(left, right, strict=True)
        ]
        standardised = (np.asarray(values, dtype=np.float64) - self.mean) / self.scale
        return standardised.astype(np.float32)
