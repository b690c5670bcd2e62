"""Whole runs, from files to bundles: what they record, resume, and refuse to overwrite."""

import os
import shutil
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from abcnn.bundle import load_bundle
from abcnn.errors import InputError
from abcnn.evaluation.classification import best_threshold, classification_measures
from abcnn.readers import read_pairs
from abcnn.tasks import TASKS
from abcnn.training.calibration import even_odds
from abcnn.training.files import train_files
from abcnn.training.options import TrainingOptions
from abcnn.training.progress import Progress
from tests.trained import OPTIONS

TASK = TASKS["paraphrase"]


@pytest.mark.parametrize("name", TASKS)
def test_the_matcher_is_that_of_the_best_epoch_on_dev(trained, name):
    task = trained(name)
    best = max(epoch.dev for epoch in task.epochs)
    number = next(epoch.number for epoch in task.epochs if epoch.dev == best)
    assert task.matcher.about["best_epoch"] == number
    assert task.matcher.about["epochs"] == len(task.epochs)
    dev = read_pairs(task.dev_file).pairs
    if TASKS[name].ranks:
        assert task.matcher.evaluate(dev).map == pytest.approx(best, abs=1e-12)
        return
    if TASKS[name].graded:
        assert task.matcher.evaluate(dev).pearson == pytest.approx(best, abs=1e-6)
        return
    said = task.matcher.predict(dev)
    true = [said.names.index(label) for label in dev.labels or ()]
    half = said.labels if len(said.names) > 2 else (said.scores >= 0.5).astype(int)
    assert classification_measures(true, half, said.names).accuracy == pytest.approx(best)


def test_the_threshold_is_tuned_on_dev(trained):
    for name in ("paraphrase", "answer-selection"):
        task = trained(name)
        matcher = task.matcher
        dev = read_pairs(task.dev_file).pairs
        positive = np.array([label == matcher.labels[-1] for label in dev.labels or ()])
        if TASKS[name].ranks:
            expected = best_threshold(matcher.predict(dev).scores, positive, "f1")
        else:
            expected = even_odds(matcher.logits(matcher.encoder(dev.left, dev.right)), positive)
        assert matcher.threshold == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("name", TASKS)
def test_what_a_run_records(trained, name):
    task = trained(name)
    about, metrics = task.matcher.about, task.matcher.metrics
    for part, file in (
        ("train", task.train_file),
        ("dev", task.dev_file),
        ("test", task.test_file),
    ):
        pairs = read_pairs(file).pairs
        facts = about["data"][part]
        assert (facts["file"], facts["pairs"]) == (file.name, len(pairs))
        assert sum(facts["labels"].values()) == len(pairs)
        if part != "train":
            error = task.matcher.calibration_error(pairs, task.matcher.predict(pairs))
            measured = task.matcher.evaluate(pairs).to_dict()
            calibration = {} if error is None else {"expected_calibration_error": error}
            assert (error is None) == TASKS[name].graded
            assert metrics[part] == measured | calibration
    expected = TrainingOptions(**OPTIONS, train_vectors=True).for_task(TASKS[name])
    assert about["options"] == expected.to_dict()
    assert not about["interrupted"]
    assert {"abcnn", "keras", "numpy", "python", "backend"} <= set(about["versions"])
    assert "trained on the" in about["vectors"]
    assert not task.folder.with_name(f"{name}.training").exists()


def train(trained, out, progress: Progress | None = None, **arguments):
    task = trained("paraphrase")
    files = {f"{part}_file": str(getattr(task, f"{part}_file")) for part in ("train", "dev")}
    return train_files(
        TASK,
        out,
        options=TrainingOptions(**OPTIONS),
        progress=progress or Progress(),
        **files | arguments,
    )


def test_an_interrupted_run_resumed_is_the_uninterrupted_one(trained, tmp_path):
    """The trained matcher of the session is the uninterrupted one."""

    def press(epoch: int, batch: int, batches: int) -> None:
        if epoch == 2:
            raise KeyboardInterrupt

    out, state = tmp_path / "out", tmp_path / "out.training"
    stopped = train(trained, out, Progress(batch=press))
    assert stopped.interrupted
    assert load_bundle(out).about["interrupted"]
    assert state.is_dir()
    with pytest.raises(InputError, match="holds an interrupted run; --resume goes on with it"):
        train(trained, out)

    resumed = train(trained, out, resume=True)
    assert not resumed.interrupted
    assert not state.exists()
    whole = trained("paraphrase")
    figures = [[{**asdict(e), "seconds": 0} for e in run.epochs] for run in (resumed, whole)]
    assert figures[0] == figures[1]
    for one, other in zip(
        load_bundle(out).network.get_weights(), whole.matcher.network.get_weights(), strict=True
    ):
        np.testing.assert_array_equal(one, other)
    assert load_bundle(out).threshold == whole.matcher.threshold


def test_a_finished_run_is_left_alone(trained, tmp_path):
    out = shutil.copytree(trained("paraphrase").folder, tmp_path / "out")
    for resume in (False, True):
        with pytest.raises(InputError, match=r"out: holds a finished run; --force replaces it"):
            train(trained, out, resume=resume)


def test_a_folder_of_something_else_is_left_alone(trained, tmp_path):
    (tmp_path / "thesis.txt").write_text("years of work")
    for force in (False, True):
        with pytest.raises(InputError, match="is not empty and no whole bundle"):
            train(trained, tmp_path, force=force)
    assert (tmp_path / "thesis.txt").read_text() == "years of work"


def test_the_state_of_an_interrupted_run_is_left_alone(trained, tmp_path):
    state = tmp_path / "out.training"
    state.mkdir()
    (state / "checkpoint.npz").write_bytes(b"of another run")
    with pytest.raises(InputError, match=r"out.training: holds an interrupted run; --resume"):
        train(trained, tmp_path / "out")
    with pytest.raises(InputError, match=r"checkpoint.npz: this is not a whole checkpoint"):
        train(trained, tmp_path / "out", resume=True)
    assert (state / "checkpoint.npz").read_bytes() == b"of another run"
    assert not (tmp_path / "out").exists()


def test_dev_without_an_answer_is_told_before_training(trained, tmp_path):
    dev = tmp_path / "dev.tsv"
    dev.write_text("question_id\tquestion\tanswer\tlabel\nq1\tWho?\tNobody.\t0\n")
    epochs: list[int] = []
    with pytest.raises(InputError, match=r"dev.tsv: expected a right candidate among the dev"):
        train_files(
            TASKS["answer-selection"],
            tmp_path / "out",
            train_file=str(trained("answer-selection").train_file),
            dev_file=str(dev),
            options=TrainingOptions(**OPTIONS),
            progress=Progress(batch=lambda *now: epochs.append(now[0])),
        )
    assert epochs == []
    assert not (tmp_path / "out").exists()


EARLY = """
import sys
from abcnn.errors import InputError
from abcnn.tasks import TASKS
from abcnn.training.files import train_files
from abcnn.training.options import TrainingOptions
try:
    train_files(
        TASKS["paraphrase"],
        "out",
        train_file=sys.argv[1],
        vectors=sys.argv[2],
        options=TrainingOptions(features=tuple(sys.argv[3:])),
    )
except InputError as error:
    print(error, "tensorflow" in sys.modules, sep="\\n")
"""


@pytest.mark.parametrize(
    ("vectors", "features", "message"),
    [
        ("none.bin", (), "none.bin: No such file or directory"),
        ("web.bin", (), "web.bin: expected word vectors. Received: HTML, a web page; download"),
        ("vectors.txt", ("lenght",), "`features` must be among none, paper, "),
    ],
)
def test_wrong_vectors_and_features_are_told_before_the_backend_starts(
    trained, tmp_path, vectors, features, message
):
    (tmp_path / "web.bin").write_text("<html>404")
    (tmp_path / "vectors.txt").write_text("a 1 2\n")
    done = subprocess.run(
        [sys.executable, "-c", EARLY, str(trained("paraphrase").train_file), vectors, *features],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        check=True,
    )
    error, started = done.stdout.splitlines()
    assert error.startswith(message)
    assert started == "False"
    assert not (tmp_path / "out").exists()
