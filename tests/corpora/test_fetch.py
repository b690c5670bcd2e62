"""From archives on a server to files that are read, and the check of files that are there."""

from __future__ import annotations

import hashlib
import io
import zipfile

import pytest

from abcnn.corpora import (
    CATALOGUE,
    Archive,
    Corpus,
    PublishedFile,
    check_folder,
    corpus_named,
    fetch,
)
from abcnn.corpora.fingerprint import Fingerprint
from abcnn.errors import InputError, RemoteError
from tests.commands.process import files_in
from tests.corpora.server import Served, serving

TEXT = b"left\tright\tlabel\n" * 50


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def zipped(**members):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return packed.getvalue()


@pytest.fixture
def server():
    with serving() as running:
        yield running


@pytest.fixture
def made(server):
    """`made(archive bytes, files)`: a corpus of one archive `a.zip` on the server."""

    def make(content, *files, name="a.zip", by_hand="", **known):
        server.files[name] = Served(content)
        archive = Archive(name, server.url(name), files, by_hand=by_hand, **known)
        return Corpus("made", "Made", "paraphrase", "none", "http://page/", (archive,))

    return make


def failure(corpus, folder, error=RemoteError, **manner):
    with pytest.raises(error) as raised:
        fetch(corpus, folder, **manner)
    assert "\n" not in str(raised.value)
    return str(raised.value)


def verdicts(found):
    return {checked.path.name: checked.verdict for checked in found}


def test_files_of_a_zip_are_there_and_nothing_else(made, server, tmp_path):
    packed = zipped(**{
        "Corpus/train.tsv": TEXT, "Corpus/dev.tsv": b"dev", "Corpus/sized.tsv": b"12345",
        "Corpus/guide.pdf": b"%PDF", "__MACOSX/Corpus/._train.tsv": b"x",
    })  # fmt: skip
    corpus = made(
        packed,
        PublishedFile("train.tsv", sha256(TEXT)),
        PublishedFile("dev.tsv"),
        PublishedFile("sized.tsv", size=5),
    )
    told = []
    found = fetch(
        corpus, tmp_path, progress=lambda name: lambda done, total: told.append((name, done, total))
    )
    assert verdicts(found) == {
        "train.tsv": "as published",
        "dev.tsv": "no checksum known",
        "sized.tsv": "size as published",
    }
    assert files_in(tmp_path) == {
        "made/train.tsv": TEXT, "made/dev.tsv": b"dev", "made/sized.tsv": b"12345",
    }  # fmt: skip
    assert told[-1] == ("a.zip", len(packed), len(packed))

    # Again: all is there, so nothing is asked for.
    assert verdicts(fetch(corpus, tmp_path)) == verdicts(found)
    assert len(server.requests) == 1


def test_an_archive_as_published_answers_for_its_files(made, tmp_path):
    packed = zipped(**{"dev.tsv": b"dev"})
    corpus = made(packed, PublishedFile("dev.tsv"), sha256=sha256(packed))
    assert verdicts(fetch(corpus, tmp_path)) == {"dev.tsv": "as published"}


def test_a_file_that_needs_no_unpacking(made, tmp_path):
    corpus = made(b"vectors", name="v.bin.gz", sha256=sha256(b"vectors"))
    assert verdicts(fetch(corpus, tmp_path)) == {"v.bin.gz": "as published"}
    assert verdicts(fetch(corpus, tmp_path)) == {"v.bin.gz": "as published"}
    assert files_in(tmp_path) == {"made/v.bin.gz": b"vectors"}


def test_line_ends_do_not_count(made, tmp_path):
    text = TEXT.replace(b"\n", b"\r\n")
    corpus = made(zipped(**{"train.tsv": text}), PublishedFile("train.tsv", sha256(TEXT)))
    fetch(corpus, tmp_path)
    assert files_in(tmp_path) == {"made/train.tsv": text}


@pytest.mark.parametrize("step", [1, 2, 3, 7])
def test_a_fingerprint_does_not_depend_on_the_pieces(step):
    text = b"\r\r\na\r\nb\r\n\n\rc\r"
    fingerprint = Fingerprint()
    for begin in range(0, len(text), step):
        fingerprint.update(text[begin : begin + step])
    assert fingerprint.sha256 == sha256(text)
    assert fingerprint.size == len(text)
    lines = PublishedFile("x", sha256(b"\r\na\nb\n\n\rc\r"))
    assert fingerprint.compare(lines) == "as published"
    assert fingerprint.compare(PublishedFile("x", sha256(b"\na\nb\n\n\rc\r"))) == "differs"


def test_paths_in_an_archive_lead_nowhere(made, tmp_path):
    packed = zipped(**{
        "../../../outside.tsv": b"1", "/etc/absolute.tsv": b"2", "..\\windows.tsv": b"3",
        "../wanted.tsv": b"4",
    })  # fmt: skip
    corpus = made(packed, PublishedFile("wanted.tsv"), PublishedFile("outside.tsv"))
    fetch(corpus, tmp_path / "a" / "b")
    assert files_in(tmp_path) == {
        "a/b/made/wanted.tsv": b"4", "a/b/made/outside.tsv": b"1",
    }  # fmt: skip


BY_HAND = (
    "get a.zip from http://page/, put it into {place} and give the same command again, or name "
    "another address with --mirror"
)


def test_a_wrong_archive_is_told_and_removed(made, tmp_path):
    packed = zipped(**{"dev.tsv": b"dev"})
    corpus = made(packed, PublishedFile("dev.tsv"), sha256=sha256(b"other"))
    place = tmp_path / "made"
    assert failure(corpus, tmp_path) == (
        f"{place / 'a.zip'}: is not the published file; {BY_HAND.format(place=place)}. Expected: "
        f"SHA-256 {sha256(b'other')}. Received: {sha256(packed)}"
    )
    assert files_in(tmp_path) == {}
    corpus = made(packed, PublishedFile("dev.tsv"), size=7)
    assert failure(corpus, tmp_path).endswith(f"Expected: 7 bytes. Received: {len(packed)}")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (zipped(**{"train.tsv": b"changed"}), "a.zip, train.tsv: is not the published file; "),
        (zipped(**{"other.tsv": TEXT}), "a.zip: expected train.tsv in it; "),
        (b"PK nothing", "a.zip: is no whole zip archive ("),
        (zipped(**{"train.tsv": TEXT})[:-30], "a.zip: is no whole zip archive ("),
    ],
)
def test_wrong_contents_leave_nothing(made, tmp_path, content, message):
    corpus = made(content, PublishedFile("train.tsv", sha256(TEXT[::-1])))
    assert message in failure(corpus, tmp_path)
    assert files_in(tmp_path) == {}


def test_damage_within_a_zip(made, tmp_path):
    packed = bytearray(zipped(**{"train.tsv": bytes(range(256)) * 40}))
    packed[60:70] = bytes(10)
    corpus = made(bytes(packed), PublishedFile("train.tsv"))
    assert "is no whole zip archive" in failure(corpus, tmp_path)
    assert files_in(tmp_path) == {}


def test_a_moved_address_and_what_to_do_by_hand(made, server, tmp_path):
    corpus = made(zipped(**{"train.tsv": TEXT}), PublishedFile("train.tsv", sha256(TEXT)))
    moved = server.files.pop("a.zip")
    place = tmp_path / "made"
    assert failure(corpus, tmp_path) == (
        f"{server.url('a.zip')}: HTTP 404 Not Found; {BY_HAND.format(place=place)}"
    )
    # One way: the archive, got by hand, in the folder. It is the user's, and stays.
    (place / "a.zip").write_bytes(b"wrong")
    failure(corpus, tmp_path)
    assert files_in(tmp_path) == {"made/a.zip": b"wrong"}
    (place / "a.zip").write_bytes(moved.content)
    assert verdicts(fetch(corpus, tmp_path)) == {"train.tsv": "as published"}
    assert files_in(tmp_path) == {"made/train.tsv": TEXT, "made/a.zip": moved.content}
    # The other: another address.
    server.files["elsewhere/a.zip"] = moved
    found = fetch(corpus, tmp_path / "mirrored", mirror=server.url("elsewhere/"))
    assert verdicts(found) == {"train.tsv": "as published"}


def test_a_cut_archive_goes_on_and_is_not_unpacked_before(made, server, tmp_path):
    packed = zipped(**{"train.tsv": TEXT})
    corpus = made(packed, PublishedFile("train.tsv", sha256(TEXT)))
    server.files["a.zip"].cut = 50
    assert "the line was cut" in failure(corpus, tmp_path)
    assert set(files_in(tmp_path)) == {"made/a.zip.part", "made/a.zip.part.json"}
    server.files["a.zip"].cut = None
    fetch(corpus, tmp_path)
    assert server.ranges == [None, "bytes=50-"]
    assert files_in(tmp_path) == {"made/train.tsv": TEXT}


def test_what_has_the_name_already_is_left_alone(made, tmp_path):
    corpus = made(zipped(**{"train.tsv": TEXT}), PublishedFile("train.tsv", sha256(TEXT)))
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / "train.tsv").write_bytes(b"mine")
    assert "is there and not the published file, so it is left alone" in failure(
        corpus, tmp_path, InputError
    )
    assert files_in(tmp_path) == {"made/train.tsv": b"mine"}


def test_an_installer_is_unpacked_by_hand(made, tmp_path):
    corpus = made(
        b"MSI",
        PublishedFile("train.txt", sha256(TEXT), member="_2DEC"),
        name="a.msi",
        by_hand="cabextract a.msi",
    )
    place = tmp_path / "made"
    for _ in range(2):
        assert failure(corpus, tmp_path, InputError) == (
            f"{place / 'a.msi'}: is there, and to be unpacked by hand: run `cabextract a.msi` in "
            f"{place}, then give the same command again"
        )
    (place / "_2DEC").write_bytes(TEXT)
    assert verdicts(fetch(corpus, tmp_path)) == {"train.txt": "as published"}
    assert (place / "train.txt").read_bytes() == TEXT


def test_a_place_that_cannot_be_written(made, tmp_path):
    (tmp_path / "file").write_text("")
    corpus = made(zipped(**{"train.tsv": TEXT}), PublishedFile("train.tsv"))
    assert "cannot be written" in failure(corpus, tmp_path / "file", InputError)


def test_the_catalogue_is_sound():
    names = [
        file.name
        for corpus in CATALOGUE.values()
        for archive in corpus.archives
        for file in (archive.itself, *archive.files)
    ]
    assert len(set(names)) == len(names), "a name says which published file it is"
    for corpus in CATALOGUE.values():
        assert corpus.page.startswith("https://")
        for archive in corpus.archives:
            assert archive.url.startswith("https://")
            # What cannot be told from another file by checksum comes in an archive that can.
            assert archive.sha256 or (archive.files and all(f.sha256 for f in archive.files))
            for file in (archive.itself, *archive.files):
                assert file.sha256 is None or len(bytes.fromhex(file.sha256)) == 32
    with pytest.raises(InputError, match=r"must be one of wikiqa, msrp, .*Received: 'trec'"):
        corpus_named("trec")


def test_checking_a_folder(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "empty").mkdir()
    (tmp_path / "deep" / "SICK_train.txt").write_bytes(b"changed")
    (tmp_path / "glove.6B.200d.txt").write_bytes(b"the 1 2\n")
    (tmp_path / "other.txt").write_bytes(b"")
    assert verdicts(check_folder(tmp_path)) == {
        "SICK_train.txt": "differs",
        "glove.6B.200d.txt": "no checksum known",
    }
    with pytest.raises(InputError, match="no such folder"):
        check_folder(tmp_path / "none")
    with pytest.raises(InputError, match="expected a file with the name of a published one"):
        check_folder(tmp_path / "empty")


@pytest.mark.corpora
def test_the_real_corpora_are_the_published_ones(corpora):
    found = verdicts(check_folder(corpora))
    expected = {
        file.name
        for name in ("wikiqa", "msrp", "sick")
        for archive in CATALOGUE[name].archives
        for file in archive.files
    }
    assert found == dict.fromkeys(expected, "as published")


@pytest.mark.corpora
def test_the_real_corpora_from_archives(corpora, server, tmp_path):
    """WikiQA and SICK, packed as their publishers do it, under the real checksums."""
    for name in ("wikiqa", "sick"):
        for archive in CATALOGUE[name].archives:
            packed = zipped(**{
                f"{name}/{file.name}": (corpora / name / file.name).read_bytes()
                for file in archive.files
            })  # fmt: skip
            server.files[archive.name] = Served(packed)
    found = fetch(CATALOGUE["sick"], tmp_path, mirror=server.address)
    assert set(verdicts(found).values()) == {"as published"}
    # Of WikiQA's archive the size is known, which this one does not have.
    assert "Expected: 7,094,233 bytes" in failure(
        CATALOGUE["wikiqa"], tmp_path, mirror=server.address
    )
