"""The cosine of two sentences' mean word vectors."""

from __future__ import annotations

import numpy as np

from abcnn.text.batches import EncodedPairs, Ragged
from abcnn.text.vocabulary import FIRST_WORD
from abcnn.training.prepare import Prepared


def mean_vector_cosines(prepared: Prepared, pairs: EncodedPairs) -> np.ndarray:
    """float64 `(pairs, 1)`; 0 where a sentence has no word with a vector."""
    left, right = (mean_vectors(side, prepared.vectors) for side in (pairs.left, pairs.right))
    lengths = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
    products = np.einsum("ij,ij->i", left, right)
    return (products / np.where(lengths > 0, lengths, 1.0))[:, None]


def mean_vectors(sentences: Ragged, vectors: np.ndarray) -> np.ndarray:
    """The mean vectors of sentences: float64 `(sentences, dim)`; unknown words are in no mean.

    vectors float32 `(vocabulary, dim)`.
    """
    means = np.zeros((len(sentences), vectors.shape[1]))
    for row, (start, end) in enumerate(zip(sentences.offsets, sentences.offsets[1:], strict=False)):
        ids = sentences.ids[start:end]
        if (known := ids[ids >= FIRST_WORD]).size:
            means[row] = vectors[known].mean(axis=0, dtype=np.float64)
    return means
