"""The words on the command line that give a command some values."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

import click


def command_line(command: click.Command, values: Mapping[str, Any]) -> str:
    """`abcnn NAME ...` for a shell, with the values by the names of the command's parameters.

    A value is what the parameter takes, text or number; of a list, each item where the option may
    be given again, and otherwise all divided by commas (`none` when there are none); None leaves
    the option out.
    """
    words = [word for one in command.params for word in _words(one, values.get(one.name or ""))]
    return shlex.join(["abcnn", command.name or "", *words])


def _words(parameter: click.Parameter, value: Any) -> Iterator[str]:
    if value is None:
        return
    if not isinstance(parameter, click.Option):
        yield str(value)
    elif isinstance(value, bool):
        yield from (parameter.opts if value else parameter.secondary_opts)[:1]
    elif parameter.multiple:
        for item in value:
            yield from _given(parameter.opts[0], str(item))
    elif isinstance(value, tuple | list):
        yield from _given(parameter.opts[0], ",".join(map(str, value)) or "none")
    else:
        yield from _given(parameter.opts[0], str(value))


def _given(flag: str, text: str) -> list[str]:
    # A text such as -1,5 would be taken for an option.
    return [f"{flag}={text}"] if text.startswith("-") and text != "-" else [flag, text]
