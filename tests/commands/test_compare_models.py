"""`abcnn compare-models` as a user runs it."""

from __future__ import annotations

import json
import signal
from pathlib import Path

from tests.commands.process import SAMPLES, abcnn, error_of, files_in, read_until, start

FILES = (
    *("--train", SAMPLES / "paraphrase" / "train.tsv"),
    *("--dev", SAMPLES / "paraphrase" / "dev.tsv"),
)
SMALL = ("--epochs", 1, "--dim", 8, "--filters", 4, "--batch-size", 64, "--seeds", 1)
COMMAND = ("compare-models", "paraphrase", *FILES, *SMALL, "--models", "average,bcnn")


def stop(signum: int, line: str, cwd: Path) -> int:
    """The exit code of the command when a signal comes after a line that it tells."""
    process = start(*COMMAND, "--out", "out", cwd=cwd)
    try:
        assert process.stderr is not None
        read_until(process.stderr, line)
        process.send_signal(signum)
        return process.wait(120)
    finally:
        process.kill()
        process.wait()


def test_killed_or_interrupted_it_keeps_what_is_finished_and_goes_on(tmp_path):
    stop(signal.SIGKILL, "average, seed 0 (1 of 2): dev accuracy", tmp_path)
    finished = files_in(tmp_path / "out")
    assert list(finished) == ["runs/average-0.json"]
    assert stop(signal.SIGINT, "bcnn, seed 0 (2 of 2) ...", tmp_path) == 130
    assert files_in(tmp_path / "out") == finished

    done = abcnn(*COMMAND, "--out", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    whole = files_in(tmp_path / "out")
    assert sorted(whole) == [
        "models.csv",
        "models.json",
        "models.md",
        "models.svg",
        "runs/average-0.json",
        "runs/bcnn-0.json",
    ]
    assert whole["runs/average-0.json"] == finished["runs/average-0.json"]
    assert done.stdout in whole["models.md"].decode()
    assert [line.split()[1] for line in done.stdout.splitlines()[2:]] == ["average", "bcnn"]
    assert "test" not in json.loads(whole["models.json"])["conditions"]


def test_what_is_wrong_is_told_before_anything_is_trained(tmp_path):
    unread = abcnn(*COMMAND, "--heads", 2, "--out", "out", cwd=tmp_path)
    assert error_of(unread).startswith("`heads` must be 4 with average, which does not read it")
    missing = abcnn(*COMMAND, "--dev", "none.tsv", "--out", "out", cwd=tmp_path)
    assert error_of(missing) == "none.tsv: there is no such file"
    assert list(tmp_path.iterdir()) == []
