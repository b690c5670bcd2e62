"""Hypothesis strategies: padded batches of sentence pairs, with every awkward kind of sentence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

# Padded positions hold this, not 0: a layer that forgets its mask then gives a wrong result.
JUNK = np.float32(7.5)

# (left length, right length, dim), the lengths never equal; few, since JAX compiles anew for each.
SHAPES = ((6, 4, 3), (3, 7, 1))
BATCH = 3

# For tests that run a layer on each example: the first call of a shape may compile for seconds.
few_examples = settings(max_examples=25, deadline=None)


@dataclass(frozen=True)
class RaggedBatch:
    """Padded sentence pairs.

    left `(batch, left_length, dim)`, right `(batch, right_length, dim)` float32, JUNK where
    padded; the masks `(batch, length)` bool, True = real unit, always a prefix of the row.
    """

    left: np.ndarray
    right: np.ndarray
    left_mask: np.ndarray
    right_mask: np.ndarray

    @property
    def dim(self) -> int:
        return self.left.shape[-1]

    def pairs(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """The unpadded sentences of each row, `(left_length, dim)` and `(right_length, dim)`."""
        for row in range(len(self.left)):
            yield self.left[row][self.left_mask[row]], self.right[row][self.right_mask[row]]


def _vectors(length: int, dim: int) -> st.SearchStrategy[np.ndarray]:
    """Units on a grid, where equal and zero ones are common, or anywhere in [-2, 2].

    To three decimals: the squares of much smaller numbers underflow in float32.
    """
    grid = st.integers(-8, 8).map(lambda quarter: quarter / 4)
    anywhere = st.integers(-2000, 2000).map(lambda thousandth: thousandth / 1000)
    return st.sampled_from((grid, anywhere)).flatmap(
        lambda elements: arrays(np.float32, (length, dim), elements=elements)
    )


@st.composite
def sentences(draw: st.DrawFn, max_length: int, dim: int, min_length: int = 0) -> np.ndarray:
    """An unpadded sentence `(length, dim)`: plain, one unit repeated, or nothing but zeros."""
    length = draw(st.integers(min_length, max_length))
    kind = draw(st.sampled_from(("plain", "plain", "repeated", "zero")))
    if kind == "repeated":
        return np.repeat(draw(_vectors(1, dim)), length, axis=0)
    if kind == "zero":
        return np.zeros((length, dim), np.float32)
    return draw(_vectors(length, dim))


def pad(rows: list[np.ndarray], length: int, dim: int) -> tuple[np.ndarray, np.ndarray]:
    """Sentences to `(batch, length, dim)`, padded with JUNK, and the mask `(batch, length)`."""
    units = np.full((len(rows), length, dim), JUNK, np.float32)
    mask = np.zeros((len(rows), length), bool)
    for row, sentence in enumerate(rows):
        units[row, : len(sentence)] = sentence
        mask[row, : len(sentence)] = True
    return units, mask


@st.composite
def ragged_batches(draw: st.DrawFn, min_length: int = 0) -> RaggedBatch:
    """Batches of pairs of real lengths `min_length` (0: wholly padded rows) to the padded length.

    Among them pairs of identical sentences, single units, repeated units and zero vectors.
    """
    left_length, right_length, dim = draw(st.sampled_from(SHAPES))
    left_rows, right_rows = [], []
    for _ in range(BATCH):
        if draw(st.integers(0, 3)) == 0:
            shorter = min(left_length, right_length)
            sentence = draw(sentences(shorter, dim, min_length))
            left_rows.append(sentence)
            right_rows.append(sentence)
        else:
            left_rows.append(draw(sentences(left_length, dim, min_length)))
            right_rows.append(draw(sentences(right_length, dim, min_length)))
    left, left_mask = pad(left_rows, left_length, dim)
    right, right_mask = pad(right_rows, right_length, dim)
    return RaggedBatch(left, right, left_mask, right_mask)
