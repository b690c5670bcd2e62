"""Word vectors brought to one length, with or without what all of them have in common."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from abcnn.text.vectors import WordVectors

NORMALIZATIONS = ("none", "unit", "center")
"""What `normalized` may do: nothing; length 1; the mean subtracted, then length 1."""

_ROWS = 4096
_NOTHING = 1e-6  # Of a vector's length: the rounding of float32, which is no direction.


def normalized(vectors: WordVectors, kind: str) -> WordVectors:
    """The vectors with the length 1 ("unit"), or first less their mean ("center"); or as they are
    ("none").

    The mean is over the vectors that are not zero. A zero vector stays zero, as does one that the
    mean leaves nothing of. Computed in float64 and rounded once.

    Source of the mean: Mu and Viswanath 2018, section 2, without the principal components.
    """
    if kind == "none":
        return vectors
    matrix = vectors.matrix
    given = (matrix != 0).any(axis=1)
    mean = np.zeros(vectors.dim)
    if kind == "center" and given.any():
        mean = matrix.sum(axis=0, dtype=np.float64) / given.sum()
    found = np.zeros_like(matrix, dtype=np.float32)
    for start in range(0, len(matrix), _ROWS):
        part = slice(start, start + _ROWS)
        rows = matrix[part].astype(np.float64)
        whole = np.linalg.norm(rows, axis=1)
        rows -= mean
        lengths = np.linalg.norm(rows, axis=1)
        some = given[part] & (lengths > _NOTHING * whole)
        found[part][some] = rows[some] / lengths[some, None]
    return replace(vectors, matrix=found)
