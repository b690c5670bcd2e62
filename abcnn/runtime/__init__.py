"""Scoring without Keras: a trained network's constants folded, its loops compiled.

The Keras model stays the reference; `tests/runtime` holds this package to it.
"""

from abcnn.runtime.encoding import FastEncoder, encodable
from abcnn.runtime.folding import FoldedNetwork, fold, foldable, weight_shapes
from abcnn.runtime.scoring import logits

__all__ = [
    "FastEncoder",
    "FoldedNetwork",
    "encodable",
    "fold",
    "foldable",
    "logits",
    "weight_shapes",
]
