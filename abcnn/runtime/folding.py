"""A network's constant arithmetic, done once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import NamedTuple

import numpy as np

from abcnn.network_config import (
    ATTENTIONS,
    COMPARISONS,
    REST,
    NetworkConfig,
    block_names,
    head_inputs,
)
from abcnn.runtime.lanes import LANES
from abcnn.runtime.operations import COSINE, DOT, EUCLIDEAN

_VECTORS = "vectors/embeddings"
_MATCH_SCORES = {"euclidean": EUCLIDEAN, "cosine": COSINE, "dot": DOT}


class FoldedTower(NamedTuple):
    """What the compiled loops read of the blocks of one width.

    All arrays are float32, and sizes filled up to `LANES` with zeros. vectors `(vocabulary, dim)`;
    taps `(vocabulary, width * filters)`: a word's part in a phrase at each place of the window,
    `E W_k`, so that the first convolution only adds; kernels `(blocks - 1, filters, width *
    filters)`, those of the further blocks; biases `(blocks, filters)`; maps `(blocks, 2,
    max_length, width * filters)`: `W0 V_k` and `W1 V_k`, the attention feature map's weights times
    the kernel that reads it, so that no map is made; head `(outputs, scores, pooled attention and
    features)`, the scores those of the averages and of the tower's blocks; mean_comparison
    `(2, outputs, dim)` and block_comparisons `(blocks, 2, outputs, filters)`, the head's weights of
    `|x - y|` and of `x * y`, of size 0 where there are none; averages: whether the averages are
    compared at all; reads_rest: whether it reads the rests in place of the sentences;
    pooled_attention: rows and columns of each pooled attention matrix.
    """

    vectors: np.ndarray
    taps: np.ndarray
    kernels: np.ndarray
    biases: np.ndarray
    maps: np.ndarray
    head: np.ndarray
    head_bias: np.ndarray
    mean_comparison: np.ndarray
    block_comparisons: np.ndarray
    scores: np.ndarray
    match_score: int
    width: int
    averages: bool
    reads_rest: bool
    attend_input: bool
    attend_pooling: bool
    weight_all_pooling: bool
    pooled_attention: int


class FoldedNetwork(NamedTuple):
    """Towers over the same word vectors, whose logits add up to those of the network.

    The logits weigh scores, comparisons and features one by one, so each tower has the head's rows
    of its own blocks, and the first one those of the averages and features, and the bias. The
    towers of a second network follow, the first of which has those of the rests' averages.
    """

    towers: tuple[FoldedTower, ...]


def foldable(config: NetworkConfig) -> bool:
    """Whether `fold` knows the model and its scores; any other is computed by Keras."""
    known = {config.match_score, *config.scores} <= set(_MATCH_SCORES)
    return known and (config.model == "average" or config.model in ATTENTIONS)


def weight_shapes(config: NetworkConfig) -> dict[str, tuple[int, ...]]:
    """The names and shapes of a foldable network's weights (`abcnn.network.named_weights`)."""
    attend_input, _ = _attentions(config)
    shapes: dict[str, tuple[int, ...]] = {
        _VECTORS: (config.vocabulary, config.dim),
        "logits/kernel": (sum(_head_inputs(config)), config.outputs),
        "logits/bias": (config.outputs,),
    }
    for tower in _towers(config):
        for block, name in enumerate(tower.names):
            dim = config.filters if block else config.dim
            channels = 2 * dim if attend_input else dim
            shapes[f"{name}/wide_convolution/kernel"] = (tower.width, channels, config.filters)
            shapes[f"{name}/wide_convolution/bias"] = (config.filters,)
            if attend_input:
                maps = f"{name}/attention_feature_map"
                shapes[f"{maps}/left_weights"] = (config.max_length, dim)
                if not config.share_weights:
                    shapes[f"{maps}/right_weights"] = (config.max_length, dim)
    return shapes


def fold_members(
    config: NetworkConfig, members: Sequence[Mapping[str, np.ndarray]]
) -> tuple[FoldedNetwork, ...]:
    """Fold the weights of each network of an ensemble; word vectors that are one array stay one.

    What the first convolution makes of the words, `taps`, is each network's own.
    """
    filled: dict[int, np.ndarray] = {}
    folded = []
    for weights in members:
        network = fold(config, weights, vectors=filled.get(id(weights[_VECTORS])))
        filled[id(weights[_VECTORS])] = network.towers[0].vectors
        folded.append(network)
    return tuple(folded)


def fold(
    config: NetworkConfig, weights: Mapping[str, np.ndarray], *, vectors: np.ndarray | None = None
) -> FoldedNetwork:
    """Fold a network's weights, named as in `abcnn.network.named_weights`.

    vectors: its word vectors as another network that has the same was folded to, if there is one.

    Raises ValueError when the weights are not those of the configuration: the compiled loops trust
    their shapes.

    Source: Yin et al. 2016, sections 3 and 4: `W_k [v; W0 A^T]` is `W_k v + (V_k W0) A^T`.
    """
    if (shapes := {name: array.shape for name, array in weights.items()}) != weight_shapes(config):
        raise ValueError(f"`weights` must be {weight_shapes(config)}. Received: {shapes}")
    if vectors is None:
        vectors = _filled_up(weights[_VECTORS])
    heads = _heads(config, weights["logits/kernel"], weights["logits/bias"])
    return FoldedNetwork(
        tuple(
            _fold_tower(config, weights, vectors, tower, head)
            for tower, head in zip(_towers(config), heads, strict=True)
        )
    )


def _fold_tower(
    config: NetworkConfig,
    weights: Mapping[str, np.ndarray],
    vectors: np.ndarray,
    tower: _Tower,
    head: _Head,
) -> FoldedTower:
    """Fold the blocks of one tower."""
    attend_input, attend_pooling = _attentions(config)
    width, blocks, filters = tower.width, len(tower.names), _filled(config.filters)
    kernels = np.zeros((max(blocks - 1, 0), filters, width * filters), np.float32)
    biases = np.zeros((blocks, filters), np.float32)
    rows = config.max_length if attend_input else 0
    maps = np.zeros((blocks, 2, rows, width * filters), np.float32)
    taps = _table(config.vocabulary, width * filters if blocks else 0)
    for block, name in enumerate(tower.names):
        dim = config.filters if block else config.dim
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
    return FoldedTower(
        vectors=vectors,
        taps=taps,
        kernels=kernels,
        biases=biases,
        maps=maps,
        **head._asdict(),
        scores=np.array([_MATCH_SCORES[score] for score in config.scores], np.int64),
        match_score=_MATCH_SCORES[config.match_score],
        width=width,
        averages=tower.averages,
        reads_rest=tower.reads_rest,
        attend_input=attend_input,
        attend_pooling=attend_pooling,
        weight_all_pooling=config.weight_all_pooling,
        pooled_attention=config.pooled_attention,
    )


def _attentions(config: NetworkConfig) -> tuple[bool, bool]:
    return ATTENTIONS.get(config.model, (False, False))


class _Tower(NamedTuple):
    """Which blocks a tower has, and what it reads; see `FoldedTower`."""

    width: int
    names: list[str]
    averages: bool
    reads_rest: bool


def _towers(config: NetworkConfig) -> list[_Tower]:
    """The towers of one network or two; one without blocks a network for the model `average`."""
    widths, blocks = config.widths, config.conv_layers
    if config.model == "average":
        widths, blocks = (1,), 0
    towers = []
    for reads_rest in (False, True) if config.rest_network else (False,):
        of_widths = block_names(widths, blocks, REST if reads_rest else "")
        for number, (width, names) in enumerate(zip(widths, of_widths, strict=True)):
            towers.append(_Tower(width, names, number == 0, reads_rest))
    return towers


def _inputs_of(config: NetworkConfig, tower: _Tower) -> tuple[list[int], list[int], list[int]]:
    """The sizes of what the head reads of a tower.

    Scores and comparisons of the averages and of every block, and each block's pooled attention.
    """
    sizes = [config.dim] * tower.averages + [config.filters] * len(tower.names)
    entries = sum(_attentions(config)) * config.pooled_attention**2
    return (
        [len(config.scores)] * len(sizes),
        [len(config.comparison) * size for size in sizes],
        [entries] * len(tower.names),
    )


def _head_inputs(config: NetworkConfig) -> list[int]:
    """The sizes of `head_inputs`, each kind tower by tower."""
    kinds = zip(*(_inputs_of(config, tower) for tower in _towers(config)), strict=True)
    scores, comparisons, pooled = (list(chain.from_iterable(kind)) for kind in kinds)
    return head_inputs(scores, comparisons, pooled, config.features)


class _Head(NamedTuple):
    """What a tower has of the output layer, see `FoldedTower`."""

    head: np.ndarray
    head_bias: np.ndarray
    mean_comparison: np.ndarray
    block_comparisons: np.ndarray


def _heads(config: NetworkConfig, kernel: np.ndarray, bias: np.ndarray) -> Iterator[_Head]:
    """The output layer's weights divided among the towers; what is another's is 0."""
    *parts, features = np.split(kernel, np.cumsum(_head_inputs(config))[:-1])
    towers, rest = _towers(config), iter(parts)
    kinds = zip(*(_inputs_of(config, tower) for tower in towers), strict=True)
    of_kinds = [[list(islice(rest, len(sizes))) for sizes in kind] for kind in kinds]
    for number, (tower, *of_tower) in enumerate(zip(towers, *of_kinds, strict=True)):
        scores, compared, pooled = of_tower
        if not tower.averages:
            scores = [np.zeros((len(config.scores), config.outputs), np.float32), *scores]
            compared = [np.zeros((len(config.comparison) * config.dim, config.outputs)), *compared]
        once = np.float32(number == 0)
        head = np.concatenate([*scores, *pooled, once * features]).T
        yield _Head(
            head=np.ascontiguousarray(head),
            head_bias=once * bias,
            mean_comparison=_comparisons(config, compared[:1], config.dim)[0],
            block_comparisons=_comparisons(config, compared[1:], config.filters),
        )


def _comparisons(config: NetworkConfig, blocks: list[np.ndarray], size: int) -> np.ndarray:
    """The weights of vectors' comparisons `(blocks, 2, outputs, size)`, filled up."""
    filled = _filled(size) if config.comparison else 0
    weights = np.zeros((len(blocks), 2, config.outputs, filled), np.float32)
    for block, rows in enumerate(blocks):
        of_each = rows.reshape(len(config.comparison), size, config.outputs)
        for name, part in zip(config.comparison, of_each, strict=True):
            weights[block, COMPARISONS.index(name), :, :size] = part.T
    return weights


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
