"""The learning rate over the steps: by hand, bounds, and that training moves by it."""

from __future__ import annotations

from dataclasses import replace

import keras
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abcnn.errors import InputError
from abcnn.tasks import TASKS
from abcnn.training.batching import epoch_order
from abcnn.training.files import train_files
from abcnn.training.loop import train_network
from abcnn.training.options import CHOICES, TrainingOptions
from abcnn.training.progress import Progress
from abcnn.training.schedule import WarmUp, learning_rate, planned_steps
from tests.trained import OPTIONS as TINY
from tests.trained import SAMPLES
from tests.training.test_loop import (
    CONFIG,
    OPTIONS,
    fresh_network,
    measures,
    pairs_with_labels,
    rising,
)


def rates(schedule: str, warmup: float, steps: int, rate: float = 0.5) -> np.ndarray:
    """The learning rate of every step and of two behind them."""
    options = replace(OPTIONS, schedule=schedule, warmup=warmup, learning_rate=rate)
    found = learning_rate(options, lambda: steps)
    if isinstance(found, float):
        return np.full(steps + 2, found)
    return np.array([float(keras.ops.convert_to_numpy(found(step))) for step in range(steps + 2)])


def test_by_hand():
    assert rates("linear", 0.0, 4) == pytest.approx([0.5, 0.375, 0.25, 0.125, 0, 0])
    assert rates("linear", 0.5, 4) == pytest.approx([0.25, 0.5, 0.5, 0.25, 0, 0])
    assert rates("constant", 0.3, 4) == pytest.approx([0.25, 0.5, 0.5, 0.5, 0.5, 0.5])
    half = 0.25 * (1 + np.cos(np.pi * np.array([0, 1, 2]) / 3))
    assert rates("cosine", 0.2, 4) == pytest.approx([0.5, *half, 0, 0], abs=1e-7)


def test_without_either_it_is_a_number_and_no_steps_are_counted():
    def count() -> int:
        raise AssertionError("counted")

    assert learning_rate(OPTIONS, count) == OPTIONS.learning_rate


@settings(deadline=None, max_examples=30)
@given(st.sampled_from(CHOICES["schedule"]), st.floats(0, 1, exclude_max=True), st.integers(1, 30))
def test_it_rises_in_the_warmup_then_never_again_and_is_never_0(schedule, warmup, steps):
    found = rates(schedule, warmup, steps)
    risen = int(np.ceil(warmup * steps))
    assert (found[:steps] > 0).all()
    assert (found <= 0.5 * (1 + 1e-6)).all()
    assert (np.diff(found[:risen]) > 0).all()
    assert (np.diff(found[risen:]) <= 1e-7).all()
    if risen:
        assert found[risen - 1] == pytest.approx(0.5)
    assert found[-1] == pytest.approx(0.5 if schedule == "constant" else 0, abs=1e-7)


@pytest.mark.parametrize("after", [None, keras.optimizers.schedules.CosineDecay(0.5, 9)])
def test_its_config_makes_it_again(after):
    one = WarmUp(0.5, 3, after)
    same = WarmUp.from_config(one.get_config())
    assert [float(same(step)) for step in range(12)] == [float(one(step)) for step in range(12)]


@pytest.mark.parametrize("loss", ["pointwise", "listwise"])
def test_planned_steps_are_those_of_all_epochs(loss):
    pairs, options = pairs_with_labels(), replace(OPTIONS, loss=loss, batch_size=5)
    orders = [epoch_order(pairs, options, number) for number in (1, 2, 3, 4)]
    assert planned_steps(pairs, options) == sum(map(len, orders))


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_training_moves_by_the_rate_of_each_step(optimizer):
    """A share of the steps so large that all of an epoch's are the beginning of the warm-up."""
    config = replace(CONFIG, vector_dropout=0.0, score_dropout=0.0)

    def moved(**changes) -> float:
        network = fresh_network(config)
        before = network.get_layer("logits").get_weights()[0]
        options = replace(OPTIONS, epochs=100, optimizer=optimizer, batch_size=32, **changes)
        stop = replace(options, patience=1)
        train_network(network, pairs_with_labels(), measures(0.2, 0.1), stop)
        return float(np.abs(network.get_layer("logits").get_weights()[0] - before).max())

    # The best epoch is the first, of one step: in the warm-up a fiftieth of the rate.
    assert moved(warmup=0.5) == pytest.approx(moved() / 50, rel=0.01)
    assert moved(schedule="linear") == pytest.approx(moved(), rel=1e-5)


def test_with_blocks_one_after_the_other_each_has_a_schedule_of_its_own(monkeypatch):
    counted: list[int] = []

    def count(pairs, options) -> int:
        counted.append(planned_steps(pairs, options))
        return counted[-1]

    monkeypatch.setattr("abcnn.training.loop.planned_steps", count)
    for _ in range(2):
        options = replace(OPTIONS, epochs=2, schedule="cosine")
        train_network(fresh_network(), pairs_with_labels(), rising(), options)
    assert counted == [8, 8]


def test_a_run_that_goes_on_must_not_have_other_epochs(tmp_path):
    """Since they decide the rate of each step; the rest of resuming is part of `test_loop.py`."""
    options = TrainingOptions(**TINY | {"epochs": 3, "model": "bcnn"}, schedule="linear")
    files = {
        f"{part}_file": str(SAMPLES / "paraphrase" / f"{part}.tsv") for part in ("train", "dev")
    }

    def press(epoch: int, batch: int, batches: int) -> None:
        if epoch == 2:
            raise KeyboardInterrupt

    def run(chosen: TrainingOptions, progress: Progress, *, resume: bool = False):
        return train_files(
            TASKS["paraphrase"],
            tmp_path / "out",
            options=chosen,
            device="cpu",
            progress=progress,
            resume=resume,
            **files,
        )

    assert run(options, Progress(batch=press)).interrupted
    with pytest.raises(InputError, match="belongs to a run with other data or options"):
        run(replace(options, epochs=4), Progress(), resume=True)
    assert len(run(options, Progress(), resume=True).epochs) == 3
