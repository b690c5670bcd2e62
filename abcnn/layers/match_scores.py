"""Match scores: how alike two units are. Every function scores all pairs of units of two sentences.

left `(batch, left_length, dim)`, right `(batch, right_length, dim)` ->
`(batch, left_length, right_length)`. They compute in float32 whatever comes in, since the squared
distance of two like vectors is a difference of large numbers, and half precision loses it.
"""

from __future__ import annotations

from collections.abc import Callable

from keras import ops

# The rounding of |x|^2 + |y|^2 - 2xy in float32, as a share of |x|^2 + |y|^2: at most 1.2e-6 for
# equal vectors of 50 to 1024 dimensions on three backends. What lies below counts as a distance of
# 0, so that the same word matches itself with exactly 1.
_ROUNDING = 3e-6


def euclidean_match_score(left, right):
    """`1 / (1 + |x - y|)` of every two units, in (0, 1]; symmetric (Yin et al. 2016, section 4.1).

    Equal units score exactly 1, and the gradient there is 0 where that of a bare root is NaN. Units
    count as equal when `|x - y|^2` is below 3e-6 of `|x|^2 + |y|^2`, which float32 cannot tell from
    rounding; on a GPU this needs true float32 products (`abcnn.devices.exact_products`).
    """
    left, right = ops.cast(left, "float32"), ops.cast(right, "float32")
    squares = ops.sum(left * left, axis=-1)[:, :, None] + ops.sum(right * right, axis=-1)[:, None]
    squared_distance = squares - 2.0 * dot_match_score(left, right)
    apart = squared_distance > _ROUNDING * squares
    distance = ops.sqrt(ops.where(apart, squared_distance, 1.0))
    return 1.0 / (1.0 + ops.where(apart, distance, 0.0))


def cosine_match_score(left, right):
    """The cosine of every two units, in [-1, 1]; symmetric; 0 where a unit is the zero vector."""
    left, right = ops.cast(left, "float32"), ops.cast(right, "float32")
    return dot_match_score(_unit_length(left), _unit_length(right))


def dot_match_score(left, right):
    """The dot product of every two units, unbounded; symmetric (Luong et al. 2015, eq. 8)."""
    left, right = ops.cast(left, "float32"), ops.cast(right, "float32")
    return ops.matmul(left, ops.transpose(right, (0, 2, 1)))


def _unit_length(vectors):
    """`x / |x|`, and 0 for the zero vector, with a finite gradient there."""
    squares = ops.sum(vectors * vectors, axis=-1, keepdims=True)
    positive = squares > 0
    return ops.where(positive, vectors * ops.rsqrt(ops.where(positive, squares, 1.0)), 0.0)


MATCH_SCORES: dict[str, Callable] = {
    "euclidean": euclidean_match_score,
    "cosine": cosine_match_score,
    "dot": dot_match_score,
}
