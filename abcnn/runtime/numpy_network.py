"""The whole network in NumPy alone, on padded batches: the models `COMPUTED`, all match scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from abcnn.network_config import ATTENTIONS, REST, NetworkConfig, block_names, head_inputs
from abcnn.runtime.matching import MATCH_SCORES, elementwise_comparison, similarity_score
from abcnn.runtime.packed_vectors import PackedVectors
from abcnn.text.vocabulary import PAD

COMPUTED = ("average", *ATTENTIONS, "decomposable")
"""The models that `NumpyNetwork` knows."""


Pair = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False)
class NumpyNetwork:
    """`network(inputs)`: the inputs of `abcnn.network.build_network` by name -> logits.

    left and right (and their rests) int32 `(batch, length)`, features float32 `(batch, features)`
    -> float32 `(batch, outputs)`, those of the Keras network within 1e-5. `weights` are named as in
    `abcnn.network.named_weights`, the word vectors apart.
    """

    config: NetworkConfig
    weights: Mapping[str, np.ndarray]
    vectors: PackedVectors

    def __post_init__(self) -> None:
        if self.config.model not in COMPUTED:
            raise ValueError(
                f"`model` must be one of {', '.join(COMPUTED)}. Received: {self.config.model!r}"
            )

    def __call__(self, inputs: Mapping[str, np.ndarray]) -> np.ndarray:
        read = [self._read(inputs["left"], inputs["right"])]
        if self.config.rest_network:
            read.append(self._read(inputs["left_rest"], inputs["right_rest"], REST))
        pairs = [pair for of_network, _ in read for pair in of_network]
        vectors = [vector for _, of_network in read for vector in of_network]
        scores = [self._scores(*pair) for pair in pairs]
        compared = [
            elementwise_comparison(*pair, name) for pair in pairs for name in self.config.comparison
        ]
        joined = head_inputs(scores, compared, vectors, inputs["features"])
        return self._dense("logits", np.concatenate(joined, axis=1))

    def _read(
        self, left_ids: np.ndarray, right_ids: np.ndarray, prefix: str = ""
    ) -> tuple[list[Pair], list[np.ndarray]]:
        """The pairs of sentence vectors, and what else the output layer reads of a network."""
        left, right = self.vectors[left_ids], self.vectors[right_ids]
        left_mask, right_mask = left_ids != PAD, right_ids != PAD
        if self.config.model == "decomposable":
            return [], [self._decomposable(left, right, left_mask, right_mask)]
        return self._blocks(left, right, left_mask, right_mask, prefix)

    def _blocks(
        self,
        left: np.ndarray,
        right: np.ndarray,
        left_mask: np.ndarray,
        right_mask: np.ndarray,
        prefix: str,
    ) -> tuple[list[Pair], list[np.ndarray]]:
        """The sentence vectors, averages and those of every block, of BCNN and its kin, and the
        pooled attention of every block."""
        pairs = [(mean(left, left_mask), mean(right, right_mask))]
        pooled: list[np.ndarray] = []
        if self.config.model in ATTENTIONS:
            widths = self.config.widths
            of_widths = block_names(widths, self.config.conv_layers, prefix)
            for width, names in zip(widths, of_widths, strict=True):
                of_tower = self._tower(width, names, left, right, left_mask, right_mask)
                pairs += of_tower[0]
                pooled += of_tower[1]
        return pairs, pooled

    def _tower(
        self,
        width: int,
        names: list[str],
        left: np.ndarray,
        right: np.ndarray,
        left_mask: np.ndarray,
        right_mask: np.ndarray,
    ) -> tuple[list[Pair], list[np.ndarray]]:
        """Of the blocks of one width, one upon the other: what `_blocks` gives."""
        pairs: list[Pair] = []
        pooled: list[np.ndarray] = []
        attend_input, attend_pooling = ATTENTIONS[self.config.model]
        for block in names:
            if attend_input:
                attention = self._attend(
                    f"{block}/input_attention", left, right, left_mask, right_mask
                )
                pooled += self._pool(attention, left_mask, right_mask)
                left_map, right_map = self._feature_maps(block, attention)
                left = np.concatenate([left, left_map], axis=2)
                right = np.concatenate([right, right_map], axis=2)
            left_phrases = self._convolve(block, left, left_mask)
            right_phrases = self._convolve(block, right, right_mask)
            left_real, right_real = phrase_mask(left_mask, width), phrase_mask(right_mask, width)
            left_phrases *= left_real[:, :, None]
            right_phrases *= right_real[:, :, None]
            left_sums = right_sums = None
            if attend_pooling:
                attention = self._attend(
                    f"{block}/pooling_attention",
                    *(left_phrases, right_phrases, left_real, right_real),
                )
                pooled += self._pool(attention, left_real, right_real)
                left_sums, right_sums = attention.sum(axis=2), attention.sum(axis=1)
            left = window_pooling(left_phrases, width, left_sums)
            right = window_pooling(right_phrases, width, right_sums)
            if not self.config.weight_all_pooling:
                left_sums = right_sums = None
            pairs.append(
                (
                    mean(left_phrases, left_real, left_sums),
                    mean(right_phrases, right_real, right_sums),
                )
            )
        return pairs, pooled

    def _pool(
        self, attention: np.ndarray, left_mask: np.ndarray, right_mask: np.ndarray
    ) -> list[np.ndarray]:
        """The pooled attention `(batch, entries)`; nothing when none is wanted."""
        if not (size := self.config.pooled_attention):
            return []
        return [dynamic_pooling(attention, size, left_mask, right_mask).reshape(-1, size * size)]

    def _attend(
        self,
        name: str,
        left: np.ndarray,
        right: np.ndarray,
        left_mask: np.ndarray,
        right_mask: np.ndarray,
    ) -> np.ndarray:
        score, weights = MATCH_SCORES[self.config.match_score]
        attention = score(left, right, *(self.weights[f"{name}/{weight}"] for weight in weights))
        return attention * (left_mask[:, :, None] & right_mask[:, None])

    def _feature_maps(self, block: str, attention: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        left_length, right_length = attention.shape[1:]
        left = self.weights[f"{block}/attention_feature_map/left_weights"]
        right = self.weights.get(f"{block}/attention_feature_map/right_weights", left)
        return attention @ left[:right_length], attention.transpose(0, 2, 1) @ right[:left_length]

    def _convolve(self, block: str, units: np.ndarray, mask: np.ndarray) -> np.ndarray:
        kernel = self.weights[f"{block}/wide_convolution/kernel"]
        width, dim, filters = kernel.shape
        length = units.shape[1]
        flat = kernel.transpose(1, 0, 2).reshape(dim, width * filters)
        products = ((units * mask[:, :, None]) @ flat).reshape(len(units), length, width, filters)
        phrases = np.zeros((len(units), length + width - 1, filters), np.float32)
        for place in range(width):
            first = width - 1 - place
            phrases[:, first : first + length] += products[:, :, place]
        return np.tanh(phrases + self.weights[f"{block}/wide_convolution/bias"])

    def _scores(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """The similarity scores of sentence vectors `(batch, dim)` -> `(batch, scores)`."""
        scores = [similarity_score(left, right, name) for name in self.config.scores]
        return np.stack(scores, axis=1)

    def _decomposable(
        self, left: np.ndarray, right: np.ndarray, left_mask: np.ndarray, right_mask: np.ndarray
    ) -> np.ndarray:
        """What the aggregating layers make of both sentences' compared words."""
        project = self.weights["attend_compare/dense/kernel"]
        left, right = left @ project, right @ project
        attend = "attend_compare/attend"
        scores = self._hidden(attend, left) @ self._hidden(attend, right).transpose(0, 2, 1)

        def compare(
            units: np.ndarray, others: np.ndarray, scores: np.ndarray, mask: np.ndarray
        ) -> np.ndarray:
            read = np.concatenate([units, scores @ others], axis=2)
            compared = self._hidden("attend_compare/compare", read)
            return (compared * mask[:, :, None]).sum(axis=1)

        turned = scores.transpose(0, 2, 1)
        joined = np.concatenate(
            [
                compare(left, right, shares(scores, right_mask), left_mask),
                compare(right, left, shares(turned, left_mask), right_mask),
            ],
            axis=1,
        )
        for name in ("aggregate_1", "aggregate_2"):
            joined = np.maximum(self._dense(name, joined), 0)
        return joined

    def _hidden(self, name: str, units: np.ndarray) -> np.ndarray:
        """Two layers of one name: the weights of the second are called `again`."""
        for again in ("", "_again"):
            units = np.maximum(self._dense(name, units, again), 0)
        return units

    def _dense(self, name: str, units: np.ndarray, again: str = "") -> np.ndarray:
        product: np.ndarray = units @ self.weights[f"{name}/kernel{again}"]
        return product + self.weights[f"{name}/bias{again}"]


def mean(units: np.ndarray, mask: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """The mean of the real units, weighted: `(batch, length, dim)` -> `(batch, dim)`."""
    shares = mask.astype(np.float32) if weights is None else weights * mask
    total = shares.sum(axis=1, keepdims=True)
    summed = (shares[:, None] @ units)[:, 0]
    return np.divide(summed, total, out=np.zeros_like(summed), where=total != 0)


def dynamic_pooling(
    attention: np.ndarray, size: int, left_mask: np.ndarray, right_mask: np.ndarray
) -> np.ndarray:
    """As `abcnn.layers.dynamic_pooling`: `(batch, size, size)`."""
    pooled = _largest(attention, _window_members(left_mask, size))
    pooled = _largest(pooled.transpose(0, 2, 1), _window_members(right_mask, size))
    return pooled.transpose(0, 2, 1)


def _window_members(mask: np.ndarray, size: int) -> np.ndarray:
    """`(batch, length)` -> `(batch, size, length)`: which units each window holds."""
    length = np.maximum(mask.sum(axis=1, keepdims=True), 1)
    times = (length + size - 1) // length
    each, more = np.divmod(length * times, size)
    bounds = np.arange(size + 1)
    bounds = bounds * each + np.maximum(bounds - (size - more), 0)
    first, last = bounds[:, :-1] // times, (bounds[:, 1:] - 1) // times
    position = np.arange(mask.shape[1])
    within = (first[:, :, None] <= position) & (position <= last[:, :, None])
    return within & mask[:, None]


def _largest(units: np.ndarray, members: np.ndarray) -> np.ndarray:
    held = np.where(members[..., None], units[:, None], -np.inf).max(axis=2, initial=-np.inf)
    return np.where(members.any(axis=2, keepdims=True), held, np.float32(0))


def phrase_mask(mask: np.ndarray, width: int) -> np.ndarray:
    """Which phrases hold a real unit: `(batch, length)` -> `(batch, length + width - 1)`."""
    length = mask.shape[1]
    phrases = np.zeros((len(mask), length + width - 1), bool)
    for place in range(width):
        phrases[:, place : place + length] |= mask
    return phrases


def window_pooling(phrases: np.ndarray, width: int, weights: np.ndarray | None) -> np.ndarray:
    """The mean of every window of phrases, or their sum with weights."""
    phrases = phrases / np.float32(width) if weights is None else phrases * weights[:, :, None]
    length = phrases.shape[1] - width + 1
    first, *others = (phrases[:, place : place + length] for place in range(width))
    return sum(others, start=first)


def shares(scores: np.ndarray, value_mask: np.ndarray) -> np.ndarray:
    """The softmax over the real units of the last axis, 0 where there are none."""
    real = np.broadcast_to(value_mask[:, None], scores.shape)
    highest = np.where(real, scores, -np.inf).max(axis=2, keepdims=True, initial=-1e9)
    exponentials = np.exp(np.minimum(scores - highest, 0)) * real
    total = exponentials.sum(axis=2, keepdims=True)
    return exponentials / np.where(total > 0, total, 1)


Network = Callable[[Mapping[str, np.ndarray]], np.ndarray]
"""What computes logits of a padded batch."""
