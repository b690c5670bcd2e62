"""Match scores: how alike two units are. Every function scores all pairs of units of two sentences.

left `(batch, left_length, dim)`, right `(batch, right_length, dim)` ->
`(batch, left_length, right_length)`, float32. They compute in float32 or better whatever comes in.
`docs/attention.md` has the table: formula, source, range, symmetry, weights.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import keras
from keras import ops

# Two sums of the same numbers in another order are no farther apart, as a share of |x|^2 + |y|^2:
# what lies below counts as a distance of 0, so that the same word matches itself with exactly 1.
SAME = 1e-12
# What has a term for each number of two units is summed over so many numbers at a time: memory is
# then `(batch, left_length, right_length, 16)` and not `dim`.
_CHUNK = 16
_float32_only = ContextVar("float32_only", default=False)


@contextmanager
def float32_only() -> Iterator[None]:
    """In the block, graphs are traced without float64, for a runtime that lacks it."""
    token = _float32_only.set(True)
    try:
        yield
    finally:
        _float32_only.reset(token)


def euclidean_match_score(left, right):
    """`1 / (1 + |x - y|)` of every two units, in (0, 1]; symmetric (Yin et al. 2016, section 4.1).

    Exact however near two units are. Units that differ by rounding alone score 1, and the gradient
    there is 0 where that of a bare root is NaN.
    """
    squared_distance, squares = _squared_distances(left, right)
    apart = squared_distance > SAME * squares
    distance = ops.sqrt(ops.where(apart, squared_distance, 1.0))
    return 1.0 / (1.0 + ops.where(apart, distance, 0.0))


def _squared_distances(left, right):
    """`|x - y|^2` and `|x|^2 + |y|^2` of every two units, float32.

    As a difference of products `|x - y|^2` is exact in float64 alone. JAX has none, but its
    compiler makes one loop of differences, squares and sums, so that no difference is stored.
    """
    if keras.backend.backend() == "jax" or _float32_only.get():
        left, right = ops.cast(left, "float32"), ops.cast(right, "float32")
        differences = left[:, :, None] - right[:, None]
        return ops.sum(differences * differences, axis=-1), _sums_of_squares(left, right)
    left, right = ops.cast(left, "float64"), ops.cast(right, "float64")
    squares = _sums_of_squares(left, right)
    products = left @ ops.transpose(right, (0, 2, 1))  # `ops.matmul` makes float32 of it on PyTorch
    return ops.cast(squares - 2.0 * products, "float32"), ops.cast(squares, "float32")


def _sums_of_squares(left, right):
    return ops.sum(left * left, axis=-1)[:, :, None] + ops.sum(right * right, axis=-1)[:, None]


def manhattan_match_score(left, right):
    """`1 / (1 + sum_k |x_k - y_k|)` of every two units, in (0, 1]; symmetric.

    The Euclidean score with the other distance, which Mueller and Thyagarajan 2016 (equation 2)
    found the better one between sentence vectors, there as `exp(-distance)`.
    """
    return 1.0 / (1.0 + _sum_over_dim(_distance, left, right))


def cosine_match_score(left, right):
    """The cosine of every two units, in [-1, 1]; symmetric; 0 where a unit is the zero vector."""
    left, right = ops.cast(left, "float32"), ops.cast(right, "float32")
    return dot_match_score(_unit_length(left), _unit_length(right))


def dot_match_score(left, right):
    """The dot product of every two units, unbounded; symmetric (Luong et al. 2015, eq. 8)."""
    left, right = ops.cast(left, "float32"), ops.cast(right, "float32")
    return ops.matmul(left, ops.transpose(right, (0, 2, 1)))


def scaled_dot_match_score(left, right):
    """`x . y / sqrt(dim)` of every two units, unbounded; symmetric (Vaswani et al. 2017, eq. 1)."""
    return dot_match_score(left, right) / left.shape[-1] ** 0.5


def bilinear_match_score(left, right, kernel):
    """`x' W y` of every two units, unbounded; not symmetric ("general", Luong et al. 2015, eq. 8).

    kernel `(left_dim, right_dim)`; the two sides may differ in size.
    """
    left, kernel = ops.cast(left, "float32"), ops.cast(kernel, "float32")
    return dot_match_score(ops.matmul(left, kernel), right)


def additive_match_score(left, right, left_kernel, right_kernel, vector):
    """`v' tanh(W1 x + W2 y)` of every two units, in [-|v|_1, |v|_1]; not symmetric.

    left_kernel `(left_dim, hidden)`, right_kernel `(right_dim, hidden)`, vector `(hidden,)`; the
    two sides may differ in size.

    Source: Bahdanau et al. 2015, appendix A.1.2; "concat" in Luong et al. 2015, equation 8.
    """
    left = ops.matmul(ops.cast(left, "float32"), ops.cast(left_kernel, "float32"))
    right = ops.matmul(ops.cast(right, "float32"), ops.cast(right_kernel, "float32"))
    return _sum_over_dim(_weighted_tanh, left, right, ops.cast(vector, "float32"))


def _unit_length(vectors):
    """`x / |x|`, and 0 for the zero vector, with a finite gradient there."""
    squares = ops.sum(vectors * vectors, axis=-1, keepdims=True)
    positive = squares > 0
    return ops.where(positive, vectors * ops.rsqrt(ops.where(positive, squares, 1.0)), 0.0)


def _sum_over_dim(part: Callable, left, right, *others):
    """The sum of `part` over chunks of the last axis of all arguments."""
    arguments = [ops.cast(argument, "float32") for argument in (left, right, *others)]
    # Computed again for the gradient: kept, the chunks would be as large as the whole.
    cheap = keras.remat(part)
    starts = range(0, left.shape[-1], _CHUNK)
    first, *rest = (
        cheap(*(argument[..., start : start + _CHUNK] for argument in arguments))
        for start in starts
    )
    return sum(rest, start=first)


def _distance(left, right):
    return ops.sum(ops.abs(left[:, :, None] - right[:, None]), axis=-1)


def _weighted_tanh(left, right, vector):
    return ops.matmul(ops.tanh(left[:, :, None] + right[:, None]), vector)


MATCH_SCORES: dict[str, Callable] = {
    "euclidean": euclidean_match_score,
    "manhattan": manhattan_match_score,
    "cosine": cosine_match_score,
    "dot": dot_match_score,
    "scaled_dot": scaled_dot_match_score,
    "bilinear": bilinear_match_score,
    "additive": additive_match_score,
}
"""`(left, right, *weights)` by name."""

MATCH_WEIGHTS: dict[str, Callable[[int, int], dict[str, tuple[int, ...]]]] = {
    "bilinear": lambda left_dim, right_dim: {"kernel": (left_dim, right_dim)},
    "additive": lambda left_dim, right_dim: {
        "left_kernel": (left_dim, left_dim),
        "right_kernel": (right_dim, left_dim),
        "vector": (left_dim,),
    },
}
"""Of the scores that have weights, the shapes by name, in the order of the function's arguments."""

WEIGHTLESS = tuple(name for name in MATCH_SCORES if name not in MATCH_WEIGHTS)
"""The scores that need no weights, and so serve between two sentence vectors too."""
