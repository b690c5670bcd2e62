"""The files of an archive that are read, each whole and as published or not at all."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import IO

from abcnn.corpora.catalogue import PublishedFile
from abcnn.corpora.fingerprint import Fingerprint, Verdict
from abcnn.errors import RemoteError
from abcnn.tables import whole_file

_BLOCK_BYTES = 1 << 20


def unpack_zip(
    archive: Path, files: Sequence[PublishedFile], folder: Path, *, by_hand: str
) -> Iterator[Verdict]:
    """Write `files` from a zip archive to `folder`, by their names alone; yields what each is.

    No path in the archive leads out of the folder, since none is used. Raises RemoteError for an
    archive that is damaged, lacks a file or holds another one than published.
    """
    try:
        with zipfile.ZipFile(archive) as packed:
            members = {PurePosixPath(info.filename).name: info for info in packed.infolist()}
            for file in files:
                if file.name not in members:
                    raise RemoteError(f"{archive}: expected {file.name} in it; {by_hand}")
                with packed.open(members[file.name]) as source:
                    yield write_published(
                        source, file, folder, origin=str(archive), by_hand=by_hand
                    )
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise RemoteError(f"{archive}: is no whole zip archive ({error}); {by_hand}") from None


def write_published(
    source: IO[bytes], file: PublishedFile, folder: Path, *, origin: str, by_hand: str
) -> Verdict:
    """Copy a stream to `folder` under the file's name, if it is the published file.

    Raises RemoteError, which names the `origin`, for any other, and InputError when it cannot be
    written; then nothing is left behind.
    """
    fingerprint = Fingerprint()
    with whole_file(folder / file.name) as output:
        while block := source.read(_BLOCK_BYTES):
            output.write(block)
            fingerprint.update(block)
        return require_published(fingerprint, file, f"{origin}, {file.name}", by_hand=by_hand)


def require_published(
    fingerprint: Fingerprint, file: PublishedFile, where: str, *, by_hand: str
) -> Verdict:
    """What a file is, or RemoteError when it differs from the published one."""
    verdict = fingerprint.compare(file)
    if verdict != "differs":
        return verdict
    if file.sha256 is not None:
        expected, received = f"SHA-256 {file.sha256}", fingerprint.sha256
    else:
        expected, received = f"{file.size:,} bytes", f"{fingerprint.size:,}"
    raise RemoteError(
        f"{where}: is not the published file; {by_hand}. Expected: {expected}. Received: {received}"
    )
