"""Scoring that is killed goes on from its parts: one row out for each row in, to the last byte."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from abcnn.errors import InputError, OutputError
from abcnn.scoring.checkpoint import CheckpointPlace
from abcnn.scoring.files import score_files
from tests.commands.process import files_in
from tests.scoring.toy import CHUNK_ROWS, rows_of, toy

ROOT = Path(__file__).resolve().parents[2]
ROWS = 20_000


def start(*arguments):
    """The toy as a process of its own session, so that what it started is found again."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.scoring.toy", *map(str, arguments)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout.readline() == "ready\n", process.stderr.read()
    return process


def wait_for_all_of(process):
    """Until no process of its session is alive; AssertionError when one lingers."""
    end = time.monotonic() + 60
    while alive_in(process.pid):
        assert time.monotonic() < end, "a worker outlives the process that started it"
        time.sleep(0.02)


def alive_in(session):
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(fields[3]) == session and fields[0] not in "ZX":
            found.append(stat)
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs a Linux /proc")
@pytest.mark.parametrize("task", ["paraphrase", "answer-selection"])
def test_killed_at_random_moments(tmp_path, task):
    """Five moments a task, ten in all: of readings and writings, with workers and without."""
    source, output = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text(rows_of(ROWS))
    score_files(
        toy(tmp_path, task=task, rest=0.01), [source], tmp_path / "whole.csv", chunk_rows=CHUNK_ROWS
    )
    before = files_in(tmp_path)
    generator, kills = random.Random(task), 0
    while kills < 5:
        resume = ["--resume"] if kills else []
        process = start(task, source, output, 2 if kills == 2 else 1, *resume)
        time.sleep(generator.uniform(0.0, 0.3) + (kills == 2))
        process.kill()
        _, err = process.communicate()
        assert process.returncode in (0, -signal.SIGKILL), err
        kills += process.returncode == -signal.SIGKILL
        wait_for_all_of(process)
        if output.exists():  # It was faster, if only by the last step: again from the start.
            assert output.read_bytes() == before["whole.csv"]
            output.unlink()
    score_files(
        toy(tmp_path, task=task, rest=0.01), [source], output, chunk_rows=CHUNK_ROWS, resume=True
    )
    assert output.read_bytes() == before["whole.csv"]
    output.unlink()
    assert files_in(tmp_path) == before


@pytest.fixture
def killed(tmp_path):
    """A scoring that was interrupted after some parts, and what takes it up again."""
    source, output = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text(rows_of(2_000))
    scorer = toy(tmp_path)

    def stop(rows):
        raise KeyboardInterrupt

    def score(**options):
        return score_files(scorer, [source], output, chunk_rows=CHUNK_ROWS, **options)

    with pytest.raises(KeyboardInterrupt):
        score(on_rows=stop)
    assert sorted(path.name for path in tmp_path.glob("out*")) == ["out.csv.parts"]
    return score


def test_parts_are_neither_lost_nor_taken_unasked(killed, tmp_path):
    before = files_in(tmp_path)
    with pytest.raises(InputError, match=r"out\.csv\.parts: holds the finished parts .* --resume"):
        killed()
    assert files_in(tmp_path) == before
    assert killed(resume=True).rows == 2_000
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bundle", "in.csv", "out.csv"]


@pytest.mark.parametrize(
    ("change", "options", "what"),
    [
        ("in.csv", {}, "input"),
        ("bundle/config.json", {}, "model"),
        (None, {"left_column": "answer", "right_column": "question"}, "options"),
    ],
)
def test_parts_of_another_scoring_are_refused(killed, tmp_path, change, options, what):
    if change is not None:
        with (tmp_path / change).open("a") as file:
            file.write("q1,Who?,one more\n")
    before = files_in(tmp_path)
    with pytest.raises(InputError, match=rf"is of another scoring, its {what} differ\. To go on"):
        killed(resume=True, **options)
    assert files_in(tmp_path) == before


def test_a_part_that_is_cut_is_scored_again(killed, tmp_path):
    (part,) = (tmp_path / "out.csv.parts").glob("*.npz")
    content = part.read_bytes()
    part.write_bytes(content[: len(content) // 2])
    killed(resume=True)
    resumed = (tmp_path / "out.csv").read_bytes()
    killed()
    assert (tmp_path / "out.csv").read_bytes() == resumed


def test_a_bad_row_takes_its_parts_with_it(tmp_path):
    """They are of no use: the input has to be changed."""
    (tmp_path / "in.csv").write_text(rows_of(2_000) + "q1,Who?\n")
    before = files_in(tmp_path)
    with pytest.raises(InputError, match=r"row 2001 \(line 2002\): expected 3 cells"):
        score_files(
            toy(tmp_path), [tmp_path / "in.csv"], tmp_path / "out.csv", chunk_rows=CHUNK_ROWS
        )
    assert set(files_in(tmp_path)) == {*before, "bundle/config.json"}


def test_two_processes_do_not_write_the_same_parts(tmp_path):
    place = CheckpointPlace(tmp_path / "parts", {}, resume=True)
    with place.open(), pytest.raises(InputError, match="another process is writing to it"):
        place.open().__enter__()


def test_what_cannot_be_written_keeps_its_parts(tmp_path):
    place = CheckpointPlace(tmp_path / "parts", {})
    with pytest.raises(OutputError), place.open():
        raise OutputError("out.csv: cannot be written: No space left on device")
    assert (tmp_path / "parts").is_dir()
