"""Run by `test_backends.py` as a program, once a backend: `python -m tests.backend_figures`.

Arguments: a bundle that was saved under TensorFlow, and the `.npz` to write the figures to.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import keras
import numpy as np
from keras import ops

import abcnn
from abcnn import layers
from abcnn.layers.match_scores import WEIGHTLESS
from abcnn.network import NetworkConfig, build_network
from abcnn.training.losses import LOSSES

CONFIG = NetworkConfig(
    vocabulary=12,
    dim=4,
    features=2,
    outputs=1,
    scores=("cosine", "euclidean"),
    model="abcnn-3",
    filters=3,
    width=3,
    max_length=8,
    l2=0.01,
)
LABELS, GROUPS = np.array([1, 0, 0, 1, 1, 0]), np.array([0, 0, 1, 1, 1, 2])
PAIRS = [
    ("Who moved the old ferry?", "Two men moved it, in 1905."),
    ("", "A sentence."),
    ("The man is not running", "The man is running in the park " * 9),
]


def filled(shape: tuple[int, ...], seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype("float32") / 2


def inputs() -> dict[str, np.ndarray]:
    """Six pairs with 0 to 8 and 0 to 5 words; padding behind."""
    ids = np.random.default_rng(0).integers(1, CONFIG.vocabulary, (2, 6, 8)).astype("int32")
    real = np.arange(8) < np.array([[8, 3, 0, 1, 5, 8], [5, 1, 4, 0, 2, 3]])[:, :, None]
    left, right = np.where(real, ids, 0)
    return {"left": left, "right": right[:, :5], "features": filled((6, 2), 1)}


def network_of_fixed_weights(train_vectors: bool = False) -> keras.Model:
    network = build_network(replace(CONFIG, train_vectors=train_vectors))
    network.set_weights([filled(w.shape, seed) for seed, w in enumerate(network.get_weights())])
    return network


def of_layers() -> Iterator[tuple[str, object]]:
    """What the layers of the ABCNN give for fixed sentences, masks and weights."""
    batch = inputs()
    left, right = filled((6, 8, 4), 2), filled((6, 5, 4), 3)
    left_mask, right_mask = batch["left"] != 0, batch["right"] != 0
    for match_score in WEIGHTLESS:
        attention = layers.AttentionMatrix(match_score)(left, right, left_mask, right_mask)
        yield f"attention {match_score}", attention
    feature_map = layers.AttentionFeatureMap(4, 8, share_weights=False)
    feature_map.build(attention.shape)
    feature_map.set_weights([filled(w.shape, 4) for w in feature_map.get_weights()])
    yield from zip(("left map", "right map"), feature_map(attention), strict=True)
    convolution = layers.WideConvolution(3, 3)
    convolution.build(left.shape)
    convolution.set_weights([filled(w.shape, 5) for w in convolution.get_weights()])
    phrases = convolution(left, left_mask)
    weights = filled((6, 10), 6) ** 2
    yield "convolution", phrases
    yield "windows", layers.WindowPooling(3)(phrases, weights)
    yield "all", layers.AllPooling()(phrases, weights, layers.phrase_mask(left_mask, 3))
    yield "scores", layers.SimilarityScores(("cosine", "euclidean", "dot"))(left[:, 0], right[:, 0])
    yield "comparison", layers.ElementwiseComparison()(left[:, 0], right[:, 0])


def of_a_training_step() -> Iterator[tuple[str, object]]:
    """Logits before, and loss and all weights after, one step on a batch.

    Figures of a network whose word vectors are trained too have names with "trained vectors".
    """
    targets = np.stack([LABELS, GROUPS], axis=1).astype("float32")
    for optimizer, train_vectors in (("sgd", False), ("adam", False), ("adam", True)):
        name = f"{optimizer}, trained vectors" if train_vectors else optimizer
        network = network_of_fixed_weights(train_vectors)
        yield f"{name}: logits", network.predict_on_batch(inputs())
        network.compile(optimizer=optimizer, loss=LOSSES["pointwise"])
        yield f"{name}: loss", np.array(network.train_on_batch(inputs(), targets))
        for index, weight in enumerate(network.get_weights()):
            yield f"{name}: weight {index}", weight


def figures(bundle: str) -> Iterator[tuple[str, object]]:
    yield from of_layers()
    yield from of_a_training_step()
    yield "bundle: probabilities", abcnn.load(bundle, engine="keras").predict(PAIRS).probabilities


if __name__ == "__main__":
    arrays = {name: np.asarray(ops.convert_to_numpy(value)) for name, value in figures(sys.argv[1])}
    with Path(sys.argv[2]).open("wb") as file:
        np.savez(file, backend=np.array(keras.backend.backend()), **arrays)
