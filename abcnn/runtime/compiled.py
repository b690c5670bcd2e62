"""How the loops of this package are compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit

_OPTIONS: dict[str, Any] = {
    "nogil": True,
    # Sums may be ordered for vector registers and products fused into them; NaN stays what it is.
    "fastmath": {"reassoc", "contract", "nsz"},
    # A test for zero before each division would keep it out of vector registers.
    "error_model": "numpy",
}


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function for others that are compiled, which take it into themselves."""
    return njit(**_OPTIONS)(function)


def compiled_entry(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function to be called from Python: compiled on its first call, without Python's lock.

    The machine code is kept beside the module, or in the user's cache folder, for the next process;
    where neither can be written to, each process compiles anew.
    """
    try:
        return njit(cache=True, **_OPTIONS)(function)
    except RuntimeError:  # Numba's word for a cache that has no place.
        return njit(**_OPTIONS)(function)
