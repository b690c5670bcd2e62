"""`abcnn data` as a user runs it: the real process, against a server on this machine."""

from __future__ import annotations

import json
import os
import pty
import resource

import pytest

from tests.commands.process import abcnn, command_line, environment, error_of, files_in
from tests.corpora.server import Served, serving
from tests.corpora.test_fetch import zipped


@pytest.fixture
def server():
    with serving() as running:
        yield running


def test_the_list(tmp_path):
    done = abcnn("data", "list", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.split()[0] for line in done.stdout.splitlines()[::2]] == [
        *("wikiqa", "msrp", "sick", "snli", "glove", "googlenews"),
    ]
    assert "Microsoft Research Data License Agreement" in done.stdout
    assert "SICK_trial.txt" in abcnn("data", "list", "--files", cwd=tmp_path).stdout
    corpora = json.loads(abcnn("data", "list", "--json", cwd=tmp_path).stdout)
    assert corpora[2]["archives"][0]["files"][0]["name"] == "SICK_train.txt"


def test_nothing_is_fetched_before_the_licence_is_agreed_to(server, tmp_path):
    mirror = ("--mirror", server.address)
    done = abcnn("data", "fetch", "sick", *mirror, cwd=tmp_path)
    assert error_of(done, alone=False) == ("the licence must be agreed to: read it, then add --yes")
    assert "licence: CC BY-NC-SA 3.0, not for commercial use" in done.stderr
    assert server.requests == []
    assert files_in(tmp_path) == {}


def on_a_terminal(*arguments, cwd, answer):
    """Run the command on a pseudo-terminal; what it shows there, and its exit code."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(cwd)
        line = command_line(*arguments)
        os.execve(line[0], line, environment())
    os.write(terminal, answer)
    shown = b""
    while True:
        try:
            shown += (block := os.read(terminal, 65536))
        except OSError:  # Linux's way to tell the end
            break
        if not block:
            break
    os.close(terminal)
    return shown.decode(), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def test_on_a_terminal_the_licence_is_asked_for_and_progress_is_shown(server, tmp_path):
    server.files["GoogleNews-vectors-negative300.bin.gz"] = Served(bytes(300_000))
    fetch = ("data", "fetch", "googlenews", "--mirror", server.address)
    shown, code = on_a_terminal(*fetch, cwd=tmp_path, answer=b"n\n")
    assert code == 1
    assert "Do you agree to the licence? [y/N]" in shown
    assert server.requests == []
    shown, code = on_a_terminal(*fetch, cwd=tmp_path, answer=b"y\n")
    assert code == 1  # these are no vectors
    assert "GoogleNews-vectors-negative300.bin.gz: 0.1 MB of 0.3 MB\r" in shown
    assert "is not the published file" in shown
    assert files_in(tmp_path) == {}


def test_what_goes_wrong_is_one_line(server, tmp_path):
    fetch = ("data", "fetch", "sick", "--yes", "--mirror", server.address)
    moved = error_of(abcnn(*fetch, cwd=tmp_path), alone=False)
    assert moved == (
        f"{server.address}/sick_train.zip: HTTP 404 Not Found; get sick_train.zip from "
        "https://alt.qcri.org/semeval2014/task1/, put it into corpora/sick and give the same "
        "command again, or name another address with --mirror"
    )
    server.files["sick_train.zip"] = Served(zipped(**{"SICK_train.txt": b"wrong"}))
    wrong = error_of(abcnn(*fetch, cwd=tmp_path), alone=False)
    assert wrong.startswith("corpora/sick/sick_train.zip, SICK_train.txt: is not the published")
    assert files_in(tmp_path) == {}
    server.files["sick_train.zip"] = Served(bytes(1000), cut=10, silent=True)
    silent = error_of(abcnn(*fetch, "--timeout", "0.3", cwd=tmp_path), alone=False)
    assert silent.endswith("silent for 0.3 s; the same command goes on from there")
    unknown = error_of(abcnn("data", "fetch", "trec", "--yes", cwd=tmp_path))
    assert unknown.startswith("`name` must be one of wikiqa, ")


def test_a_full_disk(server, tmp_path):
    server.files["sick_train.zip"] = Served(bytes(500_000))
    done = abcnn(
        *("data", "fetch", "sick", "--yes", "--mirror", server.address),
        cwd=tmp_path,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000)),
    )
    assert error_of(done, alone=False) == (
        "corpora/sick/sick_train.zip.part: cannot be written: File too large"
    )
    assert set(files_in(tmp_path / "corpora" / "sick")) == {
        "sick_train.zip.part", "sick_train.zip.part.json",
    }  # fmt: skip


def test_an_installer(server, tmp_path):
    server.files["MSRParaphraseCorpus.msi"] = Served(b"MSI")
    done = abcnn("data", "fetch", "msrp", "--yes", "--mirror", server.address, cwd=tmp_path)
    assert error_of(done, alone=False) == (
        "corpora/msrp/MSRParaphraseCorpus.msi: is there, and to be unpacked by hand: run "
        "`cabextract MSRParaphraseCorpus.msi` in corpora/msrp, then give the same command again"
    )


def test_check(tmp_path):
    (tmp_path / "WikiQA-dev.tsv").write_text("changed")
    done = abcnn("data", "check", ".", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout == "WikiQA-dev.tsv: differs\n"
    done = abcnn("data", "check", "none", cwd=tmp_path)
    assert error_of(done) == "none: expected a folder. Received: no such folder"


@pytest.mark.corpora
def test_a_real_corpus_from_its_archives(corpora, server, tmp_path):
    """SICK's files, packed as their publisher does it, under the real checksums."""
    names = {
        "sick_train.zip": "SICK_train.txt",
        "sick_trial.zip": "SICK_trial.txt",
        "sick_test_annotated.zip": "SICK_test_annotated.txt",
    }
    for archive, name in names.items():
        content = (corpora / "sick" / name).read_bytes()
        server.files[archive] = Served(zipped(**{f"SICK/{name}": content, "readme.txt": b""}))
    fetch = ("data", "fetch", "sick", "--yes", "--to", "data", "--mirror", server.address)
    done = abcnn(*fetch, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        f"data/sick/{name}: as published" for name in names.values()
    ]
    checked = abcnn("data", "check", "data", cwd=tmp_path)
    assert sorted(checked.stdout.splitlines()) == sorted(done.stdout.splitlines())
    from abcnn.readers import read_pairs

    assert len(read_pairs(str(tmp_path / "data/sick/SICK_train.txt")).pairs) == 4500
