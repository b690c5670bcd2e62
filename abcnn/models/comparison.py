"""What every model gives: the input of the output layer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Comparison(NamedTuple):
    """What a model makes of two sentences.

    pairs: sentence vectors `(left_vector, right_vector)`, each `(batch, dim)`, of which similarity
    scores are taken. vectors: each `(batch, n)`, for the output layer as they are.
    """

    pairs: Sequence[tuple] = ()
    vectors: Sequence = ()
