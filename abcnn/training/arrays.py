"""Arrays that grow row by row, in memory or in files."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from abcnn.errors import InputError


@dataclass(frozen=True)
class ArrayStore:
    """Where growing arrays lie: in memory, or in the folder `folder`, from where they are mapped.

    A mapped array takes as much memory as is being read of it.
    """

    folder: Path | None = None

    def new(self, name: str, dtype: str, shape: tuple[int, ...] = ()) -> GrowingArray:
        """An array without rows, each of which will have the shape `shape`."""
        file = None if self.folder is None else self.folder / f"{name}.bin"
        return GrowingArray(np.dtype(dtype), shape, file)


@dataclass
class GrowingArray:
    """Rows appended one part after the other, then read as one array.

    Raises InputError when the disk cannot take them.
    """

    dtype: np.dtype
    shape: tuple[int, ...]
    file: Path | None
    _parts: list[np.ndarray] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._write(b"", "wb")

    def append(self, rows: np.ndarray) -> None:
        """Add rows, `(count, *shape)`."""
        part = np.ascontiguousarray(rows, self.dtype)
        if self.file is None:
            self._parts.append(part)
        else:
            self._write(part.tobytes(), "ab")

    def finish(self) -> np.ndarray:
        """All rows, `(rows, *shape)`."""
        empty = np.zeros((0, *self.shape), self.dtype)
        if self.file is None:
            return np.concatenate([empty, *self._parts])
        if not self.file.stat().st_size:
            return empty
        return np.memmap(self.file, self.dtype, "r").reshape(-1, *self.shape)

    def _write(self, data: bytes, mode: str) -> None:
        if self.file is None:
            return
        try:
            with self.file.open(mode) as stream:
                stream.write(data)
        except OSError as error:
            raise InputError(f"{self.file}: cannot be written: {error.strerror}") from error
