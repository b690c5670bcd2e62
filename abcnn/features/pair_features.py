"""Named features of pairs, fitted on training pairs and brought to one scale."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from abcnn.features.antonyms import learn_antonyms
from abcnn.features.catalogue import FEATURES
from abcnn.features.choice import known_features
from abcnn.features.extraction import Extraction
from abcnn.features.sentence import Sentence
from abcnn.features.wordnet import installed_wordnet
from abcnn.features.words import Tokens, WordStatistics

Chunk = tuple[Sequence[Tokens], Sequence[Tokens]]


@dataclass(frozen=True)
class PairFeatures:
    """Features of a pair by name, each with the mean and standard deviation of the training pairs.

    Words are lower-cased before they are compared. `mean` and `scale` hold one number a feature.
    `extraction` says how they are computed, and changes no value.
    """

    names: tuple[str, ...]
    statistics: WordStatistics = field(repr=False)
    mean: tuple[float, ...]
    scale: tuple[float, ...]
    extraction: Extraction = field(default=Extraction(), compare=False, repr=False)

    @classmethod
    def fit(
        cls, names: Iterable[str], left: Sequence[Tokens], right: Sequence[Tokens]
    ) -> PairFeatures:
        """Fit on tokenised training pairs, without features that are learnt from labels.

        Raises InputError for a name that is not in `abcnn.features.catalogue.FEATURES`.
        """
        names = tuple(names)
        statistics = learn_words(names, WordStatistics.of([*left, *right]))
        return cls.fit_chunks(names, statistics, [(left, right)])

    @classmethod
    def fit_chunks(
        cls,
        names: Iterable[str],
        statistics: WordStatistics,
        chunks: Iterable[Chunk],
        *,
        extraction: Extraction | None = None,
    ) -> PairFeatures:
        """Fit on training pairs that come in chunks, with the `learn_words` of them.

        Raises InputError as `fit` does.
        """
        names = tuple(names)
        known_features(names, ())
        extraction = extraction or Extraction()
        mean, squares, count = np.zeros(len(names)), np.zeros(len(names)), 0
        for left, right in chunks if names else ():
            values = extraction(names, left, right, statistics)
            # Mean and squared deviations of two parts together (Chan et al. 1983).
            shift, total = values.mean(axis=0) - mean, count + len(values)
            squares += values.var(axis=0) * len(values) + shift**2 * count * len(values) / total
            mean, count = mean + shift * len(values) / total, total
        deviation = np.sqrt(squares / max(count, 1))
        # A feature that never varies keeps scale 1: it then counts as 0, and so does nothing.
        scale = np.where(deviation > 0, deviation, 1.0)
        return cls(names, statistics, tuple(mean.tolist()), tuple(scale.tolist()), extraction)

    def __call__(self, left: Sequence[Tokens], right: Sequence[Tokens]) -> np.ndarray:
        """Standardised features of tokenised pairs: float32 `(pairs, features)`."""
        if not self.names or not left:
            return np.zeros((len(left), len(self.names)), dtype=np.float32)
        values = self.extraction(self.names, left, right, self.statistics)
        return ((values - self.mean) / self.scale).astype(np.float32)


def learn_words(
    names: Iterable[str],
    statistics: WordStatistics,
    chunks: Iterable[Chunk] = (),
    *,
    holds: Sequence[bool] | np.ndarray = (),
    cosine: Callable[[str, str], float] = lambda word, other: 1.0,
) -> WordStatistics:
    """The statistics, with what else the features `names` have to know of words.

    `holds` says of each pair of the chunks whether the right sentence follows from the left one,
    `cosine` how alike two words are: from these antonyms are learnt.
    """
    features = [FEATURES[name] for name in names if name in FEATURES]
    if any(feature.wordnet for feature in features):
        statistics = replace(statistics, wordnet=installed_wordnet())
    if not any(feature.learnt for feature in features):
        return statistics
    pairs = (pair for left, right in chunks for pair in zip(left, right, strict=True))
    labelled = (
        (Sentence(left, statistics), Sentence(right, statistics), bool(held))
        for (left, right), held in zip(pairs, holds, strict=True)
    )
    return replace(statistics, antonyms=learn_antonyms(labelled, cosine))
