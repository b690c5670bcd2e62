"""The second training, on train and dev: what it learns from, and what stays of the first one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abcnn.bundle import load_bundle
from abcnn.bundle.card import front_matter, model_card
from abcnn.pairs import PairBatch
from abcnn.readers import read_pairs
from abcnn.tasks import TASKS
from abcnn.text.batches import EncodedPairs, Ragged
from abcnn.training.arrays import ArrayStore
from abcnn.training.ensemble import train_ensemble
from abcnn.training.files import train_files
from abcnn.training.loop import train_network
from abcnn.training.options import TrainingOptions
from abcnn.training.prepare import Prepared, encode_labelled, label_weights, prepare
from abcnn.training.progress import Progress
from abcnn.training.run import train
from abcnn.training.with_dev import with_dev
from tests.trained import SAMPLES
from tests.training import test_loop as loop

TINY: dict[str, Any] = {"model": "bcnn", "dim": 8, "filters": 4, "batch_size": 16}


def parts(task: str, count: int = 60) -> list[PairBatch]:
    """The first pairs of train, dev and test."""
    read = [
        read_pairs(str(SAMPLES / task / f"{part}.tsv")).pairs for part in ("train", "dev", "test")
    ]
    return [pairs.select(range(count)) for pairs in read]


def assert_same(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> None:
    assert one.keys() == other.keys()
    for name, weight in one.items():
        np.testing.assert_array_equal(weight, other[name], err_msg=name)


def side(*sentences: list[int]) -> Ragged:
    lengths = [len(ids) for ids in sentences]
    return Ragged(np.concatenate(sentences).astype(np.int32), np.cumsum([0, *lengths]))


@pytest.mark.parametrize("mapped", [False, True])
def test_dev_stands_behind_in_both_orders(tmp_path, mapped):
    def pairs(left: Ragged, right: Ragged, mark: float, **more: Any) -> EncodedPairs:
        features = np.full((len(left), 1), mark, np.float32)
        return EncodedPairs(left, right, features, rests=(right, left), **more)

    one = pairs(
        *(side([2, 3], [4]), side([5], [6, 7])), 1, labels=np.array([0, 1]), groups=np.array([0, 3])
    )
    left, right = side([8], [2]), side([9, 9, 9], [3])
    dev = pairs(
        *(left, right), 2,
        labels=np.array([1, 0]), groups=np.array([0, 0]), swapped=pairs(right, left, 3),
    )  # fmt: skip
    found = with_dev(one, dev, ArrayStore(tmp_path if mapped else None))
    rows = np.arange(6)
    np.testing.assert_array_equal(
        found.left.padded(rows, 3),
        [[2, 3, 0], [4, 0, 0], [8, 0, 0], [2, 0, 0], [9, 9, 9], [3, 0, 0]],
    )
    for same, other in ((found.rests[1], found.left), (found.rests[0], found.right)):
        np.testing.assert_array_equal(same.padded(rows, 3), other.padded(rows, 3))
    np.testing.assert_array_equal(found.labels, [0, 1, 1, 0, 1, 0])
    np.testing.assert_array_equal(found.groups, [0, 3, 4, 4, 4, 4])
    np.testing.assert_array_equal(found.features[:, 0], [1, 1, 2, 2, 3, 3])
    assert (found.swapped, found.teacher) == (None, None)
    assert (len(list(tmp_path.iterdir())) > 0) == mapped


def test_grades_beyond_the_range_count_as_its_end():
    one = EncodedPairs(
        *(side([2], [3]), side([2], [3]), np.zeros((2, 0), np.float32)),
        labels=np.array([0.0, 1.0]),
        groups=np.array([0, 1]),
    )
    found = with_dev(one, replace(one, labels=np.array([-0.2, 1.5])), ArrayStore())
    np.testing.assert_array_equal(found.labels, [0, 1, 0, 1])


def test_exactly_so_many_epochs_are_the_first_ones_and_dev_is_not_measured():
    whole = loop.fresh_network()
    recorder = loop.Recorder(whole)
    options = replace(loop.OPTIONS, schedule="linear", patience=1)
    measured = loop.measures(0.1, 0.2, 0.3, 0.4)
    train_network(whole, loop.pairs_with_labels(), measured, options, progress=recorder.progress)

    def measure() -> float:
        raise AssertionError("measured")

    network = loop.fresh_network()
    run = train_network(network, loop.pairs_with_labels(), measure, options, exactly=3)
    assert (run.best_epoch, len(run.epochs)) == (3, 3)
    loop.assert_same(loop.weights(network), recorder.weights[2])


CASES = {
    "paraphrase": {"both_orders": True, "class_weight": "balanced", "calibrate": "temperature"},
    "entailment": {
        **{"conv_layers": 2, "layerwise": True, "rest_network": True, "refit": "logistic"},
        **{"schedule": "cosine", "warmup": 0.5, "word_dropout": 0.2},
    },
    "answer-selection": {"calibrate": "isotonic"},
}


@pytest.mark.parametrize("name", CASES)
def test_it_is_the_training_on_train_and_dev_with_what_the_first_one_chose(name):
    """Of one epoch, so that the training to compare with keeps the same one."""
    task, [train_pairs, dev_pairs, test_pairs] = TASKS[name], parts(name)
    options = TrainingOptions(**TINY | {"epochs": 1}, **CASES[name], train_on_dev=True)
    options = replace(options, train_vectors=True).for_task(task)
    messages: list[str] = []
    done = train(
        *(task, train_pairs, dev_pairs, test_pairs),
        options=options,
        progress=Progress(message=messages.append),
    )
    matcher = done.matcher
    plain = replace(options, train_on_dev=False)
    first = train(task, train_pairs, dev_pairs, options=plain).matcher
    assert matcher.metrics["dev"] == first.metrics["dev"]
    assert (matcher.threshold, matcher.calibration) == (first.threshold, first.calibration)
    assert matcher.encoder == first.encoder
    assert matcher.metrics["test"] == matcher.record(test_pairs, matcher.predict(test_pairs))
    assert "before" not in str(first.about)
    assert done.dev_logits is not None
    np.testing.assert_array_equal(done.dev_logits, first.logits(first_dev(first, dev_pairs)))

    count = 120 * (2 if options.both_orders else 1)
    assert f"once more, on train and dev, {count} pairs: 1 epochs" in messages
    assert any(line.startswith("once more, epoch 1: loss ") for line in messages)
    expected = train(
        *(task, train_pairs, dev_pairs),
        options=plain,
        prepared=of_both(prepare(train_pairs, task, plain, None), dev_pairs, plain),
    ).matcher
    for weight in set(matcher.weights) - {"logits/kernel", "logits/bias"}:
        np.testing.assert_array_equal(matcher.weights[weight], expected.weights[weight], weight)
    if name == "entailment":  # What dev says of the logits changes those of the others.
        assert_same(dict(matcher.weights), dict(expected.weights))
        assert sum("block 1 of 2" in line for line in messages) == 2


def first_dev(matcher, dev_pairs: PairBatch) -> EncodedPairs:
    return encode_labelled(dev_pairs, matcher.scale, matcher.encoder)


def of_both(prepared: Prepared, dev_pairs: PairBatch, options: TrainingOptions) -> Prepared:
    """What was prepared of train, with the pairs of dev behind."""
    dev = encode_labelled(dev_pairs, prepared.scale, prepared.encoder)
    pairs = with_dev(prepared.pairs, dev, ArrayStore())
    weights = label_weights(pairs, prepared.labels, options)
    return replace(prepared, pairs=pairs, label_weights=weights)


def run_files(out: Path, progress: Progress | None = None, **arguments: Any):
    files = {
        f"{part}_file": str(SAMPLES / "paraphrase" / f"{part}.tsv") for part in ("train", "dev")
    }
    options = TrainingOptions(
        **TINY | {"batch_size": 64, "epochs": 3}, vector_dropout=0.2, train_on_dev=True
    )
    return train_files(
        TASKS["paraphrase"],
        out,
        device="cpu",
        progress=progress or Progress(),
        **{"options": options} | files | arguments,
    )


def stopping(at: int) -> Callable[[int, int, int], None]:
    """Ctrl-C in an epoch of the second training, which is told apart by its many batches."""
    seen: list[int] = []

    def press(epoch: int, batch: int, batches: int) -> None:
        seen.append(batches)
        if batches > seen[0] and epoch == at and batch == 2:
            raise KeyboardInterrupt

    return press


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole") / "out"
    return run_files(folder), folder


def test_interrupted_before_its_first_step_the_first_network_is_kept(tmp_path, monkeypatch):
    def pressed(*_arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("abcnn.training.run.with_dev", pressed)
    assert run_files(tmp_path / "out").interrupted
    assert "train_on_dev" not in load_bundle(tmp_path / "out").about


@pytest.mark.parametrize("mapped", [False, True])
def test_interrupted_in_it_the_first_network_is_kept_and_resumed_it_is_the_same(
    tmp_path, whole, mapped
):
    best = whole[0].matcher.about["best_epoch"]
    out, state = tmp_path / "out", tmp_path / "out.training"
    stopped = run_files(out, Progress(batch=stopping(best)), memory_map=mapped)
    assert stopped.interrupted
    kept = load_bundle(out)
    assert "train_on_dev" not in kept.about
    assert kept.metrics["dev"] == whole[0].matcher.metrics["dev"]
    dev = read_pairs(str(SAMPLES / "paraphrase" / "dev.tsv")).pairs
    assert kept.evaluate(dev).accuracy == kept.metrics["dev"]["accuracy"]
    assert (state / "checkpoint.npz").is_file()
    assert (state / "with-dev-checkpoint.npz").is_file() == (best > 1)

    messages: list[str] = []
    resumed = run_files(out, Progress(messages.append), resume=True, memory_map=mapped)
    assert not resumed.interrupted
    assert [file.name for file in tmp_path.iterdir()] == ["out"]
    told = [line for line in messages if line.startswith("once more, epoch")]
    assert [line.split(":")[0] for line in told] == [f"once more, epoch {best}"]
    assert_same(dict(resumed.matcher.weights), dict(whole[0].matcher.weights))
    assert resumed.matcher.threshold == whole[0].matcher.threshold
    assert resumed.matcher.metrics == whole[0].matcher.metrics


def test_the_bundle_says_so(whole):
    matcher = load_bundle(whole[1])
    assert "train and dev" in matcher.about["train_on_dev"]
    assert matcher.about["options"]["train_on_dev"] is True
    card = model_card(matcher)
    assert "- dev (before it was trained on): accuracy" in card
    assert matcher.about["train_on_dev"] in card
    assert not any(line.startswith("model-index") for line in front_matter(matcher))


def test_a_held_out_share_is_given_back(tmp_path):
    messages: list[str] = []
    run_files(tmp_path / "out", Progress(messages.append), dev_file=None)
    rows = len((SAMPLES / "paraphrase" / "train.tsv").read_text().splitlines()) - 1
    assert any(line.startswith(f"once more, on train and dev, {rows} pairs") for line in messages)


def test_an_ensemble_is_joined_by_the_first_networks():
    name = "answer-selection"  # Platt's scale is found for each network, then for their mean
    [train_pairs, dev_pairs, test_pairs] = parts(name)
    options = TrainingOptions(**TINY | {"epochs": 2}, train_on_dev=True, calibrate="temperature")

    def joined(options: TrainingOptions):
        return train_ensemble(
            *(TASKS[name], train_pairs, dev_pairs, test_pairs), members=2, options=options
        ).matcher

    matcher, plain = joined(options), joined(replace(options, train_on_dev=False))
    assert matcher.threshold == pytest.approx(plain.threshold, abs=1e-5)
    assert matcher.about["calibration"] == plain.about["calibration"]
    for measure, value in plain.metrics["dev"].items():
        assert matcher.metrics["dev"][measure] == pytest.approx(value, abs=1e-4)
    assert matcher.metrics["test"] == matcher.record(test_pairs, matcher.predict(test_pairs))
    assert "train_on_dev" in matcher.about
    for one, other in zip(matcher.members, plain.members, strict=True):
        assert (one["logits/kernel"] != other["logits/kernel"]).any()
