"""The state of a training run between two epochs, in one file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import keras
import numpy as np

from abcnn.errors import InputError
from abcnn.tables import whole_file
from abcnn.training.progress import Epoch

State = tuple[np.ndarray, ...]


@dataclass(frozen=True)
class Checkpoint:
    """A run after a whole epoch: what the network and optimiser hold, and the best network so far.

    `fingerprint` says which data and options the run has: another run must not go on from it.
    """

    fingerprint: str
    network: State
    optimizer: State
    best: State
    epochs: tuple[Epoch, ...] = field(default=())

    def save(self, path: Path) -> None:
        """Write all of it, or nothing; InputError when the disk cannot take it."""
        arrays: dict[str, Any] = {}
        for name in ("network", "optimizer", "best"):
            arrays |= {f"{name}/{i}": array for i, array in enumerate(getattr(self, name))}
        about = {
            "fingerprint": self.fingerprint,
            "epochs": [asdict(epoch) for epoch in self.epochs],
        }
        arrays["about"] = np.frombuffer(json.dumps(about).encode(), dtype=np.uint8)
        with whole_file(path) as file:
            np.savez(file, **arrays)

    @classmethod
    def load(cls, path: Path, fingerprint: str) -> Checkpoint:
        """Read a checkpoint; InputError when it is damaged or of another run."""
        try:
            with np.load(path, allow_pickle=False) as arrays:
                about = json.loads(arrays["about"].tobytes())
                states = {name: _state(arrays, name) for name in ("network", "optimizer", "best")}
        except Exception as error:  # whatever zip and npy readers raise for damaged bytes
            raise InputError(
                f"{path}: this is not a whole checkpoint ({error}); start anew with --force"
            ) from error
        if about["fingerprint"] != fingerprint:
            raise InputError(
                f"{path}: belongs to a run with other data or options. To go on with it, give the "
                "same ones; to start anew, --force"
            )
        epochs = tuple(Epoch(**epoch) for epoch in about["epochs"])
        return cls(fingerprint, epochs=epochs, **states)


def _state(arrays: Any, name: str) -> State:
    count = sum(key.startswith(f"{name}/") for key in arrays.files)
    return tuple(arrays[f"{name}/{i}"] for i in range(count))


def variables_of(network: keras.Model) -> list:
    """What training changes in a network: weights that are trained, and states of random layers.

    Frozen word vectors, by far the largest part, are not among them.
    """
    frozen = {
        id(weight)
        for layer in network.layers
        if isinstance(layer, keras.layers.Embedding) and not layer.trainable
        for weight in layer.weights
    }
    return [variable for variable in network.variables if id(variable) not in frozen]


def read_state(variables: Sequence) -> State:
    """The values of some variables."""
    tensors = map(keras.ops.convert_to_tensor, variables)
    return tuple(np.array(keras.ops.convert_to_numpy(tensor)) for tensor in tensors)


def write_state(variables: Sequence, state: State) -> None:
    """Give some variables the values they had."""
    for variable, value in zip(variables, state, strict=True):
        variable.assign(value)
