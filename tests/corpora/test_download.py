"""One file over HTTP: whole, cut and resumed, silent, moved, changed, too large."""

from __future__ import annotations

import json

import pytest

from abcnn.corpora.download import download
from abcnn.errors import InputError, RemoteError
from tests.commands.process import files_in
from tests.corpora.server import Served, serving

CONTENT = bytes(range(256)) * 1000
BY_HAND = "get it by hand"


@pytest.fixture
def server():
    with serving(file=Served(CONTENT)) as running:
        yield running


def get(server, folder, path="file", **manner):
    download(server.url(path), folder / "file.bin", by_hand=BY_HAND, **manner)


def failure(server, folder, error=RemoteError, **manner):
    with pytest.raises(error) as raised:
        get(server, folder, **manner)
    message = str(raised.value)
    assert "\n" not in message
    assert not (folder / "file.bin").exists()
    return message


def test_a_whole_file(server, tmp_path):
    told = []
    get(server, tmp_path, progress=lambda done, total: told.append((done, total)))
    assert files_in(tmp_path) == {"file.bin": CONTENT}
    assert told[0] == (0, 256_000)
    assert told[-1] == (256_000, 256_000)
    assert told == sorted(told)
    assert server.ranges == [None]


@pytest.mark.parametrize(
    "mark", [{"ETag": '"x"'}, {"Last-Modified": "Mon, 01 Jan 2024 00:00:00 GMT"}]
)
def test_a_cut_line_is_resumed(server, tmp_path, mark):
    server.files["file"] = Served(CONTENT, mark, cut=100_000)
    message = failure(server, tmp_path)
    assert message == (
        f"{server.url('file')}: the line was cut after 0.1 MB of 0.3 MB; the same command goes on "
        "from there"
    )
    assert (tmp_path / "file.bin.part").read_bytes() == CONTENT[:100_000]
    server.files["file"] = Served(CONTENT, mark)
    told = []
    get(server, tmp_path, progress=lambda done, total: told.append((done, total)))
    assert files_in(tmp_path) == {"file.bin": CONTENT}
    assert server.ranges == [None, "bytes=100000-"]
    assert told[0] == (100_000, 256_000)


@pytest.mark.parametrize(
    ("first", "second", "asked"),
    [
        # Another file has come in place of the first: the server sends all of it.
        ({"ETag": '"1"'}, {"ETag": '"2"'}, "bytes=100000-"),
        # Without a mark, or with a weak one, nobody can say that it is the same file.
        ({}, {}, None),
        ({"ETag": 'W/"1"'}, {"ETag": 'W/"1"'}, None),
    ],
)
def test_a_part_of_perhaps_another_file_is_not_used(server, tmp_path, first, second, asked):
    server.files["file"] = Served(CONTENT, first, cut=100_000)
    failure(server, tmp_path)
    other = CONTENT[::-1]
    server.files["file"] = Served(other, second)
    get(server, tmp_path)
    assert files_in(tmp_path) == {"file.bin": other}
    assert server.ranges[1] == asked


def test_a_server_without_ranges_sends_all_again(server, tmp_path):
    server.files["file"] = Served(CONTENT, cut=100_000)
    failure(server, tmp_path)
    server.files["file"] = Served(CONTENT, ranges=False)
    get(server, tmp_path)
    assert files_in(tmp_path) == {"file.bin": CONTENT}


def test_a_part_that_is_whole_needs_nothing_more(server, tmp_path):
    """As after a kill between the last byte and the new name."""
    (tmp_path / "file.bin.part").write_bytes(CONTENT)
    state = {"url": server.url("file"), "mark": '"1"'}
    (tmp_path / "file.bin.part.json").write_text(json.dumps(state))
    get(server, tmp_path)
    assert files_in(tmp_path) == {"file.bin": CONTENT}


@pytest.mark.parametrize("state", ['{"url": "http://other/file", "mark": "x"}', "[]", "{", ""])
def test_a_part_of_another_address_is_not_used(server, tmp_path, state):
    (tmp_path / "file.bin.part").write_bytes(b"other")
    (tmp_path / "file.bin.part.json").write_text(state)
    get(server, tmp_path)
    assert files_in(tmp_path) == {"file.bin": CONTENT}


def test_a_silent_server(server, tmp_path):
    server.files["file"] = Served(CONTENT, cut=70_000, silent=True)
    message = failure(server, tmp_path, timeout=0.3)
    assert message == (
        f"{server.url('file')}: silent for 0.3 s; the same command goes on from there"
    )
    server.files["file"] = Served(CONTENT)
    get(server, tmp_path)
    assert server.ranges == [None, "bytes=65536-"]
    assert files_in(tmp_path) == {"file.bin": CONTENT}


def test_a_redirection_is_followed(server, tmp_path):
    server.files["old"] = Served(status=301, location="/file")
    get(server, tmp_path, path="old")
    assert files_in(tmp_path) == {"file.bin": CONTENT}


@pytest.mark.parametrize(
    ("served", "message"),
    [
        (Served(status=404), "HTTP 404 Not Found; get it by hand"),
        (Served(status=410), "HTTP 410 Gone; get it by hand"),
        (Served(status=503), "HTTP 503 Service Unavailable; get it by hand"),
        (
            Served(b"<html>We have moved</html>", kind="text/html; charset=utf-8"),
            "answered with a web page instead of a file; get it by hand",
        ),
    ],
)
def test_an_address_that_is_of_no_use(server, tmp_path, served, message):
    server.files["file"] = served
    assert failure(server, tmp_path) == f"{server.url('file')}: {message}"
    assert files_in(tmp_path) == {}


def test_redirections_in_a_circle(server, tmp_path):
    server.files["file"] = Served(status=302, location="/file")
    assert failure(server, tmp_path).endswith("get it by hand")


def test_nobody_there(tmp_path):
    with serving() as gone:
        pass
    message = failure(gone, tmp_path)
    assert message.startswith(f"{gone.url('file')}: cannot be reached (")
    assert message.endswith("); get it by hand")


@pytest.mark.parametrize("url", ["nonsense", "http://", "http://[", "nonsense://x/y"])
def test_no_address_at_all(tmp_path, url):
    with pytest.raises(RemoteError, match=r"nonsense|http") as raised:
        download(url, tmp_path / "file.bin", by_hand=BY_HAND)
    assert "\n" not in str(raised.value)
    assert files_in(tmp_path) == {}


def test_more_than_the_disk_holds(server, tmp_path):
    server.files["file"] = Served(CONTENT, length=10**18)
    message = failure(server, tmp_path, InputError)
    assert message.startswith(f"{tmp_path}: expected room for 1,000,000,000,000.0 MB. Received: ")
    assert files_in(tmp_path) == {}


def test_a_folder_that_is_not_there(server, tmp_path):
    message = failure(server, tmp_path / "none", InputError)
    assert message.startswith(f"{tmp_path}/none")
