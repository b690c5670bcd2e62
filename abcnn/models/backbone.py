"""The shared shape of BCNN, ABCNN-1, -2 and -3: from word vectors by blocks to sentence vectors."""

from __future__ import annotations

from collections.abc import Callable

from abcnn.layers import AllPooling
from abcnn.models.block import Block
from abcnn.models.comparison import Comparison

Backbone = Callable[..., Comparison]


def backbone(*, conv_layers: int = 1, **block_arguments) -> Backbone:
    """A function from two sentences of word vectors to the sentence vectors of every block.

    The paper's first block is the word vectors themselves, averaged; `conv_layers` blocks of
    convolution and pooling follow, with the arguments of `Block`.

    The function takes `(left, right, left_mask, right_mask)` and returns a `Comparison` of
    `conv_layers + 1` pairs of vectors.

    Source: Yin et al. 2016, section 3 and figure 2.
    """
    average = AllPooling(name="average")
    blocks = [Block(**block_arguments, name=f"block_{n}") for n in range(1, conv_layers + 1)]

    def apply(left, right, left_mask, right_mask):
        pairs = [(average(left, mask=left_mask), average(right, mask=right_mask))]
        for block in blocks:
            left, right, left_vector, right_vector = block(left, right, left_mask, right_mask)
            pairs.append((left_vector, right_vector))
        return Comparison(pairs=pairs)

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
