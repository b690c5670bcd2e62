"""Numbers that grow in Python and are read as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


class Column:
    """Numbers that are added, by `add` or by `extend`, never both, and read as an array."""

    def __init__(self, dtype: type, *first: int) -> None:
        self._values: np.ndarray = np.array(first, dtype)
        self._size = len(first)
        self._new: list[Any] = []
        self.add = self._new.append

    def extend(self, values: Sequence[Any] | np.ndarray) -> None:
        if (needed := self._size + len(values)) > len(self._values):
            self._values = np.resize(self._values, 2 * needed)
        self._values[self._size : needed] = values
        self._size = needed

    @property
    def array(self) -> np.ndarray:
        if self._new:
            self.extend(self._new)
            self._new.clear()
        return self._values[: self._size]
