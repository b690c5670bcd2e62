"""One file over HTTP, so that a cut line costs nothing but another try.

urllib, since resuming is two headers (RFC 9110, Range and If-Range), which the usual download
libraries lack.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPException, HTTPResponse
from io import FileIO
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from abcnn.errors import AbcnnError, InputError, RemoteError

Progress = Callable[[int, int | None], None]
"""Told of bytes that are there and of all of them, None where the server does not say."""

_BLOCK_BYTES = 1 << 16
_AGAIN = "the same command goes on from there"


def download(
    url: str,
    target: Path,
    *,
    by_hand: str,
    progress: Progress = lambda done, total: None,
    timeout: float = 60.0,
) -> None:
    """Fetch `url` to the file `target`, which is there whole or not at all.

    The bytes go to `target.part`, and with them, in `target.part.json`, the mark by which the
    server knows the file again (ETag or Last-Modified): after a cut line or Ctrl-C the next call
    asks for the rest, and gets all of it if the file has changed. `by_hand` is what to do when the
    address is of no use; `timeout`, in seconds, how long the server may be silent.

    Raises RemoteError when the file is not there or the line is cut, InputError when the disk is
    full.
    """
    part = target.with_name(f"{target.name}.part")
    state = target.with_name(f"{target.name}.part.json")
    start, mark = _kept(part, state, url)
    headers = {"User-Agent": "abcnn", "Accept-Encoding": "identity"}
    if start:
        headers |= {"Range": f"bytes={start}-", "If-Range": mark}
    with _network_failures(url, by_hand, timeout):
        try:
            response = urlopen(Request(url, headers=headers), timeout=timeout)
        except HTTPError as error:
            # Nothing is left to send: the part is the whole file.
            if error.code != 416 or error.headers.get("Content-Range") != f"bytes */{start}":
                raise
            response = None
        if response is not None:
            with response:
                _receive(response, url, part, state, start, by_hand, progress)
    with _disk_failures(target):
        part.replace(target)
        state.unlink(missing_ok=True)


def _kept(part: Path, state: Path, url: str) -> tuple[int, str]:
    """How many bytes an earlier call left, and the server's mark of that file; 0 without one."""
    try:
        kept = json.loads(state.read_text(encoding="utf-8"))
        if kept["url"] == url and kept["mark"]:
            return part.stat().st_size, kept["mark"]
    except (OSError, ValueError, KeyError, TypeError):
        pass  # no earlier call, or not of this address
    return 0, ""


def _receive(
    response: HTTPResponse,
    url: str,
    part: Path,
    state: Path,
    start: int,
    by_hand: str,
    progress: Progress,
) -> None:
    """Write what comes behind the `start` bytes that are there, or anew if all of it comes."""
    if response.headers.get_content_type() == "text/html":
        raise RemoteError(f"{url}: answered with a web page instead of a file; {by_hand}")
    if response.status != 206:
        start = 0
    elif not response.headers.get("Content-Range", "").startswith(f"bytes {start}-"):
        part.unlink(missing_ok=True)
        raise RemoteError(f"{url}: answered with another part than the one asked for; {by_hand}")
    length = response.headers.get("Content-Length")
    total = start + int(length) if length else None
    done = start
    with _disk_failures(part):
        free = shutil.disk_usage(part.parent).free
        if total is not None and free < total - start:
            raise InputError(
                f"{part.parent}: expected room for {megabytes(total - start)}. "
                f"Received: {megabytes(free)}"
            )
        mark = response.headers.get("ETag") or response.headers.get("Last-Modified") or ""
        # A weak mark names files that mean the same, not the same bytes.
        kept = {"url": url, "mark": "" if mark.startswith("W/") else mark}
        state.write_text(json.dumps(kept), encoding="utf-8")
        file = part.open("ab" if start else "wb", buffering=0)
    with file:
        progress(done, total)
        while block := response.read(_BLOCK_BYTES):
            with _disk_failures(part):
                _write_whole(file, block)
            done += len(block)
            progress(done, total)
    if total is not None and done != total:
        raise RemoteError(
            f"{url}: the line was cut after {megabytes(done)} of {megabytes(total)}; {_AGAIN}"
        )


def _write_whole(file: FileIO, block: bytes) -> None:
    rest = memoryview(block)
    while rest:
        rest = rest[file.write(rest) :]


def megabytes(count: int) -> str:
    """Bytes as a person reads them."""
    return f"{count / 1e6:,.1f} MB"


def _line(reason: object) -> str:
    """What went wrong, on one line."""
    return " ".join(str(reason).split())


@contextmanager
def _network_failures(url: str, by_hand: str, timeout: float) -> Iterator[None]:
    try:
        yield
    except AbcnnError:
        raise
    except HTTPError as error:
        with error:
            raise RemoteError(
                f"{url}: HTTP {error.code} {_line(error.reason)}; {by_hand}"
            ) from None
    except TimeoutError:
        raise RemoteError(f"{url}: silent for {timeout:g} s; {_AGAIN}") from None
    except URLError as error:
        raise RemoteError(f"{url}: cannot be reached ({_line(error.reason)}); {by_hand}") from None
    except (HTTPException, OSError, ValueError) as error:
        raise RemoteError(f"{url}: the line was cut ({_line(error)}); {_AGAIN}") from None


@contextmanager
def _disk_failures(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from None
