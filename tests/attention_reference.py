"""The formulas of the other attentions in float64 NumPy, with plain loops, as in `reference.py`.

One pair of unpadded sentences, `(length, dim)`; nothing here is shared with the layers. Sources
stand at the layers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import cos, exp, sin, sqrt, tanh

import numpy as np

Array = np.ndarray


def softmax(scores: Sequence[float]) -> list[float]:
    """`exp(x_i) / sum_j exp(x_j)`; of no scores, none."""
    powers = [exp(score) for score in scores]
    return [power / sum(powers) for power in powers]


def sigmoid(x: float) -> float:
    return 1.0 / (1.0 + exp(-x))


def soft_attention(scores: Array) -> Array:
    """`a_ts = exp(e_ts) / sum_s' exp(e_ts')`."""
    return np.array([softmax(row) for row in scores]).reshape(scores.shape)


def windowed_attention(scores: Array, centres: Sequence[float], window: int) -> Array:
    """The softmax over the units `|s - p_t| <= D`, and 0 elsewhere."""
    attention = np.zeros(scores.shape)
    for t, centre in enumerate(centres):
        near = [s for s in range(scores.shape[1]) if abs(s - centre) <= window]
        for s, share in zip(near, softmax([scores[t, s] for s in near]), strict=True):
            attention[t, s] = share
    return attention


def predicted_positions(query: Array, length: int, kernel: Array, vector: Array) -> list[float]:
    """`p_t = S sigmoid(v' tanh(W h_t))`."""
    positions = []
    for unit in query:
        total = 0.0
        for k in range(len(vector)):
            total += vector[k] * tanh(sum(unit[i] * kernel[i, k] for i in range(len(unit))))
        positions.append(length * sigmoid(total))
    return positions


def gaussian(attention: Array, centres: Sequence[float], window: int) -> Array:
    """`a_ts exp(-(s - p_t)^2 / (2 sigma^2))`, sigma = D / 2."""
    weighted = attention.copy()
    for t, centre in enumerate(centres):
        for s in range(attention.shape[1]):
            weighted[t, s] *= exp(-((s - centre) ** 2) / (2 * (window / 2) ** 2))
    return weighted


def hard_attention(scores: Array) -> Array:
    """1 at the highest score of each row, the first of equal ones."""
    attention = np.zeros(scores.shape)
    for t, row in enumerate(scores):
        if len(row):
            best = max(range(len(row)), key=lambda s: (row[s], -s))
            attention[t, best] = 1.0
    return attention


def contexts(attention: Array, value: Array) -> Array:
    """`c_t = sum_s a_ts v_s`."""
    context = np.zeros((len(attention), value.shape[1]))
    for t in range(len(attention)):
        for s in range(len(value)):
            context[t] += attention[t, s] * value[s]
    return context


def scaled_dot_product(query: Array, key: Array) -> Array:
    """`softmax(q k' / sqrt(dim))`."""
    scores = np.zeros((len(query), len(key)))
    for t in range(len(query)):
        for s in range(len(key)):
            scores[t, s] = sum(query[t] * key[s]) / sqrt(query.shape[1])
    return soft_attention(scores)


def multi_head(
    query: Array, value: Array, kernels: Sequence[Array], heads: int
) -> tuple[Array, Array]:
    """`concat(softmax(Q_h K_h' / sqrt(d)) V_h) WO`, and the attention of each head.

    kernels: query, key, value `(dim, heads * d)` and output `(heads * d, output_dim)`.
    """
    query_kernel, key_kernel, value_kernel, output_kernel = kernels
    size = query_kernel.shape[1] // heads
    parts, attentions = [], []
    for head in range(heads):
        columns = slice(head * size, (head + 1) * size)
        attention = scaled_dot_product(
            query @ query_kernel[:, columns], value @ key_kernel[:, columns]
        )
        attentions.append(attention)
        parts.append(contexts(attention, value @ value_kernel[:, columns]))
    return np.concatenate(parts, axis=1) @ output_kernel, np.array(attentions)


def attention_pooling(
    units: Array, kernel: Array, bias: Array, vector: Array
) -> tuple[Array, Array]:
    """`u_i = tanh(W x_i + b)`, `a = softmax(u' v)`, `sum_i a_i x_i`, and `a`; 0 of no units."""
    scores = [float(np.tanh(unit @ kernel + bias) @ vector) for unit in units]
    attention = softmax(scores)
    pooled = np.zeros(units.shape[1])
    for share, unit in zip(attention, units, strict=True):
        pooled += share * unit
    return pooled, np.array(attention)


def doubly_stochastic(attention: Array) -> float:
    """`sum_s (1 - sum_t a_ts)^2`."""
    total = 0.0
    for s in range(attention.shape[1]):
        total += (1.0 - sum(attention[t, s] for t in range(len(attention)))) ** 2
    return total


def decomposable(
    left: Array,
    right: Array,
    project: Array,
    attend: Sequence[tuple[Array, Array]],
    compare: Sequence[tuple[Array, Array]],
) -> tuple[Array, Array]:
    """`v_1 = sum_i G([a_i, beta_i])`, `v_2 = sum_j G([b_j, alpha_j])`; F and G as layers of
    `(kernel, bias)` with ReLU."""

    def through(unit: Array, layers: Sequence[tuple[Array, Array]]) -> Array:
        for kernel, bias in layers:
            unit = np.maximum(unit @ kernel + bias, 0.0)
        return unit

    left, right = left @ project, right @ project
    scores = np.zeros((len(left), len(right)))
    for i in range(len(left)):
        for j in range(len(right)):
            scores[i, j] = through(left[i], attend) @ through(right[j], attend)
    vectors = []
    for units, others, table in ((left, right, scores), (right, left, scores.T)):
        read = contexts(soft_attention(table), others)
        total = np.zeros(len(compare[-1][1]))
        for unit, context in zip(units, read, strict=True):
            total += through(np.concatenate([unit, context]), compare)
        vectors.append(total)
    return vectors[0], vectors[1]


def sinusoids(length: int, dim: int) -> Array:
    """`PE(p, 2i) = sin(p / 10000^(2i / d))`, `PE(p, 2i + 1) = cos(p / 10000^(2i / d))`."""
    table = np.zeros((length, dim))
    for position in range(length):
        for number in range(dim):
            angle = position / 10000 ** ((number - number % 2) / dim)
            table[position, number] = cos(angle) if number % 2 else sin(angle)
    return table


def layer_norm(units: Array, scale: Array, offset: Array, epsilon: float = 1e-3) -> Array:
    """`(x - mean) / sqrt(variance + epsilon) * scale + offset`, of each unit."""
    normed = np.zeros(units.shape)
    for t, unit in enumerate(units):
        normed[t] = (unit - unit.mean()) / sqrt(unit.var() + epsilon) * scale + offset
    return normed


def transformer_block(
    units: Array, others: Array, weights: dict[str, list[Array]], heads: int
) -> Array:
    """`x + self(n(x), n(x))`, `x + cross(n(x), n(y))`, `x + W2 relu(W1 n(x))`, one by one."""
    normed = layer_norm(units, *weights["self_norm"])
    units = units + multi_head(normed, normed, weights["self"], heads)[0]
    normed = layer_norm(units, *weights["cross_norm"])
    others = layer_norm(others, *weights["self_norm"])
    units = units + multi_head(normed, others, weights["cross"], heads)[0]
    inner, inner_bias, outer, outer_bias = weights["inner"]
    hidden = np.maximum(layer_norm(units, *weights["inner_norm"]) @ inner + inner_bias, 0.0)
    return units + hidden @ outer + outer_bias


def recurrent(units: Array, weights: Sequence[Array], state: Array) -> Array:
    """`h_t = tanh(W x_t + U h_{t-1} + b)`: the states, one a unit; of Keras's `SimpleRNN`."""
    kernel, recurrent_kernel, bias = weights
    states = []
    for unit in units:
        state = np.tanh(unit @ kernel + state @ recurrent_kernel + bias)
        states.append(state)
    return np.array(states).reshape(len(units), len(bias))


def word_by_word(
    query: Array,
    value: Array,
    kernels: Sequence[Array],
    score: Callable[[Array, Array], float],
    attend: Callable[[Array, int], Array],
) -> tuple[Array, Array]:
    """`r_t = sum_s a_ts y_s + tanh(W_t r_{t-1})`, the last of them, and all a_t.

    kernels: W_h, W_r, W_t. attend: of the scores `(1, value_length)` of step t, its attention.
    """
    query_kernel, recurrent_kernel, transfer_kernel = kernels
    read, attentions = np.zeros(value.shape[1]), []
    for t, unit in enumerate(query):
        asked = unit @ query_kernel + read @ recurrent_kernel
        scores = np.array([[score(asked, one) for one in value]])
        attention = attend(scores.reshape(1, len(value)), t)
        read = contexts(attention, value)[0] + np.tanh(read @ transfer_kernel)
        attentions.append(attention[0])
    return read, np.array(attentions).reshape(len(query), len(value))
