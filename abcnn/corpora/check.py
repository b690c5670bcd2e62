"""Whether the files that a user has are the published ones."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from abcnn.corpora.catalogue import CATALOGUE
from abcnn.corpora.fingerprint import Verdict, fingerprint_of
from abcnn.errors import InputError


@dataclass(frozen=True)
class Checked:
    """A file and what it is by the side of the published one."""

    path: Path
    verdict: Verdict


def check_folder(folder: str | PathLike[str]) -> list[Checked]:
    """Compare every file below `folder` that has the name of a published one, by path.

    Raises InputError when there is no such folder, no such file in it, or one that cannot be read.
    """
    known = {
        file.name: file
        for corpus in CATALOGUE.values()
        for archive in corpus.archives
        for file in (archive.itself, *archive.files)
    }
    if not Path(folder).is_dir():
        raise InputError(f"{folder}: expected a folder. Received: no such folder")
    found = [
        Checked(path, fingerprint_of(path).compare(known[path.name]))
        for path in sorted(Path(folder).rglob("*"))
        if path.name in known and path.is_file()
    ]
    if not found:
        raise InputError(
            f"{folder}: expected a file with the name of a published one. Received: none; `abcnn "
            "data list --files` names them"
        )
    return found
