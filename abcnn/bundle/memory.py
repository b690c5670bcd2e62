"""A bundle's files in memory: how a matcher is pickled without pickling a network."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from abcnn.bundle.folder import load_bundle, save_bundle

if TYPE_CHECKING:
    from abcnn.scoring.matcher import Matcher


def bundle_bytes(matcher: Matcher) -> dict[str, bytes]:
    """The files that `save_bundle` writes, by name."""
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "bundle"
        save_bundle(matcher, folder)
        return {file.name: file.read_bytes() for file in folder.iterdir()}


def matcher_of_bytes(files: dict[str, bytes], engine: str) -> Matcher:
    """The matcher of a bundle's files, checked as `load_bundle` does."""
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            (Path(folder) / name).write_bytes(content)
        return load_bundle(folder, engine)
