"""Bytes to lines of text, strictly decoded, a block at a time."""

from __future__ import annotations

import codecs
import io
from collections import deque
from collections.abc import Iterator

from abcnn.errors import InputError
from abcnn.tables.source import Source

MAX_LINE_CHARACTERS = 1 << 24


class TextReader:
    r"""The text of a source: line by line with 1-based numbers, or as it lies.

    A line ends in LF, CR LF or a lone CR, and nowhere else: not at U+2028 or U+0085, which text
    may hold. Line ends are kept as they are, a byte order mark is left out.

    Raises InputError for a name that is no text encoding, for bytes that are not valid in it, for
    a NUL, and for a line of more than `MAX_LINE_CHARACTERS` (memory would know no bound).
    """

    def __init__(self, source: Source, encoding: str = "utf-8") -> None:
        self.lines = 0  # given so far
        self._name = source.name
        self._blocks = _text_blocks(source, encoding)
        self._whole: deque[str] = deque()
        self._rest = ""

    def __iter__(self) -> Iterator[tuple[int, str]]:
        return self

    def __next__(self) -> tuple[int, str]:
        while not self._whole:
            block = next(self._blocks, "")
            if not block and not self._rest:
                raise StopIteration
            self._hold(self._rest + block, last=not block)
        self.lines += 1
        return self.lines, self._whole.popleft()

    def take(self) -> str:
        """Text that follows the lines given so far, any amount of it; empty at the end."""
        text = "".join(self._whole) + self._rest
        self._whole.clear()
        self._rest = ""
        return text or next(self._blocks, "")

    def give_back(self, text: str, lines: int) -> None:
        """Take text back that was taken last; it begins after `lines` lines."""
        text += self.take() if self._whole or self._rest else ""
        self.lines = lines
        self._hold(text, last=False)

    def _hold(self, text: str, *, last: bool) -> None:
        """Cut text into lines; its last one may go on, even after a CR (LF may follow)."""
        self._whole.extend(_split(text))
        self._rest = "" if last or not self._whole else self._whole.pop()
        if len(self._rest) > MAX_LINE_CHARACTERS:
            raise InputError(
                f"{self._name}, line {self.lines + len(self._whole) + 1}: is longer than "
                f"{MAX_LINE_CHARACTERS} characters; is this a table?"
            )


def _text_blocks(source: Source, encoding: str) -> Iterator[str]:
    check_encoding(encoding)
    decoder = codecs.getincrementaldecoder(encoding)()
    done, read, last = 0, 0, ""
    first = True
    while True:
        block = source.read()
        read += len(block)
        try:
            text = decoder.decode(block, final=not block)
        except UnicodeDecodeError as error:
            raise _undecodable(source.name, encoding, error, done, read) from None
        if first:
            text = text.removeprefix("\ufeff")
            first = first and not text
        if "\0" in text:
            line = done + _line_ends(text[: text.index("\0")]) + 1
            raise InputError(
                f"{source.name}, line {line}: holds a NUL character, which no text does; "
                "if the file is in UTF-16, pass --encoding utf-16"
            )
        if text:
            # A line end may be cut in two.
            done += _line_ends(text) - (last == "\r" and text[0] == "\n")
            last = text[-1]
            yield text
        if not block:
            return


def check_encoding(encoding: str) -> None:
    """Raise InputError when `encoding` is not the name of a text encoding."""
    try:
        "".encode(encoding)  # refuses codecs that are not of text, such as base64
    except (LookupError, ValueError):
        raise InputError(
            "`encoding` must be the name of a text encoding such as utf-8, utf-16 or cp1252. "
            f"Received: {encoding!r}"
        ) from None


def _split(text: str) -> list[str]:
    return list(io.StringIO(text, newline=""))


def _line_ends(text: str) -> int:
    return text.count("\n") + text.count("\r") - text.count("\r\n")


def _undecodable(
    name: str, encoding: str, error: UnicodeDecodeError, done: int, read: int
) -> InputError:
    """The error for bytes that are not in the encoding; `done` lines and `read` bytes were read.

    The decoder's bytes end where the reading stands, so its positions count from there.
    """
    before = error.object[: error.start].decode(encoding, "replace")
    offset = read - len(error.object) + error.start
    received = error.object[error.start : error.end][:4].hex(" ")
    return InputError(
        f"{name}, line {done + _line_ends(before) + 1}: expected text in {encoding}. "
        f"Received: byte {received} at offset {offset}; pass --encoding if the file has another"
    )
