"""Values of training options as text, and back: one spelling each, that of the command line."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from abcnn.training.options import TrainingOptions

# What would make the dev measures of two trials figures of different things, or chance of them,
# or leaves them as they are.
_NEVER = ("model", "seed", "dev_share", "grade_range", "teacher_weight", "train_on_dev")


def _number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def _truth(text: str) -> bool:
    return {"true": True, "false": False}[text]


def _names(text: str) -> tuple[str, ...]:
    return () if text == "none" else tuple(text.split(","))


def _widths(text: str) -> int | tuple[int, ...]:
    one, *others = map(int, text.split(","))
    return (one, *others) if others else one


# By how the type is written, of which a ` | None` for the default is left out.
_KINDS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "int": ("a whole number", int),
    "float": ("a number", _number),
    "bool": ("true or false", _truth),
    "str": ("a word", str),
    "tuple[str, ...]": ("names divided by commas, or none", _names),
    "int | tuple[int, ...]": ("one number or several divided by commas", _widths),
}
_KIND_OF = {
    field.name: str(field.type).removesuffix(" | None")
    for field in fields(TrainingOptions)
    if field.name not in _NEVER
}

SEARCHABLE = tuple(_KIND_OF)
"""The training options that may be searched."""
WHOLE = frozenset(name for name, kind in _KIND_OF.items() if kind.startswith("int"))
"""Those that are whole numbers."""
NUMBERS = WHOLE | {name for name, kind in _KIND_OF.items() if kind == "float"}
"""Those that are numbers, and so may lie in a range."""


def value_of(name: str, text: str) -> Any:
    """The value of the option `name` that a text stands for.

    Raises ValueError, whose message says what was expected, for a text that stands for none.
    """
    expected, parse = _KINDS[_KIND_OF[name]]
    try:
        return parse(text)
    except (ValueError, KeyError):
        raise ValueError(expected) from None


def text_of(value: Any) -> str:
    """The text that stands for a value of an option: `value_of` gives it back."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple | list):
        return ",".join(map(str, value)) or "none"
    return str(value)
