"""What is searched: a range or some choices of each option, by the task, the model, the user."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from abcnn.errors import InputError
from abcnn.network_config import ATTENTIONS, MODEL_OPTIONS
from abcnn.search.values import NUMBERS, SEARCHABLE, WHOLE, text_of, value_of
from abcnn.tasks import Task
from abcnn.training.options import TrainingOptions

_DROPOUTS = ("0.0", "0.1", "0.2", "0.3", "0.5")
_MATCH_SCORES = ("euclidean", "cosine", "scaled_dot", "bilinear")
# What models other than these do with a match score: nothing.
_ATTENDING = (*(model for model, kinds in ATTENTIONS.items() if any(kinds)), "attentive-rnn")
# Each allows some values of the other only: a trial, and not the space, finds out.
_TOGETHER = ("hidden_dim", "heads")


@dataclass(frozen=True)
class Range:
    """All numbers from `low` to `high`, both included, or the whole ones; with `log` each factor
    is as likely, instead of each difference."""

    low: float
    high: float
    log: bool = False
    whole: bool = False

    def __str__(self) -> str:
        return f"{self.low}..{self.high}{':log' if self.log else ''}"


@dataclass(frozen=True)
class Choices:
    """Some values, without an order, as they are written on the command line."""

    values: tuple[str, ...]

    def __str__(self) -> str:
        return "|".join(self.values)


Dimension = Range | Choices


def parse_dimension(spec: str) -> tuple[str, Dimension]:
    """The option that `NAME=low..high`, `NAME=low..high:log` or `NAME=a|b|c` names, and its values.

    Raises InputError, which says what was expected and what was received.
    """
    name, equals, text = spec.partition("=")
    name = name.strip().replace("-", "_")
    if not equals:
        raise _bad("NAME=low..high, NAME=low..high:log or NAME=a|b|c", spec)
    if name not in SEARCHABLE:
        raise _bad(f"NAME=... with a NAME among {', '.join(SEARCHABLE)}", spec)
    if ".." in text and "|" not in text:
        return name, _range(name, text, spec)
    if "|" not in text:
        raise _bad(f"{name}=a|b|c{f' or {name}=low..high' if name in NUMBERS else ''}", spec)
    try:
        values = tuple(text_of(value_of(name, one.strip())) for one in text.split("|"))
    except ValueError as error:
        raise _bad(f"{name}=a|b|c, each of them {error}", spec) from None
    if len(set(values)) < len(values):
        raise _bad(f"{name}=a|b|c, each of them once", spec)
    return name, Choices(values)


def _range(name: str, text: str, spec: str) -> Range:
    if name not in NUMBERS:
        raise _bad(f"{name}=a|b|c: a range is of numbers", spec)
    bounds, _, scale = text.partition(":")
    low_text, _, high_text = bounds.partition("..")
    try:
        low, high = (value_of(name, bound.strip()) for bound in (low_text, high_text))
    except ValueError as error:
        raise _bad(f"{name}=low..high, both of them {error}", spec) from None
    if isinstance(low, tuple) or isinstance(high, tuple):
        raise _bad(f"{name}=low..high, both of them a whole number", spec)
    if scale not in ("", "log"):
        raise _bad(f"{name}=low..high or {name}=low..high:log", spec)
    if not low < high:
        raise _bad(f"{name}=low..high with low below high", spec)
    if scale and low <= 0:
        raise _bad(f"{name}=low..high:log with low above 0", spec)
    return Range(low, high, log=bool(scale), whole=name in WHOLE)


def _bad(expected: str, spec: str) -> InputError:
    return InputError(f"`--search` must be {expected}. Received: {spec!r}")


def search_space(
    task: Task, options: TrainingOptions, fixed: Collection[str] = (), asked: Sequence[str] = ()
) -> dict[str, Dimension]:
    """The dimensions by option: those that the model reads, without the `fixed`, with the `asked`.

    `options` are where the search starts, with the task's defaults filled in; `asked` are as for
    `parse_dimension`, and take the place of those of the task and model. Raises InputError for one
    that is fixed as well, that the model does not read, or that has values which no trial may
    have; and when nothing is left to search.
    """
    wanted: dict[str, Dimension] = {}
    for spec in asked:
        name, dimension = parse_dimension(spec)
        if name in fixed:
            raise InputError(
                f"`{name}` must be given or searched. Received: both, with `--search {spec}`"
            )
        if name in wanted:
            raise InputError(f"`--search` must name an option once. Received: {name} again")
        for value in _ends(name, dimension):
            if name not in _TOGETHER or name not in MODEL_OPTIONS[options.model]:
                replace(options, **{name: value}).for_task(task)
        wanted[name] = dimension
    space = {
        name: dimension
        for name, dimension in default_space(task, options).items()
        if name not in fixed
    } | wanted
    if not space:
        raise InputError(
            "`--search` must name what to search, since all that usually is was given. "
            "Received: none"
        )
    return space


def default_space(task: Task, options: TrainingOptions) -> dict[str, Dimension]:
    """What is worth searching for a task and the model of `options`, around their values.

    `options` have the task's defaults filled in. Only options that the model reads, and choices
    that go with the other options, are in it.
    """
    rate = options.learning_rate or task.learning_rate
    # Without a decay to start from, that of `TrainingOptions`.
    decay = options.l2 or TrainingOptions.l2
    some: dict[str, Dimension] = {
        "learning_rate": Range(_short(rate / 10), _short(rate * 4), log=True),
        "l2": Range(_short(decay / 10), _short(decay * 10), log=True),
        "vector_dropout": Choices(_DROPOUTS),
        "score_dropout": Choices(_DROPOUTS),
        "word_dropout": Choices(("0.0", "0.1", "0.2")),
        "loss": Choices(task.losses),
    }
    read: dict[str, Dimension] = {
        "conv_layers": _whole(1, 2, options.conv_layers),
        "filters": _whole(20, 100, options.filters, log=True),
        "match_score": Choices(_MATCH_SCORES),
        "comparison": Choices(("none", "difference", "product", "difference,product")),
        "hidden_dim": Choices(("48", "100", "200")),
        "heads": Choices(("1", "2", "4")),
        "depth": _whole(1, 2, options.depth),
        "cell": Choices(("gru", "lstm")),
        "both_directions": Choices(("false", "true")),
    }
    if isinstance(options.width, int):  # Several widths are the user's idea, and stay.
        read["width"] = _whole(2, 5, options.width)
    if options.model not in _ATTENDING:
        del read["match_score"]
    some |= {name: one for name, one in read.items() if name in MODEL_OPTIONS[options.model]}
    possible = {name: _possible(name, one, task, options) for name, one in some.items()}
    return {name: one for name, one in possible.items() if one is not None}


def _whole(low: int, high: int, start: int, *, log: bool = False) -> Range:
    return Range(min(low, start), max(high, start), log=log, whole=True)


def _possible(
    name: str, dimension: Dimension, task: Task, options: TrainingOptions
) -> Dimension | None:
    """The dimension with the start among its choices, without those that do not go with the other
    options; None when nothing is left to choose."""
    if isinstance(dimension, Range):
        return dimension
    start = text_of(getattr(options, name))
    found = [text for text in dimension.values if _fits(name, text, task, options)]
    if start not in found:
        found.insert(0, start)
    return Choices(tuple(found)) if len(found) > 1 else None


def _fits(name: str, text: str, task: Task, options: TrainingOptions) -> bool:
    try:
        replace(options, **{name: value_of(name, text)}).for_task(task)
    except InputError:
        return False
    return True


def _ends(name: str, dimension: Dimension) -> Iterable[Any]:
    """The values that tell whether all are allowed."""
    if isinstance(dimension, Choices):
        return [value_of(name, text) for text in dimension.values]
    return dimension.low, dimension.high


def drawn_values(
    space: Mapping[str, Dimension], drawn: Mapping[str, float | str]
) -> dict[str, Any]:
    """The options that numbers and texts out of the space stand for.

    Numbers have three significant digits, so that a command line can be read.
    """
    return {name: _drawn_value(name, space[name], one) for name, one in drawn.items()}


def _drawn_value(name: str, dimension: Dimension, drawn: float | str) -> Any:
    if isinstance(dimension, Choices):
        return value_of(name, str(drawn))
    if dimension.whole:
        return int(drawn)
    return min(max(_short(float(drawn)), dimension.low), dimension.high)


def start_of(space: Mapping[str, Dimension], options: TrainingOptions) -> dict[str, float | str]:
    """Where in the space the options lie, without what lies outside it."""
    start: dict[str, float | str] = {}
    for name, dimension in space.items():
        value = getattr(options, name)
        if isinstance(dimension, Choices):
            if (text := text_of(value)) in dimension.values:
                start[name] = text
        elif isinstance(value, int | float) and dimension.low <= value <= dimension.high:
            start[name] = value
    return start


def _short(number: float) -> float:
    return float(f"{number:.3g}")
