"""A network's constant arithmetic, done once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from abcnn.network_config import ATTENTIONS, NetworkConfig
from abcnn.runtime.kernels import COSINE, DOT, EUCLIDEAN, LANES

_VECTORS = "vectors/embeddings"
_MATCH_SCORES = {"euclidean": EUCLIDEAN, "cosine": COSINE, "dot": DOT}


class FoldedNetwork(NamedTuple):
    """What the compiled loops read; all arrays float32, and sizes filled up to `LANES` with zeros.

    vectors `(vocabulary, dim)`; taps `(vocabulary, width * filters)`: a word's part in a phrase at
    each place of the window, `E W_k`, so that the first convolution only adds; kernels
    `(blocks - 1, filters, width * filters)`, those of the further blocks; biases
    `(blocks, filters)`; maps `(blocks, 2, max_length, width * filters)`: `W0 V_k` and `W1 V_k`,
    the attention feature map's weights times the kernel that reads it, so that no map is made;
    head `(outputs, scores and features)`.
    """

    vectors: np.ndarray
    taps: np.ndarray
    kernels: np.ndarray
    biases: np.ndarray
    maps: np.ndarray
    head: np.ndarray
    head_bias: np.ndarray
    scores: np.ndarray
    match_score: int
    width: int
    attend_input: bool
    attend_pooling: bool
    weight_all_pooling: bool


def foldable(config: NetworkConfig) -> bool:
    """Whether `fold` knows the model and its scores; any other is computed by Keras."""
    return config.model in ATTENTIONS and {config.match_score, *config.scores} <= set(_MATCH_SCORES)


def weight_shapes(config: NetworkConfig) -> dict[str, tuple[int, ...]]:
    """The names and shapes of a foldable network's weights (`abcnn.network.named_weights`)."""
    attend_input, _ = ATTENTIONS[config.model]
    inputs = (config.conv_layers + 1) * len(config.scores) + config.features
    shapes: dict[str, tuple[int, ...]] = {
        _VECTORS: (config.vocabulary, config.dim),
        "logits/kernel": (inputs, config.outputs),
        "logits/bias": (config.outputs,),
    }
    for block in range(1, config.conv_layers + 1):
        dim = config.dim if block == 1 else config.filters
        channels = 2 * dim if attend_input else dim
        convolution = f"block_{block}/wide_convolution"
        shapes[f"{convolution}/kernel"] = (config.width, channels, config.filters)
        shapes[f"{convolution}/bias"] = (config.filters,)
        if attend_input:
            maps = f"block_{block}/attention_feature_map"
            shapes[f"{maps}/left_weights"] = (config.max_length, dim)
            if not config.share_weights:
                shapes[f"{maps}/right_weights"] = (config.max_length, dim)
    return shapes


def fold(config: NetworkConfig, weights: Mapping[str, np.ndarray]) -> FoldedNetwork:
    """Fold a network's weights, named as in `abcnn.network.named_weights`.

    Raises ValueError when the weights are not those of the configuration: the compiled loops trust
    their shapes.

    Source: Yin et al. 2016, sections 3 and 4: `W_k [v; W0 A^T]` is `W_k v + (V_k W0) A^T`.
    """
    if (shapes := {name: array.shape for name, array in weights.items()}) != weight_shapes(config):
        raise ValueError(f"`weights` must be {weight_shapes(config)}. Received: {shapes}")
    attend_input, attend_pooling = ATTENTIONS[config.model]
    blocks, width, filters = config.conv_layers, config.width, _filled(config.filters)
    kernels = np.zeros((blocks - 1, filters, width * filters), np.float32)
    biases = np.zeros((blocks, filters), np.float32)
    rows = config.max_length if attend_input else 0
    maps = np.zeros((blocks, 2, rows, width * filters), np.float32)
    taps = _table(config.vocabulary, width * filters)
    for block in range(blocks):
        name, dim = f"block_{block + 1}", config.filters if block else config.dim
        kernel = _side_by_side(weights[f"{name}/wide_convolution/kernel"], filters)
        if block:
            kernels[block - 1, :dim] = kernel[:dim]
        else:
            np.matmul(weights[_VECTORS], kernel[:dim], out=taps)
        biases[block, : config.filters] = weights[f"{name}/wide_convolution/bias"]
        if attend_input:
            left = weights[f"{name}/attention_feature_map/left_weights"]
            right = weights.get(f"{name}/attention_feature_map/right_weights", left)
            maps[block] = left @ kernel[dim:], right @ kernel[dim:]
    return FoldedNetwork(
        vectors=_filled_up(weights[_VECTORS]),
        taps=taps,
        kernels=kernels,
        biases=biases,
        maps=maps,
        head=np.ascontiguousarray(weights["logits/kernel"].T),
        head_bias=np.ascontiguousarray(weights["logits/bias"]),
        scores=np.array([_MATCH_SCORES[score] for score in config.scores], np.int64),
        match_score=_MATCH_SCORES[config.match_score],
        width=width,
        attend_input=attend_input,
        attend_pooling=attend_pooling,
        weight_all_pooling=config.weight_all_pooling,
    )


def _filled(size: int) -> int:
    return -(-size // LANES) * LANES


def _filled_up(rows: np.ndarray) -> np.ndarray:
    """Rows with zeros behind them up to a multiple of `LANES`."""
    size = rows.shape[1]
    filled = _table(len(rows), _filled(size))
    filled[:, :size] = rows
    filled[:, size:] = 0
    return filled


def _table(rows: int, size: int) -> np.ndarray:
    # Not zeros: NumPy asks for huge pages here alone, and rows are looked up all over the table.
    return np.empty((rows, size), np.float32)


def _side_by_side(kernel: np.ndarray, filters: int) -> np.ndarray:
    """A kernel `(width, dim, f)` as `(dim, width * filters)`, filled up with zeros."""
    width, dim, size = kernel.shape
    beside = np.zeros((dim, width, filters), np.float32)
    beside[:, :, :size] = kernel.transpose(1, 0, 2)
    return beside.reshape(dim, width * filters)
