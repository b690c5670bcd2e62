"""Word vectors in fewer bytes, and looked up as float32."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

PACKINGS = ("float32", "float16", "int8")
_LARGEST = 127


@dataclass(frozen=True, eq=False)
class PackedVectors:
    """Vectors `(vocabulary, dim)` as they are stored, and for int8 what each row is multiplied by.

    `vectors[ids]`, integers of any shape, are float32 `(..., dim)`.
    """

    rows: np.ndarray
    scale: np.ndarray | None = None

    def __getitem__(self, ids: np.ndarray) -> np.ndarray:
        found: np.ndarray = self.rows[ids].astype(np.float32)
        if self.scale is not None:
            found *= self.scale[ids][..., None]
        return found


def pack_vectors(vectors: np.ndarray, packing: str) -> PackedVectors:
    """Vectors float32 `(vocabulary, dim)` as one of `PACKINGS`.

    int8 rounds each row to whole numbers of 1/127 of its largest entry; a row of zeros stays zero.

    Raises ValueError for another packing.
    """
    if packing not in PACKINGS:
        raise ValueError(f"`packing` must be one of {', '.join(PACKINGS)}. Received: {packing!r}")
    if packing != "int8":
        return PackedVectors(np.asarray(vectors, packing))
    largest = np.abs(vectors).max(axis=1, initial=0)
    scale = np.where(largest > 0, largest, 1).astype(np.float32) / np.float32(_LARGEST)
    rows = np.rint(vectors / scale[:, None]).clip(-_LARGEST, _LARGEST).astype(np.int8)
    return PackedVectors(rows, scale)
