"""The paper's formulas in float64 NumPy, with plain loops, on one pair of unpadded sentences.

The independent check of the layers and the models: nothing here is shared with them. A sentence
is an array `(length, dim)` of units; there is no batch, no padding, no mask.

Source: Yin, Schuetze, Xiang, Zhou: ABCNN (TACL 2016), arXiv 1512.05193.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import sqrt, tanh

import numpy as np

Array = np.ndarray


def euclidean_match_score(x: Array, y: Array) -> float:
    """`1 / (1 + |x - y|)`, the paper's match score."""
    return 1.0 / (1.0 + sqrt(sum((float(a) - float(b)) ** 2 for a, b in zip(x, y, strict=True))))


def manhattan_match_score(x: Array, y: Array) -> float:
    """`1 / (1 + sum_k |x_k - y_k|)`."""
    return 1.0 / (1.0 + sum(abs(float(a) - float(b)) for a, b in zip(x, y, strict=True)))


def dot_match_score(x: Array, y: Array) -> float:
    """`x . y`."""
    return sum(float(a) * float(b) for a, b in zip(x, y, strict=True))


def cosine_match_score(x: Array, y: Array) -> float:
    """`x . y / (|x| |y|)`; 0 when either vector is 0."""
    norms = sqrt(dot_match_score(x, x)) * sqrt(dot_match_score(y, y))
    return dot_match_score(x, y) / norms if norms > 0.0 else 0.0


def scaled_dot_match_score(x: Array, y: Array) -> float:
    """`x . y / sqrt(dim)`."""
    return dot_match_score(x, y) / sqrt(len(x))


def bilinear_match_score(x: Array, y: Array, kernel: Array) -> float:
    """`x' W y`."""
    total = 0.0
    for i, a in enumerate(x):
        for j, b in enumerate(y):
            total += float(a) * float(kernel[i][j]) * float(b)
    return total


def additive_match_score(
    x: Array, y: Array, left_kernel: Array, right_kernel: Array, vector: Array
) -> float:
    """`v' tanh(W1 x + W2 y)`; the kernels are W1, W2 transposed, `(dim, hidden)`."""
    total = 0.0
    for k in range(len(vector)):
        inner = sum(float(a) * float(left_kernel[i][k]) for i, a in enumerate(x))
        inner += sum(float(b) * float(right_kernel[i][k]) for i, b in enumerate(y))
        total += float(vector[k]) * tanh(inner)
    return total


MATCH_SCORES: dict[str, Callable[..., float]] = {
    "euclidean": euclidean_match_score,
    "manhattan": manhattan_match_score,
    "cosine": cosine_match_score,
    "dot": dot_match_score,
    "scaled_dot": scaled_dot_match_score,
    "bilinear": bilinear_match_score,
    "additive": additive_match_score,
}

# The scores of two sentence vectors have the formulas of the scores of two units.
cosine_similarity = cosine_match_score
euclidean_similarity = euclidean_match_score


def attention_matrix(
    left: Array, right: Array, match_score: str = "euclidean", weights: Sequence[Array] = ()
) -> Array:
    """`A[i, j] = match(left_i, right_j)`: `(s0, dim)`, `(s1, dim)` -> `(s0, s1)`."""
    score = MATCH_SCORES[match_score]
    attention = np.zeros((len(left), len(right)))
    for i in range(len(left)):
        for j in range(len(right)):
            attention[i, j] = score(left[i], right[j], *weights)
    return attention


def attention_feature_maps(
    attention: Array, left_weights: Array, right_weights: Array
) -> tuple[Array, Array]:
    """ABCNN-1's maps: `left_map[i] = sum_j A[i,j] W0[j]`, `right_map[j] = sum_i A[i,j] W1[i]`.

    `attention` `(s0, s1)`, the weights W0, W1 `(max_length, dim)` -> `(s0, dim)`, `(s1, dim)`.
    """
    left_length, right_length = attention.shape
    left_map = np.zeros((left_length, left_weights.shape[1]))
    right_map = np.zeros((right_length, right_weights.shape[1]))
    for i in range(left_length):
        for j in range(right_length):
            left_map[i] += attention[i, j] * left_weights[j]
            right_map[j] += attention[i, j] * right_weights[i]
    return left_map, right_map


def attention_weights(attention: Array) -> tuple[Array, Array]:
    """ABCNN-2's weights, plain sums: `a0_i = sum_j A[i, j]`, `a1_j = sum_i A[i, j]`."""
    left_length, right_length = attention.shape
    left_weights = [sum(attention[i, j] for j in range(right_length)) for i in range(left_length)]
    right_weights = [sum(attention[i, j] for i in range(left_length)) for j in range(right_length)]
    return np.array(left_weights), np.array(right_weights)


def _windows_times_kernel(units: Array, kernel: Array) -> Array:
    """`W [v_{i-w+1}; ..; v_i]` for every `0 < i < s + w`, with `v_j = 0` outside the sentence.

    `kernel[k]` `(dim, filters)` is the part of W that multiplies `v_{i-w+1+k}`.
    """
    length = len(units)
    width, _, filters = kernel.shape
    phrases = np.zeros((length + width - 1, filters))
    for i in range(1, length + width):
        for k in range(width):
            position = i - width + 1 + k
            if 1 <= position <= length:
                phrases[i - 1] += units[position - 1] @ kernel[k]
    return phrases


def wide_convolution(
    units: Array, kernel: Array, bias: Array, activation: Callable[[Array], Array] = np.tanh
) -> Array:
    """`p_i = tanh(W [v_{i-w+1}; ..; v_i] + b)`, `0 < i < s + w`.

    units `(s, dim)`, kernel `(width, dim, filters)`, bias `(filters,)` -> `(s+w-1, filters)`.
    """
    return activation(_windows_times_kernel(units, kernel) + bias)


def two_channel_convolution(
    units: Array, feature_map: Array, kernel: Array, map_kernel: Array, bias: Array
) -> Array:
    """ABCNN-1's convolution: one kernel a channel, summed, one bias, then tanh.

    `units` and `feature_map` `(s, dim)`, kernels `(width, dim, filters)` -> `(s+w-1, filters)`.
    """
    total = _windows_times_kernel(units, kernel) + _windows_times_kernel(feature_map, map_kernel)
    return np.tanh(total + bias)


def window_pooling(phrases: Array, width: int, weights: Array | None = None) -> Array:
    """w-ap: the mean of every `width` neighbouring phrases: `(s+w-1, dim)` -> `(s, dim)`.

    With attention weights ABCNN-2's sum `sum_{k=j..j+w-1} a_k F[k]`, not divided by the width.
    """
    units = np.zeros((len(phrases) - width + 1, phrases.shape[1]))
    for j in range(len(units)):
        for k in range(j, j + width):
            units[j] += phrases[k] / width if weights is None else weights[k] * phrases[k]
    return units


def all_pooling(units: Array, weights: Array | None = None) -> Array:
    """all-ap: the mean of all units, or `sum_k a_k x_k / sum_k a_k`; 0 when that is 0/0."""
    shares = np.ones(len(units)) if weights is None else weights
    total = sum(float(share) for share in shares)
    vector = np.zeros(units.shape[1])
    for share, unit in zip(shares, units, strict=True):
        vector += share * unit
    return vector / total if total != 0.0 else np.zeros_like(vector)


def dynamic_pooling(matrix: Array, size: int) -> Array:
    """The largest entry of each cell of a grid over the matrix: `(s0, s1)` -> `(size, size)`.

    Socher et al. 2011: a matrix with fewer rows than `size` has all of them repeated; the windows
    have `R // size` rows, and the last `R % size` windows one more. The same for columns.
    """
    windows = []
    for length in matrix.shape:
        times = 1
        while 0 < length * times < size:
            times += 1
        units = [unit for unit in range(length) for _ in range(times)]
        sizes = [len(units) // size] * (size - len(units) % size)
        sizes += [len(units) // size + 1] * (len(units) % size)
        windows.append([[units.pop(0) for _ in range(count)] for count in sizes])
    pooled = np.zeros((size, size))
    if matrix.size:
        for i, rows in enumerate(windows[0]):
            for j, columns in enumerate(windows[1]):
                pooled[i, j] = max(matrix[row, column] for row in rows for column in columns)
    return pooled


@dataclass(frozen=True)
class MapWeights:
    """What a block with attention on its input has besides.

    kernel `(width, dim, filters)` for the attention feature map; left and right, W0 and W1,
    `(max_length, dim)`, one array twice when they are shared.
    """

    kernel: Array
    left: Array
    right: Array


@dataclass(frozen=True)
class BlockWeights:
    """The weights of one convolution block: kernel `(width, dim, filters)`, bias `(filters,)`."""

    kernel: Array
    bias: Array
    maps: MapWeights | None = None


def forward(
    left: Array,
    right: Array,
    blocks: Sequence[BlockWeights],
    *,
    attend_input: bool,
    attend_pooling: bool,
    weighted_all_pooling: bool = True,
    match_score: str = "euclidean",
) -> list[tuple[Array, Array]]:
    """The (left, right) sentence vectors of every block; block 0 is the all-ap of the word vectors.

    Each further block: [attention on its input,] wide convolution, [attention on the phrases];
    all-ap of the phrases is its output, w-ap of the phrases the input of the next block.
    """
    vectors = [(all_pooling(left), all_pooling(right))]
    for block in blocks:
        width = block.kernel.shape[0]
        if attend_input:
            assert block.maps is not None
            attention = attention_matrix(left, right, match_score)
            left_map, right_map = attention_feature_maps(
                attention, block.maps.left, block.maps.right
            )
            left_phrases = two_channel_convolution(
                left, left_map, block.kernel, block.maps.kernel, block.bias
            )
            right_phrases = two_channel_convolution(
                right, right_map, block.kernel, block.maps.kernel, block.bias
            )
        else:
            left_phrases = wide_convolution(left, block.kernel, block.bias)
            right_phrases = wide_convolution(right, block.kernel, block.bias)
        left_weights = right_weights = None
        if attend_pooling:
            phrase_attention = attention_matrix(left_phrases, right_phrases, match_score)
            left_weights, right_weights = attention_weights(phrase_attention)
        vectors.append(
            (
                all_pooling(left_phrases, left_weights if weighted_all_pooling else None),
                all_pooling(right_phrases, right_weights if weighted_all_pooling else None),
            )
        )
        left = window_pooling(left_phrases, width, left_weights)
        right = window_pooling(right_phrases, width, right_weights)
    return vectors


# The named models are values of one function; the options of `forward` remain open.
bcnn = partial(forward, attend_input=False, attend_pooling=False)
abcnn1 = partial(forward, attend_input=True, attend_pooling=False)
abcnn2 = partial(forward, attend_input=False, attend_pooling=True)
abcnn3 = partial(forward, attend_input=True, attend_pooling=True)
