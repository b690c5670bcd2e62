"""The match scores of `abcnn.layers.match_scores`, in NumPy.

left `(batch, left_length, dim)`, right `(batch, right_length, dim)` ->
`(batch, left_length, right_length)`, all float32.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

# As in `abcnn.layers.match_scores`, where both figures come from.
_SAME = np.float32(1e-12)
_CHUNK = 16


def _dot(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    return left @ right.transpose(0, 2, 1)


def _euclidean(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    # A difference of products is exact for units that are nearly equal in float64 alone.
    left, right = left.astype(np.float64), right.astype(np.float64)
    squares = (left * left).sum(axis=2)[:, :, None] + (right * right).sum(axis=2)[:, None]
    squared_distance = squares - 2 * _dot(left, right)
    apart = squared_distance > _SAME * squares
    distance = np.sqrt(squared_distance, out=np.zeros_like(squares), where=apart)
    return (1 / (1 + distance)).astype(np.float32)


def _cosine(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    return _dot(_unit_length(left), _unit_length(right))


def _unit_length(vectors: np.ndarray) -> np.ndarray:
    norms = np.sqrt((vectors * vectors).sum(axis=-1, keepdims=True))
    return np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)


def _scaled_dot(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    return _dot(left, right) / np.float32(left.shape[2] ** 0.5)


def _manhattan(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    distance = sum(
        np.abs(left[:, :, None, part] - right[:, None, :, part]).sum(axis=3)
        for part in _parts(left.shape[2])
    )
    return 1 / (1 + distance)


def _bilinear(left: np.ndarray, right: np.ndarray, kernel: np.ndarray) -> np.ndarray:
    return _dot(left @ kernel, right)


def _additive(
    left: np.ndarray,
    right: np.ndarray,
    left_kernel: np.ndarray,
    right_kernel: np.ndarray,
    vector: np.ndarray,
) -> np.ndarray:
    left, right = left @ left_kernel, right @ right_kernel
    scores: np.ndarray = sum(
        np.tanh(left[:, :, None, part] + right[:, None, :, part]) @ vector[part]
        for part in _parts(len(vector))
    )
    return scores


def _parts(dim: int) -> list[slice]:
    return [slice(start, start + _CHUNK) for start in range(0, dim, _CHUNK)]


MATCH_SCORES: dict[str, tuple[Callable[..., np.ndarray], tuple[str, ...]]] = {
    "euclidean": (_euclidean, ()),
    "manhattan": (_manhattan, ()),
    "cosine": (_cosine, ()),
    "dot": (_dot, ()),
    "scaled_dot": (_scaled_dot, ()),
    "bilinear": (_bilinear, ("kernel",)),
    "additive": (_additive, ("left_kernel", "right_kernel", "vector")),
}
"""`(left, right, *weights)` by name, and the names of the weights."""


def similarity_score(left: np.ndarray, right: np.ndarray, score: str) -> np.ndarray:
    """A match score of sentence vectors, float32 `(batch, dim)` twice -> `(batch,)`."""
    if score != "euclidean":
        return MATCH_SCORES[score][0](left[:, None], right[:, None])[:, 0, 0]
    squared_distance = np.square(left - right).sum(axis=1)
    squares = (left * left + right * right).sum(axis=1)
    distance = np.sqrt(np.where(squared_distance > _SAME * squares, squared_distance, 0))
    scores: np.ndarray = 1 / (1 + distance)
    return scores


def elementwise_comparison(left: np.ndarray, right: np.ndarray, comparison: str) -> np.ndarray:
    """`|x - y|` or `x * y` of sentence vectors, see `abcnn.layers.ElementwiseComparison`."""
    return np.abs(left - right) if comparison == "difference" else left * right
