"""Checks of layer arguments, with the one wording of their errors."""

from __future__ import annotations

from collections.abc import Iterable


def positive_integer(name: str, value: int) -> int:
    """`value`, or ValueError when it is not an integer of at least 1."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError(f"`{name}` must be an integer of at least 1. Received: {value!r}")
    return value


def one_of(name: str, value: str, choices: Iterable[str]) -> str:
    """`value`, or ValueError when it is not among `choices`."""
    if value not in (allowed := list(choices)):
        raise ValueError(f"`{name}` must be one of {', '.join(allowed)}. Received: {value!r}")
    return value


def rank(layer: str, name: str, shape: tuple, expected: int) -> None:
    """ValueError when an input does not have `expected` axes."""
    if len(shape) != expected:
        raise ValueError(f"{layer}: `{name}` must have {expected} axes. Received shape: {shape}")
