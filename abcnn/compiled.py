"""How loops are compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

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


@intrinsic
def prefetch(context: Any, address: Any) -> Any:  # noqa: ARG001
    """Have the memory at an address brought into the processor's second cache, for reading."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        pointer, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
        fetch = builder.module.declare_intrinsic("llvm.prefetch", [pointer], kind)
        place = builder.inttoptr(arguments[0], pointer)
        builder.call(fetch, [place, *(ir.Constant(number, value) for value in (0, 2, 1))])
        return context.get_dummy_value()

    return types.void(types.intp), generate
