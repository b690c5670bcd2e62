"""`abcnn search` as a user runs it."""

from __future__ import annotations

import json
import re
import shlex
import signal

import pytest

from tests.commands.process import SAMPLES, abcnn, error_of, files_in, read_until, start

ANSWERS = SAMPLES / "answer-selection"
FILES = ("--train", ANSWERS / "train.tsv", "--dev", ANSWERS / "dev.tsv")
SMALL = ("--model", "bcnn", "--epochs", 2, "--batch-size", 64, "--vectors", "some vectors.txt")
COMMAND = ("search", "answer-selection", *FILES, *SMALL, "--search", "filters=4..8", "--seed", 3)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the file of vectors."""
    folder = tmp_path_factory.mktemp("search")
    words = ("the", "a", "of", "in", "is", "was", "what", "who", "where", "when", "?", ".")
    lines = (f"{word} {number % 3} {number % 5} 0.5 1\n" for number, word in enumerate(words))
    (folder / "some vectors.txt").write_text("".join(lines))
    return folder


@pytest.fixture(scope="module")
def whole(folder):
    """A search of three trials that was not interrupted."""
    pytest.importorskip("optuna")
    done = abcnn(*COMMAND, "--trials", 3, "--out", "whole", "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def stop(signum, line, folder):
    """The exit code of the command when a signal comes after a line that it tells."""
    process = start(*COMMAND, "--trials", 3, "--out", "parts", cwd=folder)
    try:
        assert process.stderr is not None
        read_until(process.stderr, line)
        process.send_signal(signum)
        return process.wait(120)
    finally:
        process.kill()
        process.wait()


def outcomes(document):
    return [
        {name: value for name, value in trial.items() if name != "seconds"}
        for trial in document["trials"]
    ]


def test_the_command_that_it_prints_trains_what_it_measured(folder, whole):
    done = abcnn(*COMMAND, "--trials", 3, "--out", "whole", cwd=folder)
    assert done.returncode == 0, done.stderr
    table, last = done.stdout.splitlines(), done.stdout.splitlines()[-1]
    assert last == whole["best"]["command"]
    assert table[2].split()[1] == str(whole["best"]["number"])
    assert whole["best"]["dev"] == max(trial["dev"] for trial in whole["trials"])
    assert "--test" not in last
    # The last trial too, so that it is not only the defaults that are trained again.
    for trial in {one["number"]: one for one in (whole["best"], whole["trials"][-1])}.values():
        line = re.sub(r"--out \S+", f"--out again-{trial['number']}", last)
        for name, value in trial["values"].items():
            text = ",".join(value) or "none" if isinstance(value, list) else str(value)
            line = re.sub(
                rf"--{name.replace('_', '-')} \S+", f"--{name.replace('_', '-')} {text}", line
            )
        if trial["number"] == whole["best"]["number"]:
            assert line.replace(f"again-{trial['number']}", "whole/best") == last
        program, *words = shlex.split(line)
        assert program == "abcnn"
        trained = abcnn(*words, cwd=folder)
        assert trained.returncode == 0, trained.stderr
        metrics = json.loads((folder / f"again-{trial['number']}" / "metrics.json").read_text())
        assert metrics["dev"][whole["measure"]] == trial["dev"]


def test_killed_and_interrupted_it_goes_on_to_the_same_trials(folder, whole):
    assert stop(signal.SIGKILL, "trial 2 of 3: learning_rate", folder) == -signal.SIGKILL
    assert stop(signal.SIGINT, "trial 3 of 3: learning_rate", folder) == 130
    done = abcnn(*COMMAND, "--trials", 3, "--out", "parts", "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "trials that are there already: 2" in done.stderr
    assert outcomes(json.loads(done.stdout)) == outcomes(whole)
    assert list(files_in(folder / "parts")) == ["journal.log"]


def test_other_data_are_refused(folder, whole):
    before = files_in(folder / "whole")
    other = (*COMMAND, "--trials", 3, "--out", "whole", "--dev", ANSWERS / "test.tsv")
    error = error_of(abcnn(*other, cwd=folder))
    assert error == (
        "whole/journal.log: the trials there have other dev. To go on with them, give the same; "
        "to begin anew, --force"
    )
    assert files_in(folder / "whole") == before


def test_what_is_wrong_is_told_before_anything_is_trained(tmp_path):
    pytest.importorskip("optuna")
    command = ("search", "answer-selection", *FILES, "--trials", 1, "--out", "out")
    bad = abcnn(*command, "--search", "filters=8..4", cwd=tmp_path)
    assert error_of(bad) == (
        "`--search` must be filters=low..high with low below high. Received: 'filters=8..4'"
    )
    both = abcnn(*command, "--search", "filters=4..8", "--filters", 5, cwd=tmp_path)
    assert error_of(both).startswith("`filters` must be given or searched. Received: both")
    missing = abcnn(*command, "--dev", "none.tsv", cwd=tmp_path)
    assert error_of(missing) == "none.tsv: there is no such file"
    none = abcnn(*command, "--trials", 0, cwd=tmp_path)
    assert (none.returncode, none.stdout) == (2, "")
    assert list(tmp_path.iterdir()) == []


def test_when_no_trial_is_finished_the_exit_code_says_so(tmp_path):
    pytest.importorskip("optuna")
    steep = ("--optimizer", "sgd", "--search", "learning_rate=1e29..1e30:log", "--dim", 8)
    done = abcnn(
        *("search", "answer-selection", *FILES, "--trials", 1, "--out", "out", *steep),
        *("--model", "average"),
        cwd=tmp_path,
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert done.stdout.splitlines()[-1] == "trials: 1 failed"
    assert done.stderr.splitlines()[-1].startswith("no trial was finished; the last one: the ")


def test_when_the_time_is_up_before_the_first_trial_it_says_so(tmp_path):
    pytest.importorskip("optuna")
    done = abcnn(
        *("search", "answer-selection", *FILES, "--trials", 2, "--out", "out", "--timeout", 0),
        *("--model", "average", "--dim", 8),
        cwd=tmp_path,
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert done.stdout.splitlines()[-1] == "trials: none"
    assert done.stderr.splitlines()[-1] == "no trial was begun before the time was up"
