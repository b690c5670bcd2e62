"""Scoring without Keras.

A trained network's constants folded, its loops compiled: what `Matcher` uses. For exported models
(`load`), the network in NumPy alone or in ONNX Runtime. The Keras model stays the reference;
`tests/runtime` and `tests/export` hold this package to it.

What is compiled is imported when it is first used: an exported model needs no Numba.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from os import PathLike

    from abcnn.export.scorer import ExportedScorer
    from abcnn.runtime.encoding import FastEncoder, encodable
    from abcnn.runtime.folding import (
        FoldedNetwork,
        fold,
        fold_members,
        foldable,
        weight_shapes,
    )
    from abcnn.runtime.scoring import logits

__all__ = [
    "FastEncoder",
    "FoldedNetwork",
    "encodable",
    "fold",
    "fold_members",
    "foldable",
    "load",
    "logits",
    "weight_shapes",
]

_LAZY = {
    "FastEncoder": "abcnn.runtime.encoding",
    "FoldedNetwork": "abcnn.runtime.folding",
    "encodable": "abcnn.runtime.encoding",
    "fold": "abcnn.runtime.folding",
    "fold_members": "abcnn.runtime.folding",
    "foldable": "abcnn.runtime.folding",
    "logits": "abcnn.runtime.scoring",
    "weight_shapes": "abcnn.runtime.folding",
}


def load(folder: str | PathLike[str]) -> ExportedScorer:
    """The scorer of a model that was exported as `numpy` or `onnx`, see `abcnn.export`.

    Raises BundleError for a folder that is none, is cut or changed, or is of another format.
    """
    from abcnn.export.scorer import load_exported

    return load_exported(folder)


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'abcnn.runtime' has no attribute {name!r}")
