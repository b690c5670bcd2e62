"""Attention-based convolutional networks for pairs of sentences.

`abcnn.load(folder)` gives a trained `Matcher`; `abcnn.layers` holds the Keras layers. Importing
this package is quick: it does not import Keras, and what needs Keras is imported when first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from wrapt import when_imported

from abcnn.pairs import Pair, PairBatch

if TYPE_CHECKING:
    from abcnn.estimators import PairClassifier, PairRanker, PairRegressor
    from abcnn.scoring.matcher import Matcher, load
    from abcnn.scoring.pair_scorer import PairScorer

__all__ = [
    "Matcher",
    "Pair",
    "PairBatch",
    "PairClassifier",
    "PairRanker",
    "PairRegressor",
    "PairScorer",
    "load",
]

_LAZY = {
    "Matcher": "abcnn.scoring.matcher",
    "PairClassifier": "abcnn.estimators",
    "PairRanker": "abcnn.estimators",
    "PairRegressor": "abcnn.estimators",
    "PairScorer": "abcnn.scoring.pair_scorer",
    "load": "abcnn.scoring.matcher",
}


@when_imported("keras")
def _register_layers(_: Any) -> None:
    """Register the layers with Keras once it is there, so that it can load saved models."""
    import_module("abcnn.layers")


# Only after the layers, which the models are made of, are there as a whole.
@when_imported("abcnn.layers")
def _register_models(_: Any) -> None:
    """Register the models' block and the head too, so that Keras can load a bundle's network."""
    import_module("abcnn.models")
    import_module("abcnn.heads")


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'abcnn' has no attribute {name!r}")
