"""Folders that appear whole or not at all."""

import errno
import hashlib
from pathlib import Path

import pytest

from abcnn.bundle.files import checksum, verify, whole_folder
from abcnn.errors import BundleError, InputError


def names(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir()}


def test_the_folder_appears_when_the_block_ends(tmp_path):
    target = tmp_path / "not" / "yet" / "there"
    with whole_folder(target) as part:
        (part / "file").write_text("text")
        assert not target.exists()
    assert (target / "file").read_text() == "text"
    assert names(target.parent) == {"there"}


@pytest.mark.parametrize("error", [RuntimeError("broken"), KeyboardInterrupt()])
def test_after_an_error_nothing_is_left(tmp_path, error):
    def write() -> None:
        with whole_folder(tmp_path / "target") as part:
            (part / "file").write_text("text")
            raise error

    with pytest.raises(type(error)):
        write()
    assert names(tmp_path) == set()


def test_a_full_disk_is_told(tmp_path):
    def write() -> None:
        with whole_folder(tmp_path / "target"):
            raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(InputError, match="target: cannot be written: No space left on device"):
        write()
    assert names(tmp_path) == set()


def test_an_existing_folder_is_refused_and_stays(tmp_path):
    target = tmp_path / "target"
    target.mkdir()
    (target / "old").write_text("old")

    def write() -> None:
        with whole_folder(target) as part:
            (part / "new").write_text("new")

    with pytest.raises(InputError, match="target: exists already; --force replaces it"):
        write()
    assert names(tmp_path) == {"target"}
    assert names(target) == {"old"}


def test_an_existing_folder_is_replaced_when_asked(tmp_path):
    target = tmp_path / "target"
    target.mkdir()
    (target / "old").write_text("old")
    with whole_folder(target, replace=True) as part:
        (part / "new").write_text("new")
        assert names(target) == {"old"}
    assert names(tmp_path) == {"target"}
    assert names(target) == {"new"}


def test_a_place_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("a file, no folder")

    def write() -> None:
        with whole_folder(tmp_path / "file" / "target"):
            raise AssertionError("the block must not be reached")

    with pytest.raises(InputError, match="target: cannot be written: "):
        write()


def test_checksums(tmp_path):
    (tmp_path / "file").write_bytes(b"bytes" * 100_000)
    expected = hashlib.sha256(b"bytes" * 100_000).hexdigest()
    assert checksum(tmp_path / "file") == expected
    verify(tmp_path, {"file": expected})
    with pytest.raises(BundleError, match="file: was cut or changed"):
        verify(tmp_path, {"file": expected[::-1]})
    with pytest.raises(BundleError, match="other: is missing"):
        verify(tmp_path, {"file": expected, "other": expected})
