"""Folders that appear whole or not at all, and whose files are known by their checksums."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from abcnn.errors import BundleError, InputError


def checksum(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def verify(folder: Path, checksums: dict[str, str]) -> None:
    """BundleError, which names the file, when one is missing or not as it was written."""
    for name, expected in checksums.items():
        path = folder / name
        if not path.is_file():
            raise BundleError(f"{path}: is missing from the bundle")
        if checksum(path) != expected:
            raise BundleError(
                f"{path}: was cut or changed after it was written (its checksum differs)"
            )


def files_below(folder: Path) -> list[Path]:
    """Every file in a folder and its folders, in the order of their names."""
    return sorted(path for path in folder.rglob("*") if path.is_file())


@contextmanager
def whole_folder(target: Path, *, replace: bool = False) -> Iterator[Path]:
    """A new folder to write into, which becomes `target` when the block ends without an error.

    An existing `target` is refused, or with `replace` exchanged at the end. After an error nothing
    is left behind. Raises InputError when the place cannot be written to.
    """
    # A parent that the user did not make yet is made; a typing error costs an empty folder.
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        part = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    except OSError as error:
        raise InputError(f"{target}: cannot be written: {error.strerror}") from error
    try:
        part.chmod(0o755)
        yield part
        for file in files_below(part):
            _flush(file)
        if target.exists():
            if not replace:
                raise InputError(f"{target}: exists already; --force replaces it")
            old = Path(tempfile.mkdtemp(prefix=f".{target.name}.old.", dir=target.parent))
            target.rename(old / target.name)
            try:
                part.rename(target)
            except BaseException:
                (old / target.name).rename(target)
                raise
            finally:
                shutil.rmtree(old, ignore_errors=True)
        else:
            part.rename(target)
    except OSError as error:
        raise InputError(f"{target}: cannot be written: {error.strerror or error}") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _flush(path: Path) -> None:
    """Have the bytes on the disk before the folder gets its name."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
