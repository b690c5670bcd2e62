"""Searches in this process: mostly with a function of the options in the place of training."""

from __future__ import annotations

import inspect
import json
import re
from types import SimpleNamespace

import pytest

from abcnn.errors import InputError, MissingExtraError, TrainingError
from abcnn.tasks import TASKS
from abcnn.training import prepare
from abcnn.training.options import TrainingOptions
from abcnn.training.progress import Epoch, Progress
from tests.trained import OPTIONS, SAMPLES

optuna = pytest.importorskip("optuna")

from abcnn.search import search  # noqa: E402
from abcnn.search.tables import search_document, search_table  # noqa: E402

FILES = {f"{part}_file": str(SAMPLES / "paraphrase" / f"{part}.tsv") for part in ("train", "dev")}
TASK = TASKS["paraphrase"]


def run(out, trials, **arguments):
    options = TrainingOptions(**{"model": "average", "dim": 8} | arguments.pop("options", {}))
    return search(TASK, out, trials=trials, options=options, device="cpu", **FILES | arguments)


@pytest.fixture
def measured(monkeypatch):
    """What `train` was given, when it is a function that is highest at a learning rate of 0.002."""
    calls = []

    def train(task, train_pairs, dev_pairs, *, options, prepared, progress):
        calls.append(options)
        dev = 1 - abs(options.learning_rate - 0.002) * 10 - options.l2
        if options.score_dropout == 0.5:
            raise TrainingError("the loss is nan")
        for number in range(1, 7):
            progress.epoch(Epoch(number, 0.0, dev, number == 1, 0.0))
        return SimpleNamespace(
            interrupted=False,
            matcher=SimpleNamespace(
                about={"best_epoch": 1, "epochs": 6}, metrics={"dev": {"accuracy": dev}}
            ),
        )

    monkeypatch.setattr("abcnn.training.run.train", train)
    return calls


def test_it_finds_the_best_and_goes_on_as_if_never_stopped(measured, tmp_path):
    told = []
    whole = run(tmp_path / "whole", 24, progress=Progress(told.append))
    assert measured[0] == TrainingOptions(model="average", dim=8, train_vectors=True).for_task(TASK)
    states = {trial.state for trial in whole.trials}
    assert states == {"finished", "pruned", "failed"}
    failed = next(trial for trial in whole.trials if trial.state == "failed")
    assert failed.reason == "the loss is nan"
    assert failed.values["score_dropout"] == 0.5
    pruned = next(trial for trial in whole.trials if trial.state == "pruned")
    assert pruned.reason.startswith("below the median after epoch 3, ")
    assert [trial.number for trial in whole.trials] == [*range(1, 25)]
    finished = [trial for trial in whole.trials if trial.state == "finished"]
    assert whole.best.dev == max(trial.dev for trial in finished) > whole.trials[0].dev
    assert whole.options.learning_rate == whole.best.values["learning_rate"]
    assert sum(whole.importance.values()) == pytest.approx(1)
    # Words, vectors and features once.
    assert sum(line.startswith("vectors: ") for line in told) == 1

    for trials in (1, 5, 24):
        parts = run(tmp_path / "parts", trials)
        assert len(parts.trials) == trials
    assert [(t.state, t.dev, t.values) for t in parts.trials] == [
        (t.state, t.dev, t.values) for t in whole.trials
    ]

    before = len(measured)
    again = run(tmp_path / "whole", 3)
    assert (again.trials, again.importance) == (whole.trials, whole.importance)
    assert len(measured) == before

    lines = search_table(whole).splitlines()
    assert lines[2].split()[1] == str(whole.best.number)
    assert lines[-2].startswith("trials: ")
    document = json.loads(search_document(whole, "abcnn train"))
    assert document["best"]["command"] == "abcnn train"
    assert len(document["trials"]) == 24
    assert "test" not in document["conditions"]


def test_a_trial_whose_process_ended_is_made_again(measured, tmp_path, monkeypatch):
    whole = run(tmp_path / "whole", 4)

    def interrupted(*data, progress, **manner):
        progress.epoch(Epoch(1, 0.0, 0.5, True, 0.0))
        raise KeyboardInterrupt

    for trials in (0, 2):
        if trials:
            run(tmp_path / "parts", trials)
        with monkeypatch.context() as patch:
            patch.setattr("abcnn.training.run.train", interrupted)
            with pytest.raises(KeyboardInterrupt):
                run(tmp_path / "parts", 4)
    journal = tmp_path / "parts" / "journal.log"
    with journal.open("ab") as file:
        file.write(b'{"op_code":6,"tri')  # Killed while it wrote,
    (tmp_path / "parts" / "journal.log.lock").touch()  # and had locked the file.
    parts = run(tmp_path / "parts", 4)
    assert [(t.number, t.state, t.values) for t in parts.trials] == [
        (t.number, t.state, t.values) for t in whole.trials
    ]


class Killed(BaseException):
    """What nothing catches: the journal stays as after kill -9."""


@pytest.mark.parametrize("killer", [Killed, KeyboardInterrupt])
def test_a_trial_that_ends_its_process_twice_has_failed(measured, tmp_path, monkeypatch, killer):
    whole = run(tmp_path / "whole", 3)

    def ended(*data, **manner):
        raise killer

    for _ in range(4):
        with monkeypatch.context() as patch:
            patch.setattr("abcnn.training.run.train", ended)
            with pytest.raises(killer):
                run(tmp_path / "parts", 3)
    parts = run(tmp_path / "parts", 3)
    if killer is KeyboardInterrupt:
        assert [(t.dev, t.values) for t in parts.trials] == [
            (t.dev, t.values) for t in whole.trials
        ]
        return
    # Four ends: two of the first trial, two of the second.
    assert [trial.state for trial in parts.trials] == ["failed", "failed", "finished"]
    assert {trial.reason for trial in parts.trials} == {"its process ended twice", None}
    assert parts.trials[0].values == whole.trials[0].values


def test_other_data_or_options_are_refused_unless_forced(measured, tmp_path):
    run(tmp_path, 1)
    other = str(SAMPLES / "paraphrase" / "test.tsv")
    for arguments, names in (
        ({"dev_file": other}, "dev"),
        ({"options": {"batch_size": 8}}, "batch_size"),
        ({"asked": ["l2=0..1"]}, "space"),
        ({"fixed": ["l2"]}, "space"),
        ({"prune": False}, "prune"),
    ):
        with pytest.raises(
            InputError, match=rf"journal\.log: the trials there have other {names}\."
        ):
            run(tmp_path, 1, **arguments)
    assert len(run(tmp_path, 2).trials) == 2
    assert len(run(tmp_path, 1, fixed=["l2"], force=True).trials) == 1


def test_what_is_searched_decides_whether_given_vectors_are_trained(measured, tmp_path):
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("the 1 2 3 4\na 2 1 0 3\n")
    searched = {"asked": ["train_frequent_words=0|50"], "vectors": str(vectors)}
    done = run(tmp_path / "out", 6, **searched)
    assert {options.train_frequent_words for options in measured} == {0, 50}
    for options in measured:
        assert options.train_vectors == (options.train_frequent_words > 0)
    assert done.options in measured
    frozen = {"options": {"train_vectors": False}}
    with pytest.raises(InputError, match="`train_frequent_words` must be 0 with frozen vectors"):
        run(tmp_path / "frozen", 1, **searched, **frozen)


@pytest.mark.parametrize("features", ["none|lexical|translation", "left_bleu_1|none"])
def test_a_missing_library_of_any_searched_feature_is_told_first(tmp_path, monkeypatch, features):
    monkeypatch.setitem(__import__("sys").modules, "sacrebleu", None)
    monkeypatch.setitem(__import__("sys").modules, "rouge_score", None)
    monkeypatch.setitem(__import__("sys").modules, "nltk", None)
    told = {"asked": [f"features={features}"], "train_file": "none.tsv"}
    with pytest.raises(MissingExtraError, match=r"pip install 'abcnn\[features\]'"):
        run(tmp_path / "out", 1, **told)
    assert list(tmp_path.iterdir()) == []


def test_the_same_options_are_not_trained_again(measured, tmp_path):
    fixed = ["learning_rate", "l2", "vector_dropout", "score_dropout", "word_dropout"]
    done = run(tmp_path, 9, fixed=fixed, asked=["comparison=none|product"])
    assert len(measured) == 2
    assert sum(trial.reason is not None for trial in done.trials) == 7


def test_a_second_training_on_dev_is_refused(tmp_path):
    with pytest.raises(InputError, match="`train_on_dev` must be False in a search"):
        run(tmp_path / "out", 2, options={"train_on_dev": True})
    assert not list(tmp_path.iterdir())


def test_what_is_prepared_once_is_decided_by_nothing_else():
    # `loss`, `stated_grades` (grade_range) and the weights' share are read to refuse, or elsewhere.
    read = set(re.findall(r"options\.([a-z_]+)", inspect.getsource(prepare)))
    assert read - {"loss", "stated_grades"} <= set(prepare.PREPARED_BY)


def test_after_the_time_no_trial_begins(measured, tmp_path):
    told = []
    assert run(tmp_path, 3, timeout=0, progress=Progress(told.append)).best is None
    assert told[-1] == "the time is up after 0 of 3 trials"
    assert measured == []


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("content", [b"mine\n", b"mine", b"[]\n", b'{"op', b'{"op_code": 0}\n'])
def test_a_file_that_is_no_journal_is_named(measured, tmp_path, content, force):
    file = tmp_path / "journal.log"
    file.write_bytes(content)
    begun = b'{"op_code":'.startswith(content)  # What a killed process may have left.
    if begun or (force and content.startswith(b'{"op_code":')):
        assert len(run(tmp_path, 1, force=force).trials) == 1
        return
    with pytest.raises(InputError, match=r"journal\.log: expected the journal of a search\. Rec"):
        run(tmp_path, 1, force=force)
    assert file.read_bytes() == content


def test_the_journal_of_another_study_is_left_alone(tmp_path):
    file = tmp_path / "journal.log"
    journal = optuna.storages.journal
    storage = optuna.storages.JournalStorage(journal.JournalFileBackend(str(file)))
    optuna.create_study(study_name="thesis", storage=storage)
    before = file.read_bytes()
    with pytest.raises(InputError, match=r"journal\.log: expected the journal of a search\. Rec"):
        run(tmp_path, 1)
    assert file.read_bytes() == before


def refused(*data, **manner):
    raise InputError("no such GPU")


@pytest.mark.parametrize("what", ["use_device", "Preparations.__call__"])
def test_what_is_refused_before_a_trial_leaves_all_as_it_was(measured, tmp_path, monkeypatch, what):
    out = tmp_path / "some" / "folder"
    for force in (False, True):
        with monkeypatch.context() as patch:
            patch.setattr(f"abcnn.search.run.{what}", refused)
            with pytest.raises(InputError, match="no such GPU"):
                run(out, 2, force=force)
        if not force:
            assert list(tmp_path.iterdir()) == []
            assert len(run(out, 1).trials) == 1
            before = (out / "journal.log").read_bytes()
    assert (out / "journal.log").read_bytes() == before
    assert len(run(out, 2).trials) == 2


def test_other_options_are_no_matter_while_nothing_came_of_a_trial(measured, tmp_path):
    run(tmp_path, 1, timeout=0)
    assert len(run(tmp_path, 1, options={"batch_size": 8}).trials) == 1
    with pytest.raises(InputError, match="the trials there have other batch_size"):
        run(tmp_path, 2)


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(InputError, match="is not empty and holds no search, so it is left alone"):
        run(tmp_path, 1, force=True)
    assert [file.name for file in tmp_path.iterdir()] == ["thesis.txt"]


def test_two_searches_in_one_folder_are_refused(tmp_path, measured, monkeypatch):
    def another(*data, **manner):
        with pytest.raises(InputError, match="another process is searching there"):
            run(tmp_path, 1)
        raise TrainingError("after all")

    monkeypatch.setattr("abcnn.training.run.train", another)
    assert run(tmp_path, 1).trials[0].reason == "after all"


def test_without_optuna_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "optuna", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'abcnn\[search\]'"):
        run(tmp_path / "out", 1)
    assert list(tmp_path.iterdir()) == []


def test_a_combination_that_fails_leaves_the_others(tmp_path):
    """Trained, without anything in its place."""
    options = OPTIONS | {"model": "transformer", "epochs": 1, "hidden_dim": 8}
    del options["filters"]
    fixed = ["learning_rate", "l2", "vector_dropout", "score_dropout", "depth", "comparison"]
    done = run(tmp_path, 6, options=options, fixed=fixed, asked=["heads=4|3", "hidden_dim=8|9"])
    for trial in done.trials:
        if trial.values["hidden_dim"] % trial.values["heads"]:
            assert trial.state == "failed"
            assert trial.reason.startswith("`heads` must be a divisor of `hidden_dim`")
        else:
            assert trial.state == "finished"
    assert done.best.dev > 0
