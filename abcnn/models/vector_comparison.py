"""From two sentence vectors to what the output layer reads of them."""

from __future__ import annotations

from collections.abc import Callable

import keras
from keras import ops

from abcnn.models.comparison import Comparison


def vector_comparison(hidden_dim: int, regularizer=None) -> Callable[..., Comparison]:
    """A hidden layer over `[l, r, |l - r|, l * r]`, beside the pair itself.

    Source: Mou et al. 2016, section 3.2; the absolute difference: Conneau et al. 2017, section 3.1.
    """
    join = keras.layers.Concatenate(name="both_sentences")
    hidden = keras.layers.Dense(
        hidden_dim, "relu", kernel_regularizer=regularizer, name="compare_vectors"
    )

    def apply(left, right):
        joined = join([left, right, ops.abs(left - right), left * right])
        return Comparison(pairs=[(left, right)], vectors=[hidden(joined)])

    return apply
