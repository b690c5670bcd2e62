"""Uploaded tables: kept on the disk, scored one after the other, told while they are scored."""

from __future__ import annotations

import asyncio
import re
import tempfile
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from abcnn.errors import InputError
from abcnn.scoring.tables import TableCounts, score_table

if TYPE_CHECKING:
    from abcnn.scoring.matcher import Matcher

# Rows scored at one turn: single pairs that arrive meanwhile wait for so many, not for the table.
CHUNK_ROWS = 1_000
# Both may unpack to far more than was sent.
_PACKED = {b"\x1f\x8b": "gzip", b"PAR1\x15": "Parquet"}
_TEXT_SUFFIXES = (".csv", ".tsv", ".tab", ".jsonl", ".ndjson")
_OPTION = re.compile(r"--((?:left|right|group)-column|encoding|format)\b")
_LONGEST_NAME = 60  # Characters, each at most four bytes: file systems take 255.


class Stopped(Exception):  # noqa: N818 - no error: the client has gone.
    """The scoring of a table that nobody waits for any more."""


@dataclass(frozen=True)
class Upload:
    """A table on the disk, in a folder of its own."""

    folder: tempfile.TemporaryDirectory[str]
    file: Path
    stopped: threading.Event = field(default_factory=threading.Event)

    @property
    def scored(self) -> Path:
        """The table with its results: of the format that its name tells, else CSV."""
        suffix = self.file.suffix
        suffix = suffix if suffix.casefold() in _TEXT_SUFFIXES else ".csv"
        return self.file.with_name(f"{self.file.stem}-scored{suffix}")

    def close(self) -> None:
        """Remove everything."""
        self.stopped.set()
        self.folder.cleanup()


async def receive_upload(pieces: AsyncIterator[bytes], name: str) -> Upload:
    """Write a table to the disk as it comes; `name` is what its sender calls it.

    Raises InputError for gzip and Parquet.
    """
    folder = tempfile.TemporaryDirectory(prefix="abcnn-table-")
    upload = Upload(folder, Path(folder.name) / file_name(name))
    try:
        with upload.file.open("wb") as file:
            async for piece in pieces:
                file.write(piece)
        with upload.file.open("rb") as file:
            head = file.read(5)
        for magic, kind in _PACKED.items():
            if head.startswith(magic):
                raise InputError(f"{upload.file.name}: expected plain text. Received: {kind}")
    except BaseException:
        upload.close()
        raise
    return upload


def file_name(name: str) -> str:
    """A harmless name like the one that was sent, which may tell the format."""
    plain = re.sub(r"[^\w .()-]", "_", re.split(r"[/\\]", name)[-1])
    return plain.strip(". ")[-_LONGEST_NAME:] or "table.csv"


class TableScoring:
    """Scores uploaded tables in a thread of its own, one at a time, as `abcnn predict` does.

    `matcher` must be one that other threads may use (`taking_turns`).
    """

    def __init__(self, matcher: Matcher) -> None:
        self._matcher = matcher
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="abcnn-tables")

    def close(self) -> None:
        """Wait for the table that is being scored; those behind it are dropped."""
        self._thread.shutdown(cancel_futures=True)

    async def score(
        self, upload: Upload, reading: dict[str, Any], on_rows: Callable[[int], None]
    ) -> TableCounts:
        """Score an upload into its file `scored`. `on_rows` is called in the thread of the tables.

        Raises InputError for a bad table.
        """
        return await asyncio.get_running_loop().run_in_executor(
            self._thread, partial(self._score, upload, reading, on_rows)
        )

    def _score(
        self, upload: Upload, reading: dict[str, Any], on_rows: Callable[[int], None]
    ) -> TableCounts:
        def unless_stopped(rows: int) -> None:
            if upload.stopped.is_set():
                raise Stopped
            on_rows(rows)

        unless_stopped(0)
        try:
            return score_table(
                self._matcher,
                upload.file,
                upload.scored,
                chunk_rows=CHUNK_ROWS,
                on_rows=unless_stopped,
                **reading,
            )
        except InputError as error:
            raise InputError(_as_sent(str(error), upload)) from error


def _as_sent(message: str, upload: Upload) -> str:
    """A message in the words of the interface: no folder of the server, no command-line options."""
    message = message.replace(f"{upload.file.parent}/", "")
    return _OPTION.sub(lambda option: option[1].replace("-", "_"), message)
