"""Bytes to lines of text, strictly decoded, a block at a time."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from itertools import chain

from abcnn.errors import InputError
from abcnn.tables.source import Source

MAX_LINE_CHARACTERS = 1 << 24


def numbered_lines(source: Source, encoding: str = "utf-8") -> Iterator[tuple[int, str]]:
    r"""Every line with its 1-based number, its line end kept as it is.

    A line ends in LF, CR LF or a lone CR, and nowhere else: not at U+2028 or U+0085, which text
    may hold. A byte order mark is left out.

    Raises InputError for a name that is no text encoding, for bytes that are not valid in it, for
    a NUL, and for a line of more than `MAX_LINE_CHARACTERS` (memory would know no bound).
    """
    return enumerate(chain.from_iterable(_line_blocks(source, encoding)), start=1)


def _line_blocks(source: Source, encoding: str) -> Iterator[list[str]]:
    check_encoding(encoding)
    decoder = codecs.getincrementaldecoder(encoding)()
    rest, done, read = "", 0, 0
    first = True
    while True:
        block = source.read()
        read += len(block)
        try:
            text = decoder.decode(block, final=not block)
        except UnicodeDecodeError as error:
            raise _undecodable(source.name, encoding, error, rest, done, read) from None
        if first:
            text = text.removeprefix("\ufeff")
            first = first and not text
        text = rest + text
        if "\0" in text:
            line = done + _line_ends(text[: text.index("\0")]) + 1
            raise InputError(
                f"{source.name}, line {line}: holds a NUL character, which no text does; "
                "if the file is in UTF-16, pass --encoding utf-16"
            )
        lines = _split(text)
        if not block:
            yield lines
            return
        # The last line may go on in the next block, even after a CR (LF may follow).
        rest = lines.pop() if lines else ""
        if len(rest) > MAX_LINE_CHARACTERS:
            raise InputError(
                f"{source.name}, line {done + len(lines) + 1}: is longer than "
                f"{MAX_LINE_CHARACTERS} characters; is this a table?"
            )
        done += len(lines)
        yield lines


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
    return len(_split(text + "x")) - 1


def _undecodable(
    name: str, encoding: str, error: UnicodeDecodeError, rest: str, done: int, read: int
) -> InputError:
    """The error for bytes that are not in the encoding; `read` bytes were read so far.

    The decoder's bytes end where the reading stands, so its positions count from there.
    """
    before = rest + error.object[: error.start].decode(encoding, "replace")
    offset = read - len(error.object) + error.start
    received = error.object[error.start : error.end][:4].hex(" ")
    return InputError(
        f"{name}, line {done + _line_ends(before) + 1}: expected text in {encoding}. "
        f"Received: byte {received} at offset {offset}; pass --encoding if the file has another"
    )
