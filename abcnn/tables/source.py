"""Bytes to read: a file or stdin, gzip or not, with its first bytes open to inspection."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from os import PathLike
from pathlib import Path
from typing import IO, cast

from abcnn.errors import InputError

HEAD_BYTES = 1 << 18
_BLOCK_BYTES = 1 << 20
_GZIP_MAGIC = b"\x1f\x8b\x08"
_HTML_STARTS = (b"<!doctype html", b"<html")


class Source:
    """The unpacked bytes of a file or of stdin, read once from front to back.

    `name` stands in error messages; `head` holds the first `HEAD_BYTES` (fewer only when there are
    no more), which `read` gives again. `path` is the file to open when random access is needed,
    None for what cannot seek (a pipe, gzip).

    Raises InputError when gzip data is cut short or damaged, or the device fails.
    """

    def __init__(self, name: str, stream: IO[bytes], path: Path | None = None) -> None:
        self.name = name
        self.path = path
        self._stream = stream
        self.head = self._read(HEAD_BYTES)
        self._again = io.BytesIO(self.head)

    def read(self, size: int = _BLOCK_BYTES) -> bytes:
        """The next bytes, at most `size`; empty at the end."""
        return self._again.read(size) or self._read(size)

    def _read(self, size: int) -> bytes:
        with _failures(self.name):
            return self._stream.read(size)

    def refuse_html(self) -> None:
        """Raise InputError when the bytes are a web page, as a failed download leaves them."""
        if self.head.lstrip(b"\xef\xbb\xbf \t\r\n")[:14].lower().startswith(_HTML_STARTS):
            raise InputError(
                f"{self.name}: expected a table. Received: a web page (HTML); download it again"
            )


class _Rewound(io.RawIOBase):
    """A stream whose first bytes were taken to look at them, from the start again."""

    def __init__(self, head: bytes, rest: IO[bytes]) -> None:
        self._head = head
        self._rest = rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self._head[: len(buffer)] or self._rest.read(len(buffer))
        self._head = self._head[len(buffer) :]
        buffer[: len(data)] = data
        return len(data)


@contextmanager
def open_source(path: str | PathLike[str]) -> Iterator[Source]:
    """The bytes of the file `path`, or of stdin for `-`.

    Gzip is recognised from its first bytes, whatever the name. Raises InputError when there is no
    such file, it is a folder, or it cannot be read.
    """
    name = str(path)
    with ExitStack() as stack:
        if name == "-":
            name, raw, file = "<stdin>", sys.stdin.buffer, None
        else:
            raw, file = stack.enter_context(_open_file(name)), Path(name)
        # A pipe cannot seek back, so the bytes looked at are put in front again.
        with _failures(name):
            magic = raw.read(len(_GZIP_MAGIC))
        stream: IO[bytes] = io.BufferedReader(_Rewound(magic, raw), _BLOCK_BYTES)
        if magic == _GZIP_MAGIC:
            stream, file = cast(IO[bytes], gzip.GzipFile(fileobj=stream)), None
        elif file is not None and not file.is_file():
            file = None
        yield Source(name, stream, file)


def _open_file(name: str) -> IO[bytes]:
    path = Path(name)
    with _failures(name):
        if path.is_dir():
            raise InputError(f"{name}: expected a file. Received: a folder")
        return path.open("rb")


@contextmanager
def _failures(name: str) -> Iterator[None]:
    """Whatever keeps bytes from being read, as an InputError that names the file."""
    try:
        yield
    except FileNotFoundError:
        raise InputError(f"{name}: there is no such file") from None
    except EOFError:
        raise InputError(f"{name}: the gzip data is cut short") from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise InputError(f"{name}: the gzip data is damaged ({error})") from None
    except OSError as error:
        raise InputError(f"{name}: cannot be read: {error.strerror or error}") from None
