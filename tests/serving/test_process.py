"""`abcnn serve` as a user runs it: its real process, its workers, its end."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager
from urllib.parse import urlsplit

import httpx
import pytest

from tests.commands.process import ROOT, abcnn, error_of, start

READY = re.compile(r"(.*) \(([\w-]+)\) is served on (http://\S+) by process (\d+)\n")
PAIR = {"left": "The thief left.", "right": "At noon the burglar left the inn."}


@contextmanager
def running(*arguments, cwd, workers=1):
    """`abcnn serve` at a free port: the process, its address, the ids of those that answer."""
    process = start("serve", "--port", 0, "--workers", workers, *arguments, cwd=cwd)
    try:
        ready, seen = [], []
        while len(ready) < workers:
            line = process.stderr.readline()
            assert line, seen
            seen.append(line)
            if match := READY.fullmatch(line):
                ready.append(match)
        # What else is told must not fill the pipe.
        threading.Thread(target=process.stderr.read, daemon=True).start()
        yield process, ready[0][3], {int(match[4]) for match in ready}
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(20)


def test_the_example_of_the_help_runs(trained, tmp_path):
    """But for its port, which others may have."""
    words = shlex.split(abcnn("serve", "--help", cwd=tmp_path).stdout.split("Example: ")[1])
    program, command, folder, *options = words
    assert (program, command) == ("abcnn", "serve")
    shutil.copytree(trained("paraphrase").folder, tmp_path / folder)
    workers = int(options[options.index("--workers") + 1])
    options[options.index("--port") + 1] = "0"
    with running(folder, *options, cwd=tmp_path, workers=workers) as (process, address, _):
        assert httpx.get(f"{address}/health").json()["status"] == "ok"
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0


def connect(address):
    parts = urlsplit(address)
    return socket.create_connection((parts.hostname, parts.port), timeout=60)


@pytest.mark.parametrize(
    ("signum", "workers"), [(signal.SIGTERM, 1), (signal.SIGINT, 1), (signal.SIGTERM, 2)]
)
def test_a_stop_answers_what_is_under_way(trained, tmp_path, signum, workers):
    body = json.dumps(PAIR).encode()
    head = b"POST /score HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
    folder = trained("paraphrase").folder
    with running(folder, cwd=tmp_path, workers=workers) as (process, address, _):
        with connect(address) as connection:
            # Half a request, which the server has begun when it asks for the rest.
            connection.sendall(
                head + b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(body)
            )
            assert connection.recv(1 << 16).startswith(b"HTTP/1.1 100 ")
            process.send_signal(signum)
            wait_until_refused(address)
            connection.sendall(body)
            answer = b""
            while data := connection.recv(1 << 16):
                answer += data
        assert answer.startswith(b"HTTP/1.1 200 ")
        assert b'"score":' in answer
        assert process.wait(60) == 0


def wait_until_refused(address):
    """Until the server takes no more connections."""
    for _ in range(600):
        try:
            connect(address).close()
        except ConnectionRefusedError:
            return
        threading.Event().wait(0.05)
    raise AssertionError("the server still takes connections")


def test_workers_share_the_port_and_the_counters(trained, tmp_path):
    folder = trained("paraphrase").folder
    with running(folder, cwd=tmp_path, workers=2) as (process, address, workers):
        assert len(workers) == 2
        assert process.pid not in workers
        for _ in range(20):  # Each on a connection of its own.
            assert httpx.post(f"{address}/score", json=PAIR).status_code == 200
        text = httpx.get(f"{address}/metrics").text
        counted = re.search(r'abcnn_requests_total\{.*path="/score".*\} ([\d.]+)', text)
        assert counted
        assert float(counted[1]) == 20
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0


def test_a_port_in_use_is_told_before_the_model_is_loaded(trained, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = abcnn("serve", trained("paraphrase").folder, "--port", port, cwd=tmp_path)
    assert error_of(done) == (
        f"127.0.0.1, port {port}: cannot be listened on: Address already in use"
    )


@pytest.mark.parametrize("workers", [1, 2])
def test_a_bad_bundle_is_told_in_one_line(trained, tmp_path, workers):
    folder = tmp_path / "bundle"
    shutil.copytree(trained("paraphrase").folder, folder)
    (folder / "vocabulary.txt").write_text("cut")
    done = abcnn("serve", "bundle", "--port", 0, "--workers", workers, cwd=tmp_path)
    assert error_of(done).startswith("bundle/vocabulary.txt: ")
    assert error_of(abcnn("serve", "none", cwd=tmp_path)) == "none: there is no such folder"


def test_an_address_that_is_none(trained, tmp_path):
    done = abcnn("serve", trained("paraphrase").folder, "--host", "not a host", cwd=tmp_path)
    assert error_of(done, alone=False).startswith("not a host, port 8000: cannot be listened on: ")
    assert done.stderr.startswith("Warning: whoever reaches not a host may use this server\n")


def test_without_the_extra_one_line_says_what_to_install(trained, tmp_path):
    code = (
        "import sys; sys.modules['fastapi'] = None\n"
        "from abcnn.commands import main\n"
        f"main(['serve', {str(trained('paraphrase').folder)!r}])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr == "Error: fastapi is not installed: pip install 'abcnn[serve]'\n"
