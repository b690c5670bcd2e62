"""Numbers that grow in Python and are read as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


class Column:
    """Numbers that are added and read as an array."""

    def __init__(self, dtype: type, *first: int) -> None:
        self._values: np.ndarray = np.array(first, dtype)
        self._size = len(first)

    def extend(self, values: Sequence[Any] | np.ndarray) -> None:
        if (needed := self._size + len(values)) > len(self._values):
            self._values = np.resize(self._values, 2 * needed)
        self._values[self._size : needed] = values
        self._size = needed

    @property
    def array(self) -> np.ndarray:
        return self._values[: self._size]
