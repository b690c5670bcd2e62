"""The average of the word vectors: what the attentions are to be better than."""

from __future__ import annotations

from collections.abc import Callable

from abcnn.layers import AllPooling
from abcnn.models.comparison import Comparison


def average(*, prefix: str = "") -> Callable[..., Comparison]:
    """A model without weights: each sentence is the mean of its word vectors.

    The first block of every BCNN and ABCNN, alone. `prefix` begins the layer's name.
    """
    pool = AllPooling(name=f"{prefix}average")

    def apply(left, right, left_mask, right_mask):
        return Comparison(pairs=[(pool(left, mask=left_mask), pool(right, mask=right_mask))])

    return apply
