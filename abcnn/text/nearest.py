"""The words nearest to a word."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from abcnn.errors import InputError
from abcnn.text.vectors import WordVectors


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A word and the cosine of its vector with that of the word asked for."""

    word: str
    cosine: float


def nearest_words(vectors: WordVectors, word: str, count: int) -> list[Neighbour]:
    """The words with the highest cosines, best first, without the word itself.

    The word is looked up as it is, then lower-cased. A vector of zeros has the cosine 0.

    Raises InputError for a word without a vector.
    """
    places = {name: place for place, name in enumerate(vectors.words)}
    place = places.get(word, places.get(word.lower()))
    if place is None:
        raise InputError(
            f"{vectors.source}: `word` must be one that has a vector. Received: {word!r}"
        )
    lengths = np.linalg.norm(vectors.matrix, axis=1)
    unit = vectors.matrix / np.where(lengths > 0, lengths, 1.0)[:, None]
    cosines = unit @ unit[place]
    order = np.argsort(-cosines, kind="stable")
    chosen = [other for other in order.tolist() if other != place][:count]
    return [Neighbour(vectors.words[other], float(cosines[other])) for other in chosen]
