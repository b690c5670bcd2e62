"""Feature columns on disk, found again by what they were computed from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from platformdirs import user_cache_path

from abcnn.errors import InputError
from abcnn.features.catalogue import FEATURES
from abcnn.features.words import Tokens, WordStatistics
from abcnn.tables.output import whole_file


@dataclass(frozen=True)
class FeatureCache:
    """One file a feature and a set of pairs: `<digest>.npy`, float64 `(pairs,)`.

    The digest is of the words of all pairs in order, the feature's name and version, the version
    of its library, the WordNet and, where it looks at content words alone, the stop words. A file
    that is cut or of another kind is as good as none.
    """

    folder: Path

    @classmethod
    def of_user(cls) -> FeatureCache:
        """The cache in the platform's folder for such files."""
        return cls(user_cache_path("abcnn") / "features")

    def place(self, name: str, pairs: str, statistics: WordStatistics) -> Path:
        """The file of a feature; `pairs` is their `digest_of_pairs`."""
        feature = FEATURES[name]
        library = version(feature.package) if feature.package else ""
        key: list[Any] = [pairs, name, feature.version, library]
        key.append(statistics.wordnet if feature.wordnet else None)
        if feature.group == "relations":  # Those are of content words.
            key.append(sorted(statistics.stopwords))
        return self.folder / f"{hashlib.sha256(json.dumps(key).encode()).hexdigest()}.npy"

    def read(self, place: Path, pairs: int) -> np.ndarray | None:
        """The column at `place`, or None when there is none of so many pairs."""
        try:
            column = np.load(place, allow_pickle=False)
        except (OSError, ValueError, EOFError):
            return None
        whole = column.dtype == np.float64 and column.shape == (pairs,)
        return column if whole else None

    def write(self, place: Path, column: np.ndarray) -> None:
        """Keep a column; InputError when the folder cannot be written to."""
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{place.parent}: cannot be written: {error.strerror}") from error
        with whole_file(place) as file:
            np.save(file, column, allow_pickle=False)


def digest_of_pairs(left: Sequence[Tokens], right: Sequence[Tokens]) -> str:
    """A checksum of the lower-cased words of all pairs in order."""
    digest = hashlib.sha256()
    for pair in zip(left, right, strict=True):
        # JSON keeps tokens and sides apart, and lone surrogates writable.
        words = [[token.lower() for token in tokens] for tokens in pair]
        digest.update(json.dumps(words).encode())
    return digest.hexdigest()
