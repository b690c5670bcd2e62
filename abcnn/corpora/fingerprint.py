"""Telling a published file from any other."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Literal

from abcnn.corpora.catalogue import PublishedFile
from abcnn.errors import InputError

Verdict = Literal["as published", "size as published", "no checksum known", "differs"]

_BLOCK_BYTES = 1 << 20


class Fingerprint:
    """Checksums of bytes that come in pieces: as they are, and with CR LF read as LF.

    Copies of a corpus differ in their line ends, which no reader minds.
    """

    def __init__(self) -> None:
        self.size = 0
        self._raw = hashlib.sha256()
        self._text = hashlib.sha256()
        self._held = b""  # a CR whose LF may come in the next piece

    def update(self, piece: bytes) -> None:
        self.size += len(piece)
        self._raw.update(piece)
        text = self._held + piece
        self._held = b"\r" if text.endswith(b"\r") else b""
        self._text.update(text.removesuffix(self._held).replace(b"\r\n", b"\n"))

    @property
    def sha256(self) -> str:
        """The SHA-256 of the bytes as they are, in hexadecimal."""
        return self._raw.hexdigest()

    def compare(self, published: PublishedFile) -> Verdict:
        """What the bytes are by the side of a published file, as far as that is known."""
        if published.sha256 is not None:
            text = self._text.copy()
            text.update(self._held)
            same = published.sha256 in (self.sha256, text.hexdigest())
            return "as published" if same else "differs"
        if published.size is not None:
            return "size as published" if self.size == published.size else "differs"
        return "no checksum known"


def fingerprint_of(path: Path) -> Fingerprint:
    """The checksums of a file, or InputError when it cannot be read."""
    fingerprint = Fingerprint()
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK_BYTES):
                fingerprint.update(block)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
    return fingerprint
