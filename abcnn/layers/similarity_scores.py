"""Similarity scores of two sentence vectors (Yin et al. 2016, sections 5.1 to 5.3)."""

from __future__ import annotations

from collections.abc import Sequence

import keras
from keras import ops

from abcnn.layers._arguments import one_of, rank
from abcnn.layers.match_scores import MATCH_SCORES, SAME, WEIGHTLESS


def similarity_score(left, right, score: str):
    """A match score of sentence vectors: `(batch, dim)` twice -> `(batch,)`, float32."""
    if score == "euclidean":
        return euclidean_similarity_score(left, right)
    left, right = ops.expand_dims(left, 1), ops.expand_dims(right, 1)
    return ops.squeeze(MATCH_SCORES[score](left, right), (1, 2))


def euclidean_similarity_score(left, right):
    """`1 / (1 + |x - y|)` of two sentence vectors: `(batch, dim)` twice -> `(batch,)`, float32.

    Taken from the differences themselves, so that it is exact for vectors that are nearly equal, as
    those of paraphrases are. Vectors that differ by rounding alone score 1, with a gradient of 0.
    """
    left, right = ops.cast(left, "float32"), ops.cast(right, "float32")
    difference = left - right
    squared_distance = ops.sum(difference * difference, axis=-1)
    apart = squared_distance > SAME * ops.sum(left * left + right * right, axis=-1)
    distance = ops.sqrt(ops.where(apart, squared_distance, 1.0))
    return 1.0 / (1.0 + ops.where(apart, distance, 0.0))


@keras.saving.register_keras_serializable(package="abcnn")
class SimilarityScores(keras.layers.Layer):
    """What is kept of a block's two sentence vectors: a few numbers that say how alike they are.

    Args:
        scores: names of match scores without weights (see `abcnn.layers.match_scores`): "cosine"
            (answer selection), "euclidean" `1 / (1 + |x - y|)` (paraphrase), both (entailment).

    Call: `(left, right)` with `(batch, dim)` twice -> `(batch, number of scores)`.

    Precision: float32 under every policy.

    Raises:
        ValueError: an unknown score, or none.

    Source: Yin et al. 2016, sections 5.1 to 5.3.
    """

    def __init__(self, scores: Sequence[str] = ("cosine",), **kwargs):
        super().__init__(**kwargs)
        if not scores:
            raise ValueError("`scores` must name at least one similarity score. Received: none")
        self.scores = [one_of("scores", score, WEIGHTLESS) for score in scores]

    def call(self, left, right):
        self.compute_output_shape(left.shape, right.shape)  # refuses wrong shapes
        columns = [similarity_score(left, right, score) for score in self.scores]
        return ops.cast(ops.stack(columns, axis=-1), self.compute_dtype)

    def compute_output_shape(self, left_shape, right_shape):
        rank("SimilarityScores", "left", left_shape, 2)
        return (left_shape[0], len(self.scores))

    def get_config(self):
        return {**super().get_config(), "scores": self.scores}
