"""What decides a network's shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar


@dataclass(frozen=True)
class NetworkConfig:
    """Everything that decides a network's shape: numbers and words, to be saved as JSON.

    vocabulary: words with PAD and OOV; dim: size of a word vector; features: features a pair;
    outputs: logits a pair; scores: similarity scores a pair of vectors; comparison: what else the
    output layer reads of such a pair, some of `COMPARISONS`; width: of the filters, or several
    widths, each of which has blocks of its own over the same word vectors; conv_layers to
    weight_all_pooling: of the models that read them (`abcnn.models.table`); pooled_attention: rows
    and columns of each pooled attention matrix, 0 for none; rest_network: whether a second network
    reads the rests of the sentences, the words that the other one lacks; l2: weight decay of
    kernels, attention feature maps, match scores and the output layer; dropouts are shares in
    [0, 1).
    """

    vocabulary: int
    dim: int
    features: int
    outputs: int
    scores: tuple[str, ...]
    comparison: tuple[str, ...] = ()
    model: str = "abcnn-3"
    conv_layers: int = 1
    filters: int = 50
    width: int | tuple[int, ...] = 4
    max_length: int = 40
    hidden_dim: int = 100
    heads: int = 4
    depth: int = 1
    joint: bool = False
    cell: str = "gru"
    both_directions: bool = False
    attention: str = "soft"
    window: int = 3
    max_sentences: int = 10
    target_words: int = 5000
    sentence_ends: tuple[int, ...] = ()
    match_score: str = "euclidean"
    share_weights: bool = True
    weight_all_pooling: bool = True
    pooled_attention: int = 0
    rest_network: bool = False
    train_vectors: bool = False
    vector_dropout: float = 0.0
    score_dropout: float = 0.0
    l2: float = 0.0

    @property
    def widths(self) -> tuple[int, ...]:
        """The widths of the filters, also where there is one."""
        return widths_of(self.width)


def widths_of(width: int | Sequence[int]) -> tuple[int, ...]:
    """One width, or several, as several."""
    return (width,) if isinstance(width, int) else tuple(width)


def block_names(widths: Sequence[int], conv_layers: int, prefix: str = "") -> list[list[str]]:
    """The names of the convolution blocks in the network: of each width those of its tower.

    `block_1`, `block_2` where there is one width, else `block_1_width_3` and so on, behind the
    `prefix` of the second network's, `REST`.
    """
    of_several = {width: f"_width_{width}" if len(widths) > 1 else "" for width in widths}
    return [
        [f"{prefix}block_{number}{of_several[width]}" for number in range(1, conv_layers + 1)]
        for width in widths
    ]


_BLOCKS = (
    *("conv_layers", "filters", "width"),
    *("match_score", "share_weights", "weight_all_pooling", "comparison", "rest_network"),
)
_ATTENTIVE_BLOCKS = (*_BLOCKS, "pooled_attention")
_RECURRENT = ("cell", "hidden_dim", "both_directions")

MODEL_OPTIONS: dict[str, tuple[str, ...]] = {
    "average": ("comparison", "rest_network"),
    "bcnn": _BLOCKS,
    "abcnn-1": _ATTENTIVE_BLOCKS,
    "abcnn-2": _ATTENTIVE_BLOCKS,
    "abcnn-3": _ATTENTIVE_BLOCKS,
    "decomposable": ("hidden_dim",),
    "transformer": ("hidden_dim", "heads", "depth", "joint", "comparison"),
    "siamese-rnn": (*_RECURRENT, "comparison"),
    "conditional-rnn": _RECURRENT,
    "attentive-rnn": (*_RECURRENT, "attention", "window", "match_score"),
    "hierarchical": (*_RECURRENT, "max_sentences", "comparison"),
    "seq2seq": ("cell", "hidden_dim", "match_score", "target_words"),
}
"""The models, and of the options that some models have those that each reads. Stated here, since
the table of models imports Keras."""


def model_name(model: str, members: int) -> str:
    """The model, and of an ensemble of how many: `abcnn-3`, `5 x abcnn-3`."""
    return model if members == 1 else f"{members} x {model}"


def model_in_words(network: Mapping[str, Any], members: int = 1) -> str:
    """The model and the sizes that it has; `network` holds the fields of a `NetworkConfig`.

    members: how many networks of this kind the model is the mean of.
    """
    if members > 1:
        return f"the mean of {members} networks: {model_in_words(network)}"
    model, read = network["model"], MODEL_OPTIONS[network["model"]]
    if "filters" in read:
        widths = widths_of(network["width"])
        words = [
            model,
            f"{network['conv_layers']} convolution layer(s)",
            f"{network['filters']} filters of width {' and '.join(map(str, widths))}",
        ]
        if pooled := network.get("pooled_attention"):
            words.append(f"attention pooled to {pooled} by {pooled}")
    else:
        sizes = [name for name in read if name not in ("comparison", "rest_network")]
        words = [model, *(f"{name.replace('_', ' ')}: {network[name]}" for name in sizes)]
    if compared := network.get("comparison"):
        words.append(f"compared by {' and '.join(compared)}")
    if network.get("rest_network"):
        words.append("a second network for the rests")
    return ", ".join(words)


COMPARISONS = ("difference", "product")
"""How two sentence vectors may be compared number by number, see
`abcnn.layers.ElementwiseComparison`."""

_Input = TypeVar("_Input")


def head_inputs(
    scores: Sequence[_Input],
    comparisons: Sequence[_Input],
    vectors: Sequence[_Input],
    features: _Input,
) -> list[_Input]:
    """What the output layer reads, in its order.

    The similarity scores of every pair of sentence vectors, then the comparisons number by number
    of every such pair, the model's other vectors, and the features; of two networks first those of
    the one, then of the other, kind by kind. An input may be an array, a
    tensor, or its size.
    """
    return [*scores, *comparisons, *vectors, features]


REST = "rest_"
"""How the names of the layers of the second network begin."""

ATTENTIONS = {
    "bcnn": (False, False),
    "abcnn-1": (True, False),
    "abcnn-2": (False, True),
    "abcnn-3": (True, True),
}
"""Of the paper's models: whether they attend in the convolution's input, and in the pooling."""

ENGINES = ("fast", "keras")
"""How a matcher computes: "fast" by NumPy and compiled loops without Keras, "keras" by the Keras
network, which is the reference."""
