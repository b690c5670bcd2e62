"""The shared shape of BCNN, ABCNN-1, -2 and -3: from word vectors by blocks to sentence vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from abcnn.layers import AllPooling
from abcnn.models.block import Block
from abcnn.models.comparison import Comparison
from abcnn.network_config import block_names, widths_of

Backbone = Callable[..., Comparison]


def backbone(
    *, width: int | Sequence[int], conv_layers: int = 1, prefix: str = "", **block_arguments
) -> Backbone:
    """A function from two sentences of word vectors to the sentence vectors of every block.

    The paper's first block is the word vectors themselves, averaged; `conv_layers` blocks of
    convolution and pooling follow, with the arguments of `Block`. With several widths each has such
    blocks of its own over the word vectors, a tower. `prefix` begins the names of all layers, so
    that a network may have two backbones.

    The function takes `(left, right, left_mask, right_mask)` and returns a `Comparison` of
    `1 + widths * conv_layers` pairs of vectors: the averages, then tower after tower; and of the
    pooled attention of each block that has it.

    Source: Yin et al. 2016, section 3 and figure 2, there with one width.
    """
    average = AllPooling(name=f"{prefix}average")
    widths = widths_of(width)
    towers = [
        [Block(width=one, name=name, **block_arguments) for name in names]
        for one, names in zip(widths, block_names(widths, conv_layers, prefix), strict=True)
    ]

    def apply(left_words, right_words, left_mask, right_mask):
        pairs = [(average(left_words, mask=left_mask), average(right_words, mask=right_mask))]
        pooled = []
        for blocks in towers:
            left, right = left_words, right_words
            for block in blocks:
                left, right, *vectors = block(left, right, left_mask, right_mask)
                pairs.append(tuple(vectors[:2]))
                pooled += vectors[2:]
        return Comparison(pairs=pairs, vectors=pooled)

    return apply


def bcnn(**config) -> Backbone:
    """The basic bi-CNN, without attention (section 3)."""
    return backbone(attend_input=False, attend_pooling=False, **config)


def abcnn1(**config) -> Backbone:
    """Attention on the convolution's input (section 4.1)."""
    return backbone(attend_input=True, attend_pooling=False, **config)


def abcnn2(**config) -> Backbone:
    """Attention on the convolution's output, in the pooling (section 4.2)."""
    return backbone(attend_input=False, attend_pooling=True, **config)


def abcnn3(**config) -> Backbone:
    """Both attentions (section 4.3)."""
    return backbone(attend_input=True, attend_pooling=True, **config)
