"""Writing a file so that it is there whole or not at all."""

from __future__ import annotations

import io
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path
from typing import IO

from abcnn.errors import InputError, OutputError


@contextmanager
def whole_file(
    path: str | PathLike[str], part: str | PathLike[str] | None = None
) -> Iterator[IO[bytes]]:
    """A stream for the bytes of the file `path`, or of stdout for `-`.

    The bytes go to the file `part`, by default a temporary name in the same folder, which becomes
    `path` when the block ends. (`part` is on the same disk; what it held before is lost.) When the
    block ends with any exception, Ctrl-C too, the temporary file is removed and what stood at
    `path` before stays. A device or a pipe is written to directly.

    Raises InputError when the folder is missing or cannot be written to, or the disk is full. A
    reader that has left the pipe is no such failure: BrokenPipeError passes through.
    """
    name = str(path)
    if name == "-":
        output = _Output(sys.stdout.buffer, "<stdout>")
        yield output
        output.flush()
        return
    with _failures(name):
        target, place = _places(Path(path), name)
        if part is not None and place != target:
            place = Path(part)
        stream = place.open("wb")
    try:
        yield _Output(stream, name)
        with _failures(name):
            stream.close()
            if place != target:
                place.replace(target)
    except BaseException:
        with suppress(OSError):
            stream.close()  # tries again to write what could not be written
        if place != target:
            place.unlink(missing_ok=True)
        raise


def _places(path: Path, name: str) -> tuple[Path, Path]:
    """The file to write, and where to write until it is whole: for a device, the device."""
    if path.is_dir():
        raise InputError(f"{name}: expected a file to write. Received: a folder")
    if path.exists() and not path.is_file():
        return path, path
    # Through a link, so that the file it leads to is replaced and not the link.
    target = path.resolve()
    if not target.parent.is_dir():
        raise InputError(f"{name}: cannot be written: the folder {target.parent} does not exist")
    return target, target.with_name(f".{secrets.token_hex(8)}.part")


class _Output(io.RawIOBase, IO[bytes]):
    """A binary stream whose failures are InputErrors that name the file."""

    def __init__(self, stream: IO[bytes], name: str) -> None:
        self._stream = stream
        self._name = name

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]
        with _failures(self._name):
            return self._stream.write(data)

    def flush(self) -> None:
        with _failures(self._name):
            self._stream.flush()


@contextmanager
def _failures(name: str) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(f"{name}: cannot be written: {error.strerror or error}") from None
