"""Inputs that are read more than once."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from os import PathLike
from pathlib import Path

from abcnn.errors import InputError


def can_be_read_twice(file: str | PathLike[str]) -> bool:
    """Whether a look at its beginning takes nothing away: not so of `-`, pipes and terminals."""
    path = Path(file)
    return str(file) != "-" and not (path.is_fifo() or path.is_char_device())


@contextmanager
def rereadable(file: str | PathLike[str]) -> Iterator[str | PathLike[str]]:
    """A file that can be read twice: itself, or a copy of the standard input or of a pipe."""
    if can_be_read_twice(file):
        yield file
        return
    name = "<stdin>" if str(file) == "-" else str(file)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / Path(name).name  # Its suffix may tell the format.
        try:
            with copy.open("wb") as spool, ExitStack() as stack:
                pipe = sys.stdin.buffer
                if str(file) != "-":
                    pipe = stack.enter_context(Path(file).open("rb"))
                shutil.copyfileobj(pipe, spool)
        except OSError as error:
            raise InputError(
                f"{name}: cannot be copied to {folder} for a second reading: {error.strerror}"
            ) from error
        try:
            yield copy
        except InputError as error:
            raise InputError(str(error).replace(str(copy), name)) from error
