"""The finished parts of a scoring on disk, from which an interrupted one goes on."""

from __future__ import annotations

import fcntl
import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

from abcnn.errors import InputError, OutputError
from abcnn.scoring.rows import RowResults
from abcnn.tables import TableChunk, whole_file

FORMAT = 1


@dataclass(frozen=True)
class Checkpoint:
    """A folder that holds the results of the chunks scored so far, a file each.

    It holds what cost time, the results, and not the output: that is written anew from them, as
    fast as a table is copied, so that it is the same to the last byte in any format.
    """

    folder: Path

    @property
    def part(self) -> Path:
        """Where the output is written until it is whole."""
        return self.folder / "output"

    def save(self, first_row: int, results: RowResults) -> None:
        """Keep the results of the chunk that begins there; OutputError when the disk is full."""
        with whole_file(self._file(first_row)) as file:
            np.savez(
                file,
                values=results.values,
                faults=results.faults,
                truncated=results.truncated,
            )

    def load(self, chunk: TableChunk) -> RowResults | None:
        """The results of a chunk, None when it was not finished."""
        results = _read(self._file(chunk.first_row))
        return results if results is not None and len(results) == len(chunk) else None

    def finished(self) -> frozenset[int]:
        """The first rows of the chunks that have results."""
        files = self.folder.glob("[0-9]*.npz")
        return frozenset(int(file.stem) for file in files if _read(file) is not None)

    def _file(self, first_row: int) -> Path:
        return self.folder / f"{first_row:012d}.npz"


def _read(file: Path) -> RowResults | None:
    try:
        with np.load(file, allow_pickle=False) as arrays:
            return RowResults(arrays["values"], arrays["faults"], int(arrays["truncated"]))
    except Exception:  # Not there, or whatever zip and npy readers raise for a file that is cut.
        return None


@dataclass(frozen=True)
class CheckpointPlace:
    """Where the checkpoint of a scoring is to be, and what it is of.

    `about` are JSON values by name: the input, the model, the options. With `resume` a checkpoint
    that is there already is gone on from, if it is of the same.
    """

    folder: Path
    about: Mapping[str, Any]
    resume: bool = False

    @classmethod
    def beside(cls, output: Path, about: Mapping[str, Any], *, resume: bool) -> CheckpointPlace:
        """`OUTPUT.parts`, beside the output."""
        target = output.resolve()
        return cls(target.with_name(f"{target.name}.parts"), about, resume)

    def check(self) -> None:
        """InputError when a checkpoint is there that must not be gone on from, or be lost."""
        if not self.folder.exists():
            return
        if not self.resume:
            raise InputError(
                f"{self.folder}: holds the finished parts of an interrupted scoring; --resume goes "
                "on from them, to start anew remove the folder"
            )
        try:
            found = json.loads(self._manifest.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            found = None  # Killed before the manifest was there: there are no parts either.
        if found is not None and found != self._stated():
            stated = self._stated()
            keys = [key for key in stated if found.get(key) != stated[key]]
            raise InputError(
                f"{self.folder}: is of another scoring, its {' and '.join(keys)} differ. To go on "
                "from it, give the same input, model and options; to start anew, remove the folder"
            )

    @contextmanager
    def open(self) -> Iterator[Checkpoint]:
        """The checkpoint, for the time of the block.

        At the end it is removed, also when the input was found to be wrong; when the block is
        interrupted, or cannot write, it stays. Raises InputError as `check` does, and when another
        process works on it.
        """
        self.check()
        try:
            self.folder.mkdir(exist_ok=True)
            lock = (self.folder / "lock").open("wb")
        except OSError as error:
            raise OutputError(f"{self.folder}: cannot be written: {error.strerror}") from None
        with lock:
            self._lock(lock)
            with whole_file(self._manifest) as file:
                file.write(json.dumps(self._stated(), indent=1).encode() + b"\n")
            try:
                yield Checkpoint(self.folder)
            except OutputError:
                raise
            except InputError:
                shutil.rmtree(self.folder, ignore_errors=True)
                raise
            shutil.rmtree(self.folder, ignore_errors=True)

    def _lock(self, file: IO[bytes]) -> None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError(f"{self.folder}: another process is writing to it") from None

    def _stated(self) -> dict[str, Any]:
        return json.loads(json.dumps({"format": FORMAT, **self.about}))

    @property
    def _manifest(self) -> Path:
        return self.folder / "manifest.json"


def identity(file: Path) -> dict[str, int]:
    """What tells a file from the same file changed: its size in bytes and its time in ns."""
    status = file.stat()
    return {"size": status.st_size, "modified": status.st_mtime_ns}
