"""A corpus from its publisher's address to the files that the readers read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from abcnn.corpora.catalogue import Archive, Corpus, PublishedFile
from abcnn.corpora.check import Checked
from abcnn.corpora.download import Progress, download
from abcnn.corpora.fingerprint import fingerprint_of
from abcnn.corpora.unpack import require_published, unpack_zip, write_published
from abcnn.errors import InputError, RemoteError


@dataclass(frozen=True)
class _Place:
    """Where a corpus goes and comes from, and whom to tell."""

    folder: Path
    page: str
    mirror: str | None
    progress: Callable[[str], Progress]
    timeout: float

    def by_hand(self, archive: Archive) -> str:
        return (
            f"get {archive.name} from {self.page}, put it into {self.folder} and give the same "
            "command again, or name another address with --mirror"
        )


def fetch(
    corpus: Corpus,
    folder: str | PathLike[str],
    *,
    mirror: str | None = None,
    progress: Callable[[str], Progress] = lambda name: lambda done, total: None,
    timeout: float = 60.0,
) -> list[Checked]:
    """Fetch a corpus to `folder/<its name>`; the files, and how far they are known to be right.

    Files that are there already are not fetched again, nor is an archive that the user has put
    there. `mirror` is the address of a folder that has the archives under their names, in place of
    the publisher's. `progress(name)` gives whom to tell of the bytes of an archive. To agree to the
    licence is the caller's part.

    Raises RemoteError when a file is not to be had or is not the published one, InputError when it
    cannot be written or something else has its name. No file is ever there in part, and what was
    fetched of an archive is kept for the next call.
    """
    place = _Place(Path(folder) / corpus.name, corpus.page, mirror, progress, timeout)
    try:
        place.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{place.folder}: cannot be written: {error.strerror}") from error
    return [checked for archive in corpus.archives for checked in _fetch_archive(archive, place)]


def _fetch_archive(archive: Archive, place: _Place) -> list[Checked]:
    files = archive.files or (archive.itself,)
    if archive.files and all((place.folder / file.name).exists() for file in files):
        return [_there_already(file, place) for file in files]
    target = place.folder / archive.name
    if archive.by_hand and all(_member(file, place).is_file() for file in files):
        return [_take_unpacked(file, archive, place) for file in files]
    put_there = target.is_file()
    if not put_there:
        url = archive.url
        if place.mirror is not None:
            url = f"{place.mirror.rstrip('/')}/{archive.name}"
        download(
            url,
            target,
            by_hand=place.by_hand(archive),
            progress=place.progress(archive.name),
            timeout=place.timeout,
        )
    # The user's own archive is not ours to remove.
    try:
        found = _open_archive(archive, target, place)
    except RemoteError:
        if not put_there:
            target.unlink(missing_ok=True)
        raise
    if archive.files and not put_there:
        target.unlink()
    return found


def _open_archive(archive: Archive, target: Path, place: _Place) -> list[Checked]:
    by_hand = place.by_hand(archive)
    verdict = require_published(
        fingerprint_of(target), archive.itself, str(target), by_hand=by_hand
    )
    if not archive.files:
        return [Checked(target, verdict)]
    if archive.by_hand:
        raise InputError(
            f"{target}: is there, and to be unpacked by hand: run `{archive.by_hand}` in "
            f"{place.folder}, then give the same command again"
        )
    verdicts = list(unpack_zip(target, archive.files, place.folder, by_hand=by_hand))
    if verdict == "as published":
        verdicts = [verdict] * len(verdicts)
    return [
        Checked(place.folder / file.name, found)
        for file, found in zip(archive.files, verdicts, strict=True)
    ]


def _there_already(file: PublishedFile, place: _Place) -> Checked:
    path = place.folder / file.name
    verdict = fingerprint_of(path).compare(file)
    if verdict == "differs":
        raise InputError(
            f"{path}: is there and not the published file, so it is left alone; move it away or "
            "name another folder with --to"
        )
    return Checked(path, verdict)


def _member(file: PublishedFile, place: _Place) -> Path:
    return place.folder / (file.member or file.name)


def _take_unpacked(file: PublishedFile, archive: Archive, place: _Place) -> Checked:
    """Copy a file that the user has unpacked to its own name."""
    member = _member(file, place)
    with member.open("rb") as source:
        verdict = write_published(
            source, file, place.folder, origin=str(member), by_hand=place.by_hand(archive)
        )
    return Checked(place.folder / file.name, verdict)
