"""Similarity scores of sentence vectors: exact where the vectors are nearly equal."""

import numpy as np
import pytest
from keras import ops

from abcnn.layers import SimilarityScores
from abcnn.runtime.matching import similarity_score
from tests.contracts import LayerCase, check_layer, gradients

pytestmark = pytest.mark.backend

SCORES = ("euclidean", "manhattan", "cosine", "dot", "scaled_dot")


def sentence_vectors(apart: float) -> dict[str, np.ndarray]:
    """Two sentence vectors a pair, the length of whose difference is `apart` of their own."""
    generator = np.random.default_rng(0)
    left, step = generator.normal(size=(2, 5, 300))
    step *= np.linalg.norm(left, axis=1, keepdims=True) / np.linalg.norm(
        step, axis=1, keepdims=True
    )
    return {
        "left": left.astype(np.float32),
        "right": (left + apart * step).astype(np.float32),
    }


def test_contract(tmp_path):
    check_layer(
        LayerCase(lambda **options: SimilarityScores(SCORES, **options), sentence_vectors(0.5)),
        tmp_path,
    )


@pytest.mark.parametrize("apart", [1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5])
def test_the_euclidean_score_against_float64_however_near_the_vectors_are(apart):
    vectors = sentence_vectors(apart)
    difference = vectors["left"].astype(np.float64) - vectors["right"].astype(np.float64)
    expected = 1 / (1 + np.linalg.norm(difference, axis=1))
    scores = ops.convert_to_numpy(SimilarityScores(["euclidean"])(**vectors))[:, 0]
    np.testing.assert_allclose(scores, expected, atol=1e-6)
    np.testing.assert_allclose(
        similarity_score(vectors["left"], vectors["right"], "euclidean"), expected, atol=1e-6
    )


def test_vectors_that_differ_by_rounding_alone_score_1_without_a_gradient():
    vectors = sentence_vectors(1e-7)
    layer = SimilarityScores(["euclidean"])
    np.testing.assert_array_equal(ops.convert_to_numpy(layer(**vectors)), np.ones((5, 1)))
    by_input, _ = gradients(layer, vectors, {})
    for gradient in by_input.values():
        np.testing.assert_array_equal(gradient, np.zeros_like(gradient))
