"""A network in the form of an ONNX graph, run by ONNX Runtime (extra `onnx`)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from abcnn.errors import BundleError, require


class OnnxNetwork:
    """`network(inputs)`: as `NumpyNetwork`, computed by ONNX Runtime on processors.

    Raises MissingExtraError without ONNX Runtime, BundleError for a file that it cannot read.
    """

    def __init__(self, path: Path) -> None:
        runtime = require("onnxruntime", "onnx")
        try:
            self._session = runtime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        except Exception as error:  # ONNX Runtime has a class for each of its own failures
            line = " ".join(str(error).split())
            raise BundleError(f"{path}: ONNX Runtime cannot read it ({line})") from error
        # An input of no columns is not part of the graph.
        self._inputs = [one.name for one in self._session.get_inputs()]

    def __call__(self, inputs: Mapping[str, np.ndarray]) -> np.ndarray:
        logits: np.ndarray
        [logits] = self._session.run(["logits"], {name: inputs[name] for name in self._inputs})
        return logits
