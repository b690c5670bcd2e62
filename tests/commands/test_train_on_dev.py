"""`abcnn train --train-on-dev` and what goes with it, as a user runs it."""

from __future__ import annotations

import signal

import numpy as np

import abcnn as toolkit
from tests.commands.process import SAMPLES, TINY, abcnn, error_of, read_until, start

ANSWERS = SAMPLES / "answer-selection"
PARAPHRASES = SAMPLES / "paraphrase"
RUN = ("train", "answer-selection", *TINY, "--epochs", 3, "--seed", 7, "--train-on-dev")
RUN += ("--train", ANSWERS / "train.tsv", "--dev", ANSWERS / "dev.tsv", "--batch-size", 16)
RUN += ("--word-dropout", 0.1, "--schedule", "cosine", "--warmup", 0.1)


def assert_equal(one, other):
    for mine, same in zip(one.members, other.members, strict=True):
        for name, array in mine.items():
            np.testing.assert_array_equal(same[name], array, err_msg=name)
    assert (one.threshold, one.metrics) == (other.threshold, other.metrics)


def test_killed_in_the_second_training_and_resumed(tmp_path):
    test = ("--test", ANSWERS / "test.tsv")
    whole = start(*RUN, *test, "--out", "whole", cwd=tmp_path)
    broken = start(*RUN, *test, "--out", "broken", cwd=tmp_path)
    read_until(broken.stderr, "once more, on train and dev")
    broken.kill()
    broken.communicate()
    out, err = whole.communicate()
    assert (whole.returncode, broken.returncode) == (0, -signal.SIGKILL), err
    assert [line.split(":")[0] for line in out.splitlines()] == [
        "dev (before it was trained on)",
        "test",
    ]
    assert not (tmp_path / "broken").exists()
    done = abcnn(*RUN, *test, "--out", "broken", "--resume", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == out
    assert "\nepoch 1: " not in done.stderr
    assert not (tmp_path / "broken.training").exists()
    assert_equal(*(toolkit.load(tmp_path / name) for name in ("whole", "broken")))
    said = abcnn("info", "whole", cwd=tmp_path).stdout
    assert "dev (before it was trained on)  MAP" in said
    assert "trained once more, on train and dev" in said


def test_an_ensemble_goes_on_with_the_networks_that_are_finished(tmp_path):
    command = (*RUN, "--seeds", 2, "--ensemble")
    whole = start(*command, "--out", "whole", cwd=tmp_path)
    broken = start(*command, "--out", "broken", cwd=tmp_path)
    read_until(broken.stderr, "seed 7 (1 of 2): dev map")
    broken.kill()
    broken.communicate()
    out, err = whole.communicate()
    assert whole.returncode == 0, err
    assert "dev was measured before it was trained on" in err
    done = abcnn(*command, "--out", "broken", "--resume", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, out), done.stderr
    assert "seed 7 (1 of 2) ..." not in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["broken", "whole"]
    assert_equal(*(toolkit.load(tmp_path / name) for name in ("whole", "broken")))


def test_the_models_that_are_compared_and_a_teacher(tmp_path):
    done = abcnn(
        *("train", "paraphrase", "--train", PARAPHRASES / "train.tsv", "--out", "out"),
        *("--teacher-column", "label", "--train-on-dev"),
        cwd=tmp_path,
    )
    assert error_of(done) == "`train_on_dev` must be False with a teacher. Received: True"
    done = abcnn(
        *("compare-models", "paraphrase", "--train", PARAPHRASES / "train.tsv", "--dim", 8),
        *("--dev", PARAPHRASES / "dev.tsv", "--models", "average", "--seeds", 1, "--epochs", 1),
        *("--train-on-dev", "--word-dropout", 0.1, "--out", "compared"),
        cwd=tmp_path,
    )
    assert error_of(done, alone=False) == (
        "`train_on_dev` must be False in a comparison of models, which measures on dev. "
        "Received: True"
    )
    assert not list(tmp_path.iterdir())
