"""`abcnn train --seeds` and `--ensemble` as a user runs them."""

from __future__ import annotations

import csv
import json
import signal

import numpy as np
import pytest

import abcnn as toolkit
from tests.commands.process import SAMPLES, TINY, abcnn, error_of, files_in, read_until, start

ANSWERS = SAMPLES / "answer-selection"
FILES = ("--train", ANSWERS / "train.tsv", "--dev", ANSWERS / "dev.tsv")
COMMAND = ("train", "answer-selection", *FILES, *TINY, "--epochs", 2)
ENSEMBLE = (*COMMAND, "--seeds", 3, "--ensemble", "--seed", 7)


@pytest.fixture(scope="module")
def ensembles(tmp_path_factory):
    """A folder with the bundle `whole`, and what its training said."""
    folder = tmp_path_factory.mktemp("ensembles")
    done = abcnn(*ENSEMBLE, "--test", ANSWERS / "test.tsv", "--out", "whole", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder, done


def test_an_ensemble_is_one_bundle_that_says_what_it_is(ensembles):
    folder, done = ensembles
    assert [line.split(":")[0] for line in done.stdout.splitlines()] == ["dev", "test"]
    assert sorted(path.name for path in folder.iterdir() if path.name.startswith("whole")) == [
        "whole"
    ]
    said = abcnn("info", "whole", cwd=folder).stdout
    assert "the mean of 3 networks: bcnn" in said
    assert all(f"seed {seed}" in said for seed in (7, 8, 9))
    matcher = toolkit.load(folder / "whole")
    assert len(matcher.members) == 3
    history = (folder / "whole" / "history.csv").read_text().splitlines()
    assert history[0].startswith("seed,number,")
    assert [line.split(",")[0] for line in history[1:]] == ["7", "7", "8", "8", "9", "9"]


def test_every_command_takes_it(ensembles):
    folder, _ = ensembles
    test = str(ANSWERS / "test.tsv")
    scores = {}
    for name, options in {
        "fast": (),
        "keras": ("--engine", "keras"),
        "workers": ("--workers", "4"),
    }.items():
        out = folder / f"{name}.csv"
        done = abcnn("predict", "whole", test, "-o", out, *options, cwd=folder)
        assert done.returncode == 0, done.stderr
        with out.open(newline="", encoding="utf-8") as file:
            scores[name] = [float(row["score"]) for row in csv.DictReader(file)]
    np.testing.assert_allclose(scores["fast"], scores["keras"], atol=1e-5)
    assert (folder / "workers.csv").read_bytes() == (folder / "fast.csv").read_bytes()
    for command in (
        ("evaluate", "whole", test),
        ("explain", "whole", "--left", "Who wrote it?", "--right", "The doctor.", "-o", "e.html"),
        ("report", "whole", test, "-o", "report.html"),
        ("export", "whole", "-o", "exported", "--format", "numpy"),
    ):
        done = abcnn(*command, cwd=folder)
        assert done.returncode == 0, (command, done.stderr)
    assert "a line for each network" in (folder / "report.html").read_text()


def test_killed_interrupted_and_resumed_it_is_the_same(ensembles):
    folder, _ = ensembles
    command = (*ENSEMBLE, "--test", ANSWERS / "test.tsv", "--out", "broken")
    process = start(*command, cwd=folder)
    read_until(process.stderr, "seed 7 (1 of 3): dev map")
    process.kill()
    process.communicate()
    members = folder / "broken.members"
    assert (members / "seed-7" / "config.json").is_file()
    assert not (folder / "broken").exists()
    assert "holds runs; --resume goes on with them" in error_of(abcnn(*command, cwd=folder))
    other = abcnn(*command, "--filters", 5, "--resume", cwd=folder)
    assert "seeds.json: the runs there have other filters. To go on" in error_of(other, alone=False)

    finished = files_in(members / "seed-7")
    process = start(*command, "--resume", cwd=folder)
    lines = read_until(process.stderr, "epoch 1: ")
    assert next(line for line in lines if "seed 7" in line).startswith("seed 7 (1 of 3): dev map")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode == 130, err
    assert err.splitlines()[-1].startswith("interrupted: ")
    assert err.splitlines()[-1].endswith(" of 3 runs are finished and kept; --resume goes on")
    assert "Traceback" not in err
    assert files_in(members / "seed-7") == finished

    done = abcnn(*command, "--resume", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert not members.exists()
    whole, resumed = (toolkit.load(folder / name) for name in ("whole", "broken"))
    for one, same in zip(whole.members, resumed.members, strict=True):
        for name, array in one.items():
            np.testing.assert_array_equal(same[name], array, err_msg=name)
    assert (whole.threshold, whole.metrics) == (resumed.threshold, resumed.metrics)


def test_runs_of_their_own_are_those_of_their_seeds(tmp_path):
    done = abcnn(*COMMAND, "--seeds", 2, "--out", "runs", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    alone = abcnn(*COMMAND, "--seed", 1, "--out", "alone", cwd=tmp_path)
    assert alone.returncode == 0, alone.stderr
    one, same = (toolkit.load(tmp_path / name) for name in ("alone", "runs/seed-1"))
    for name, array in one.weights.items():
        np.testing.assert_array_equal(same.weights[name], array, err_msg=name)
    record = json.loads((tmp_path / "runs" / "seeds.json").read_text())
    values = [run["metrics"]["dev"]["map"] for run in record["runs"]]
    assert record["spread"]["dev"]["map"]["mean"] == pytest.approx(sum(values) / 2)
    assert done.stdout.splitlines()[1].split() == [
        *("dev", "MAP"),
        *(f"{np.mean(values):.4f}", f"{np.std(values, ddof=1):.4f}"),
    ]
    again = abcnn(*COMMAND, "--seeds", 2, "--out", "runs", "--resume", cwd=tmp_path)
    assert (again.returncode, again.stdout) == (0, done.stdout)
    assert "epoch 1:" not in again.stderr


def test_what_does_not_go_together(tmp_path):
    for options, told in (
        (("--ensemble",), "`seeds` must be at least 2. Received: 1"),
        (("--seeds", 2, "--memory-map"), "`memory_map` is for one run. Received: --seeds 2"),
        (("--seeds", 2, "--mlflow"), "`mlflow` is for one run. Received: --seeds 2"),
    ):
        assert error_of(abcnn(*COMMAND, *options, "--out", "out", cwd=tmp_path)) == told
    assert list(tmp_path.iterdir()) == []
