"""Scoring raw text with an exported model, without Keras and TensorFlow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from abcnn.bundle.folder import matcher_of, read_config, read_weights
from abcnn.errors import BundleError
from abcnn.pairs import Pair, PairBatch
from abcnn.runtime.numpy_network import Network, NumpyNetwork
from abcnn.runtime.onnx_network import OnnxNetwork
from abcnn.runtime.packed_vectors import PackedVectors
from abcnn.scoring.matcher import Matcher
from abcnn.scoring.predictions import Predictions, mean_logits
from abcnn.text.batches import EncodedPairs, mean_of_orders, sorted_batches

VECTORS, SCALE = "vectors/embeddings", "vectors/scale"
ONNX_FILE = "model.onnx"


@dataclass(frozen=True, eq=False)
class MeanNetwork:
    """`network(inputs)`: the mean logits of the networks of an ensemble, or of a single one."""

    members: tuple[Network, ...]

    def __call__(self, inputs: Mapping[str, np.ndarray]) -> np.ndarray:
        return mean_logits([network(inputs) for network in self.members])


@dataclass(frozen=True)
class ExportedScorer:
    """An exported model: tokeniser, vocabulary, features, threshold and calibration of the bundle.

    `network` computes the logits; `matcher` has no weights, and says all the rest.
    """

    matcher: Matcher
    network: Network = field(repr=False)

    def predict(
        self, pairs: PairBatch | Iterable[Pair | tuple[str, str]], batch_size: int = 256
    ) -> Predictions:
        """Score pairs: a `PairBatch`, `Pair`s or `(left, right)` tuples; may be empty."""
        batch = pairs if isinstance(pairs, PairBatch) else PairBatch.of(pairs)
        encoded = self.matcher.encoder(batch.left, batch.right)
        return self.matcher.decide(self.logits(encoded, batch_size))

    def logits(self, pairs: EncodedPairs, batch_size: int = 256) -> np.ndarray:
        """The network's logits of encoded pairs, in batches of like lengths: `(pairs, outputs)`."""

        def of_one_order(pairs: EncodedPairs) -> np.ndarray:
            logits = np.zeros((len(pairs), self.matcher.config.outputs), np.float32)
            for indices in sorted_batches(pairs, batch_size):
                inputs = pairs.inputs(indices, self.matcher.encoder.max_length)
                logits[indices] = self.network(inputs)
            return logits

        return mean_of_orders(of_one_order, pairs)


def load_exported(folder: str | PathLike[str]) -> ExportedScorer:
    """Load what `abcnn export` wrote as `numpy` or `onnx`.

    Raises BundleError for a folder that is none, is cut or changed, or is of another format;
    MissingExtraError for `onnx` without ONNX Runtime.
    """
    config = read_config(folder, exported=True)
    matcher = matcher_of(Path(folder), config, {})
    return ExportedScorer(matcher, _network(Path(folder), config, matcher))


def _network(folder: Path, config: dict[str, Any], matcher: Matcher) -> Network:
    kind = config["export"]["format"]
    if kind == "onnx":
        return OnnxNetwork(folder / ONNX_FILE)
    if kind == "numpy":
        members = []
        for weights in read_weights(folder, config.get("members", 1)):
            vectors = PackedVectors(weights.pop(VECTORS), weights.pop(SCALE, None))
            members.append(NumpyNetwork(matcher.config, weights, vectors))
        return MeanNetwork(tuple(members))
    raise BundleError(
        f"{folder}: is of the format {kind}, which its own runtime reads; `abcnn.runtime.load` "
        "reads numpy and onnx"
    )
