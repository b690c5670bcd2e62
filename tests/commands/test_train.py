"""`abcnn train` as a user runs it: the real process, killed, interrupted, resumed, refused."""

from __future__ import annotations

import csv
import json
import re
import resource
import shutil
import signal

import numpy as np
import pytest
from click.testing import CliRunner

import abcnn as toolkit
from abcnn.commands import main
from abcnn.readers import read_pairs
from tests.commands.process import SAMPLES, TINY, abcnn, error_of, files_in, read_until, start

ANSWERS = SAMPLES / "answer-selection"
PARAPHRASES = SAMPLES / "paraphrase"
BUNDLE = {
    *("config.json", "vocabulary.txt", "words.json", "vectors.npy", "weights.npz"),
    *("metrics.json", "history.csv", "README.md"),
}
EPOCHS = 6
# Small batches, so that an epoch takes long enough to be killed in; random numbers in each of them.
LONG = ["train", "answer-selection", *TINY, "--batch-size", 8, "--vector-dropout", 0.2]
LONG += ["--train", ANSWERS / "train.tsv", "--dev", ANSWERS / "dev.tsv"]
# At this rate dev goes on to get better, so that the best weights come after all interruptions.
LONG += ["--epochs", EPOCHS, "--patience", EPOCHS, "--seed", 7, "--learning-rate", 0.003]


def weights_of(bundle):
    """Every array of the network by name."""
    with np.load(bundle / "weights.npz") as others:
        return {"vectors": np.load(bundle / "vectors.npy")} | dict(others)


def config_of(bundle):
    return json.loads((bundle / "config.json").read_text())


def history_of(bundle):
    """Loss and dev measure of every epoch, to the last digit, and which were the best so far."""
    rows = csv.DictReader((bundle / "history.csv").open())
    return [{name: row[name] for name in ("number", "loss", "dev", "best")} for row in rows]


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A folder with two runs of the same options: `whole`, and `broken`, killed in epoch 2.

    Both at once, since each keeps one processor busy. Gives the folder and what `whole` printed.
    """
    folder = tmp_path_factory.mktemp("runs")
    whole = start(*LONG, "--test", ANSWERS / "test.tsv", "--out", "whole", cwd=folder)
    broken = start(*LONG, "--out", "broken", cwd=folder)
    read_until(broken.stderr, "epoch 1: ")
    broken.kill()
    broken.communicate()
    out, err = whole.communicate()
    assert (whole.returncode, broken.returncode) == (0, -signal.SIGKILL), err
    return folder, out, err


def test_a_run_says_what_it_does_and_leaves_a_whole_bundle(runs):
    folder, out, err = runs
    lines = err.splitlines()
    epochs = [line for line in lines if line.startswith("epoch ")]
    assert len(epochs) == EPOCHS
    for number, line in enumerate(epochs, start=1):
        assert re.fullmatch(
            rf"epoch {number}: loss \d\.\d{{4}}, dev map 0\.\d{{4}}, \d+\.\d s"
            r"(  \(best so far\))?",
            line,
        )
    assert epochs[0].endswith("(best so far)")
    assert lines[0] == "labels, in this order: 0, 1"
    assert re.fullmatch(r"best epoch: \d; written to whole", lines[-1])

    bundle = folder / "whole"
    assert {file.name for file in bundle.iterdir()} == BUNDLE
    assert not (folder / "whole.training").exists()
    metrics = json.loads((bundle / "metrics.json").read_text())
    dev, test = out.splitlines()
    for line, part in ((dev, "dev"), (test, "test")):
        values = metrics[part]
        assert line == (
            f"{part}: MAP {values['map']:.4f}, MRR {values['mrr']:.4f}, "
            f"P@1 {values['p_at_1']:.4f} ({values['questions']} questions)"
        )
    history = history_of(bundle)
    assert [row["number"] for row in history] == [str(n + 1) for n in range(EPOCHS)]
    best = max(range(EPOCHS), key=lambda n: float(history[n]["dev"]))
    assert config_of(bundle)["about"]["best_epoch"] == best + 1
    assert float(history[best]["dev"]) == pytest.approx(metrics["dev"]["map"], abs=1e-9)


def test_killed_interrupted_and_resumed_it_ends_with_the_same_weights(runs):
    folder = runs[0]
    broken, state = folder / "broken", folder / "broken.training"
    # Killed: no bundle, and the state of whole epochs. Nothing goes on from it or over it unasked.
    assert not broken.exists()
    assert (state / "checkpoint.npz").is_file()
    before = files_in(state)
    done = abcnn(*LONG, "--out", "broken", cwd=folder)
    assert error_of(done) == (
        "broken.training: holds an interrupted run; --resume goes on with it, --force starts anew"
    )
    other = CliRunner().invoke(
        main, [*map(str, LONG), "--filters", "5", "--out", str(broken), "--resume"]
    )
    assert other.exit_code == 1
    assert other.stderr.splitlines()[-1] == (
        f"Error: {state / 'checkpoint.npz'}: belongs to a run with other data or options. "
        "To go on with it, give the same ones; to start anew, --force"
    )
    assert files_in(state) == before

    # Ctrl-C after one more epoch at least: what is best so far becomes a bundle.
    process = start(*LONG, "--out", "broken", "--resume", cwd=folder)
    lines = read_until(process.stderr, "epoch ")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    err = "".join(lines) + err
    assert process.returncode == 130, err
    assert "epoch 1:" not in err  # it went on, and did not start anew
    assert err.endswith("interrupted: the best epoch so far was kept; --resume goes on\n")
    assert "Traceback" not in err
    assert out.startswith("dev: MAP ")
    assert {file.name for file in broken.iterdir()} == BUNDLE
    about = config_of(broken)["about"]
    assert about["interrupted"]
    assert 1 < about["epochs"] < EPOCHS
    matcher = toolkit.load(broken)
    dev = read_pairs(ANSWERS / "dev.tsv", require_labels=True).pairs
    assert matcher.evaluate(dev).map == matcher.metrics["dev"]["map"]
    done = abcnn(*LONG, "--out", "broken", cwd=folder)
    assert "holds an interrupted run; --resume goes on" in error_of(done)

    done = abcnn(*LONG, "--out", "broken", "--resume", "--test", ANSWERS / "test.tsv", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert f"epoch {about['epochs'] + 1}: " in done.stderr
    assert f"epoch {about['epochs']}: " not in done.stderr
    assert not state.exists()
    assert done.stdout == runs[1]
    assert history_of(broken) == history_of(folder / "whole")
    assert config_of(broken)["about"]["best_epoch"] > about["epochs"]
    whole = weights_of(folder / "whole")
    resumed = weights_of(broken)
    assert whole.keys() == resumed.keys()
    assert len(whole) > 4
    for name, array in whole.items():
        np.testing.assert_array_equal(resumed[name], array, err_msg=name, strict=True)
    assert config_of(broken)["threshold"] == config_of(folder / "whole")["threshold"]
    for name in ("words.json", "metrics.json"):
        assert json.loads((broken / name).read_text()) == json.loads(
            (folder / "whole" / name).read_text()
        )
    assert (broken / "vocabulary.txt").read_text() == (
        folder / "whole" / "vocabulary.txt"
    ).read_text()


def test_a_finished_run_is_left_alone(runs):
    folder = runs[0]
    before = files_in(folder / "whole")
    expected = "whole: holds a finished run; --force replaces it, --out names another folder"
    for more in ([], ["--resume"]):
        assert error_of(abcnn(*LONG, "--out", "whole", *more, cwd=folder)) == expected
        assert files_in(folder / "whole") == before


def test_force_replaces_a_run_and_dev_is_held_out_when_it_is_not_given(trained, tmp_path):
    shutil.copytree(trained("entailment").folder, tmp_path / "run")
    (tmp_path / "run" / "weights.npz").write_bytes(b"damaged")
    train = ["train", "paraphrase", *TINY, "--train", PARAPHRASES / "train.tsv", "--epochs", 1]
    train += ["--class-weight", "balanced", "--dev-share", 0.25, "--out", "run", "--json"]
    done = abcnn(*train, "--force", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    labels = [
        line.split("\t")[2] for line in (PARAPHRASES / "train.tsv").read_text().splitlines()[1:]
    ]
    metrics = json.loads(done.stdout)
    assert list(metrics) == ["dev"]
    assert metrics["dev"]["pairs"] == round(len(labels) / 4)
    config = config_of(tmp_path / "run")
    assert config["task"] == "paraphrase"
    assert config["about"]["options"]["class_weight"] == "balanced"
    for label in "01":  # Stratified: of each label a quarter.
        held = config["about"]["data"]["dev"]["labels"][label]
        assert held == pytest.approx(labels.count(label) / 4, abs=1)
        assert held + config["about"]["data"]["train"]["labels"][label] == labels.count(label)
    assert f"dev: {round(len(labels) / 4)} pairs held out of " in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run"]


def test_balanced_weights_change_what_is_learnt(tmp_path):
    """Right answers are few: unweighted, the mean probability is low, with weights near a half."""
    means = []
    for name in ("none", "balanced"):
        done = CliRunner().invoke(
            main,
            [
                *("train", "answer-selection", *TINY, "--learning-rate", "0.05", "--epochs", "3"),
                *("--train", str(ANSWERS / "train.tsv"), "--dev", str(ANSWERS / "dev.tsv")),
                *("--loss", "pointwise", "--class-weight", name, "--out", str(tmp_path / name)),
            ],
        )
        assert done.exit_code == 0, done.stderr
        dev = read_pairs(ANSWERS / "dev.tsv").pairs
        means.append(toolkit.load(tmp_path / name).predict(dev).scores.mean())
    assert means[0] + 0.1 < means[1]


def test_a_loss_that_is_not_finite_ends_the_run_and_leaves_nothing(tmp_path):
    done = CliRunner().invoke(
        main,
        [
            *("train", "paraphrase", *TINY, "--learning-rate", "1e39"),
            *("--train", str(PARAPHRASES / "train.tsv"), "--out", str(tmp_path / "run")),
        ],
    )
    assert done.exit_code == 1
    assert done.stdout == ""
    assert re.fullmatch(
        r"Error: the loss is (nan|inf) in batch \d+ of epoch \d+: try a lower --learning-rate than "
        r"1e\+39, or look for odd values in the word vectors",
        done.stderr.splitlines()[-1],
    )
    assert not (tmp_path / "run").exists()
    assert not (tmp_path / "run.training").exists()


def files_up_to(size):
    """For the child: writing more than `size` bytes to a file fails, as on a full disk."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def test_a_full_disk_is_told_in_one_line_and_costs_nothing(trained, tmp_path):
    shutil.copytree(trained("paraphrase").folder, tmp_path / "run")
    before = files_in(tmp_path / "run")
    train = ["train", "paraphrase", *TINY, "--epochs", 1, "--out", "run", "--force"]
    train += ["--train", PARAPHRASES / "train.tsv", "--dev", PARAPHRASES / "dev.tsv"]

    # No room for the state after an epoch.
    done = abcnn(*train, cwd=tmp_path, preexec_fn=files_up_to(2_000))
    assert "cannot be written: File too large" in error_of(done, alone=False)
    assert files_in(tmp_path / "run") == before
    assert [path.name for path in tmp_path.iterdir()] == ["run"]

    # Room for the state, and none for the model with its word vectors.
    wide = [*train, "--dim", 300, "--freeze-vectors"]
    done = abcnn(*wide, cwd=tmp_path, preexec_fn=files_up_to(200_000))
    message = error_of(done, alone=False)
    assert re.fullmatch(r"run: cannot be written: .*", message)
    assert files_in(tmp_path / "run") == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run", "run.training"]
    assert [path.name for path in (tmp_path / "run.training").iterdir()] == ["checkpoint.npz"]

    # With room again, the epochs that were done are not done again.
    again = [tmp_path / "run" if word == "run" else word for word in (*wide, "--resume")]
    done = CliRunner().invoke(main, [str(word) for word in again])
    assert done.exit_code == 0, done.stderr
    assert "epoch 1:" not in done.stderr
    assert config_of(tmp_path / "run")["network"]["dim"] == 300
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


@pytest.mark.parametrize("foreign", ["notes.txt", "data/rows.csv"])
def test_force_never_removes_files_that_are_no_bundles(trained, tmp_path, foreign):
    shutil.copytree(trained("paraphrase").folder, tmp_path / "run")
    file = tmp_path / "run" / foreign
    file.parent.mkdir(exist_ok=True)
    file.write_text("mine")
    before = files_in(tmp_path)
    train = ["train", "paraphrase", "--train", PARAPHRASES / "train.tsv", "--force"]
    done = abcnn(*train, "--out", "run", cwd=tmp_path)
    assert error_of(done) == (
        f"run: holds what no bundle does, so it is left alone: {foreign.split('/')[0]}"
    )
    (tmp_path / "run" / "config.json").write_text('{"model_type": "bert"}')
    assert "left alone" in error_of(abcnn(*train, "--out", "run", cwd=tmp_path))
    (tmp_path / "run" / "config.json").unlink()
    assert "left alone" in error_of(abcnn(*train, "--out", "run", cwd=tmp_path))
    assert files_in(tmp_path).keys() == before.keys() - {"run/config.json"}


def test_the_place_of_the_state_may_hold_other_files(tmp_path):
    """`out.training` is removed after a run, and after one that failed, but only if it is ours."""
    (tmp_path / "run.training").mkdir()
    (tmp_path / "run.training" / "mine.txt").write_text("mine")
    (tmp_path / "run.training" / ".0123456789abcdef.part").write_text("of a run that was killed")
    (tmp_path / "real").mkdir()
    (tmp_path / "run").symlink_to("real")
    done = CliRunner().invoke(
        main,
        [
            *("train", "paraphrase", *TINY, "--epochs", "1", "--out", str(tmp_path / "run")),
            *("--train", str(PARAPHRASES / "train.tsv")),
        ],
    )
    assert done.exit_code == 0, done.stderr
    assert files_in(tmp_path / "run.training") == {"mine.txt": b"mine"}
    # A link stays one, and the folder it leads to is the bundle.
    assert (tmp_path / "run").is_symlink()
    assert {file.name for file in (tmp_path / "real").iterdir()} == BUNDLE
