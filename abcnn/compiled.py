"""How loops are compiled."""

from __future__ import annotations

import hashlib
import inspect
import sys
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

from llvmlite import ir
from numba import njit, types
from numba.core.options import DefaultOptions
from numba.extending import intrinsic

_OPTIONS: dict[str, Any] = {
    "nogil": True,
    # Sums may be ordered for vector registers and products fused into them; NaN stays what it is.
    "fastmath": {"reassoc", "contract", "nsz"},
    # A test for zero before each division would keep it out of vector registers.
    "error_model": "numpy",
}
_REFERENCES = "_nrt"


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function for others that are compiled, which take it into themselves."""
    return njit(**_OPTIONS)(function)


def compiled_borrowing(function: Callable[..., Any]) -> Callable[..., Any]:
    """As `compiled`, of a function that makes no arrays but views, and returns none.

    It counts no references to arrays, as its callers hold them: each view of a row would be two
    atomic instructions more, which in short loops are a tenth of the time. Numba refuses to compile
    one that makes or returns an array.
    """
    # An option of Numba's own, which another version may not have: it would refuse to compile.
    without_references = {_REFERENCES: False} if hasattr(DefaultOptions, _REFERENCES) else {}
    options: dict[str, Any] = {**without_references, **_OPTIONS}
    return njit(**options)(function)


def compiled_entry(*modules: ModuleType) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Functions to be called from Python: compiled on the first call, without Python's lock.

    The machine code is kept beside the module, or in the user's cache folder, for the next process;
    where neither can be written to, each process compiles anew. It is kept for as long as the
    source of the function's module, of this one and of `modules` stays as it is: these are to be
    all others whose functions or constants go into the machine code.
    """

    def compile_entry(function: Callable[..., Any]) -> Callable[..., Any]:
        try:
            return _kept(function, modules)
        # Numba's word for a cache that has no place; a source that is not there to be read; a cache
        # that works otherwise than here, or none.
        except (RuntimeError, OSError, AttributeError):
            return njit(**_OPTIONS)(function)

    return compile_entry


def _kept(function: Callable[..., Any], modules: Iterable[ModuleType]) -> Callable[..., Any]:
    entry: Any = njit(cache=True, **_OPTIONS)(function)
    # Numba has kept machine code only for as long as the file of the function itself is the same.
    file = entry._cache._cache_file
    file._source_stamp = (file._source_stamp, _checksum([sys.modules[__name__], *modules]))
    kept: Callable[..., Any] = entry
    return kept


def _checksum(modules: Iterable[ModuleType]) -> str:
    source = "\0".join(map(inspect.getsource, modules))
    return hashlib.sha256(source.encode()).hexdigest()


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
