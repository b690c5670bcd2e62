"""Vectors of `LANES` floats as values of compiled functions: what a loop computes at a time.

Left to itself, LLVM chooses for each loop how many lanes and how many vectors it takes at a time,
with a scalar loop for what is left over; over rows as short as ours that is most of the work. In a
compiled function `load` and `splat` make a vector, `+ - * /` reckon with vectors, and with scalars
of float32, lane by lane.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, lower_builtin, models, register_model, type_callable

LANES = 8
"""Floats in a vector register of AVX2; wider registers are used in half, narrower ones twice."""

_intrinsic: Any = intrinsic  # As Numba types it, callers would have to give the context.

_FLOAT, _INDEX = ir.FloatType(), ir.IntType(32)
_VECTOR = ir.VectorType(_FLOAT, LANES)


class _Lanes(types.Type):
    def __init__(self) -> None:
        super().__init__(name=f"float32x{LANES}")


_LANES = _Lanes()


@register_model(_Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _VECTOR)


def _splat(builder: Any, value: Any) -> Any:
    if value.type == _VECTOR:
        return value
    one = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), value, _INDEX(0))
    return _shuffle(builder, one, one, [0] * LANES)


def _shuffle(builder: Any, one: Any, other: Any, lanes: list[int]) -> Any:
    mask = ir.Constant(ir.VectorType(_INDEX, len(lanes)), lanes)
    return builder.shuffle_vector(one, other, mask)


def _known(*operands: Any) -> bool:
    return _LANES in operands and set(operands) <= {_LANES, types.float32}


def _operator(function: Callable[..., Any], instruction: str) -> None:
    @type_callable(function)
    def type_operator(context: Any) -> Callable[..., Any]:  # noqa: ARG001
        return lambda one, other: _LANES if _known(one, other) else None

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        one, other = (_splat(builder, argument) for argument in arguments)
        return getattr(builder, instruction)(one, other)

    for kinds in ((_LANES, _LANES), (_LANES, types.float32), (types.float32, _LANES)):
        lower_builtin(function, *kinds)(generate)


_operator(operator.add, "fadd")
_operator(operator.iadd, "fadd")
_operator(operator.sub, "fsub")
_operator(operator.mul, "fmul")
_operator(operator.imul, "fmul")
_operator(operator.truediv, "fdiv")


def _place(context: Any, builder: Any, kind: Any, array: Any, start: Any, lanes: int) -> Any:
    data = context.make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [start]), ir.VectorType(_FLOAT, lanes).as_pointer())


@_intrinsic
def load(context: Any, array: Any, start: Any) -> Any:  # noqa: ARG001
    """The floats of a contiguous array of one axis from `start` on."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, start = arguments
        place = _place(context, builder, signature.args[0], array, start, LANES)
        return builder.load(place, align=4)

    return _LANES(array, types.intp), generate


@_intrinsic
def store(context: Any, array: Any, start: Any, vector: Any) -> Any:  # noqa: ARG001
    """Write a vector over the floats of an array from `start` on."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, start, vector = arguments
        place = _place(context, builder, signature.args[0], array, start, LANES)
        builder.store(vector, place, align=4)
        return context.get_dummy_value()

    return types.void(array, types.intp, _LANES), generate


@_intrinsic
def splat(context: Any, value: Any) -> Any:  # noqa: ARG001
    """A number in every lane."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        return _splat(builder, arguments[0])

    return _LANES(types.float32), generate


@_intrinsic
def root(context: Any, vector: Any) -> Any:  # noqa: ARG001
    """The square root of each lane."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        kind = ir.FunctionType(_VECTOR, [_VECTOR])
        function = cgutils.get_or_insert_function(builder.module, kind, f"llvm.sqrt.v{LANES}f32")
        return builder.call(function, arguments)

    return _LANES(_LANES), generate


@_intrinsic
def where_greater(context: Any, one: Any, other: Any, then: Any, otherwise: Any) -> Any:  # noqa: ARG001
    """`then` in the lanes where `one > other`, else `otherwise`."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        one, other, then, otherwise = (_splat(builder, argument) for argument in arguments)
        return builder.select(builder.fcmp_ordered(">", one, other), then, otherwise)

    return _LANES(one, other, then, otherwise), generate


@_intrinsic
def any_greater(context: Any, one: Any, other: Any) -> Any:  # noqa: ARG001
    """Whether `one > other` in any lane."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        bits = ir.IntType(LANES)
        found = builder.bitcast(builder.fcmp_ordered(">", *arguments), bits)
        return builder.icmp_unsigned("!=", found, bits(0))

    return types.boolean(_LANES, _LANES), generate


def _halved(builder: Any, one: Any, other: Any, width: int) -> Any:
    """The sums of neighbouring runs of `width` lanes, those of one vector beside the other's.

    Within four lanes of a register, where exchanging lanes is cheap.
    """
    runs = range(0, LANES, 2 * width)
    lanes = [lane + k + side for lane in runs for side in (0, LANES) for k in range(width)]
    return builder.fadd(
        _shuffle(builder, one, other, lanes),
        _shuffle(builder, one, other, [lane + width for lane in lanes]),
    )


@_intrinsic
def store_totals(context: Any, array: Any, start: Any, a: Any, b: Any, c: Any, d: Any) -> Any:  # noqa: ARG001
    """Write the sums of the lanes of four vectors over four floats of an array."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, start, a, b, c, d = arguments
        pairs = _halved(builder, a, b, 1), _halved(builder, c, d, 1)
        fours = _halved(builder, *pairs, 2)
        while fours.type.count > 4:
            half = fours.type.count // 2
            low, high = list(range(half)), list(range(half, 2 * half))
            fours = builder.fadd(*(_shuffle(builder, fours, fours, lanes) for lanes in (low, high)))
        place = _place(context, builder, signature.args[0], array, start, 4)
        builder.store(fours, place, align=4)
        return context.get_dummy_value()

    return types.void(array, types.intp, _LANES, _LANES, _LANES, _LANES), generate


@_intrinsic
def total(context: Any, vector: Any) -> Any:  # noqa: ARG001
    """The sum of the lanes."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        [vector] = arguments
        while vector.type.count > 1:
            half = vector.type.count // 2
            low, high = list(range(half)), list(range(half, 2 * half))
            vector = builder.fadd(
                *(_shuffle(builder, vector, vector, lanes) for lanes in (low, high))
            )
        return builder.extract_element(vector, _INDEX(0))

    return types.float32(_LANES), generate


@_intrinsic
def first(context: Any, vector: Any) -> Any:  # noqa: ARG001
    """The first lane."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        return builder.extract_element(arguments[0], _INDEX(0))

    return types.float32(_LANES), generate
