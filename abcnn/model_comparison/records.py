"""What a run of one model gave, and what several runs of it say together."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class ModelRun:
    """One model trained with one seed.

    `dev` is the task's measure at the best of `epochs`; `parameters` counts the weights without
    the word vectors, `vector_parameters` those of the vectors; `train_seconds` are of the whole
    run, vectors and features included; `pairs_per_second` is of prediction, from text to
    probabilities; `engine` is what computed it. A run that failed has `failure`, one line, and
    nothing else.
    """

    model: str
    seed: int
    dev: float = 0.0
    best_epoch: int = 0
    epochs: int = 0
    parameters: int = 0
    vector_parameters: int = 0
    train_seconds: float = 0.0
    pairs_per_second: float = 0.0
    engine: str = ""
    failure: str | None = None


@dataclass(frozen=True)
class ModelRow:
    """The runs of a model that finished: means over seeds, of dev the sample's deviation too.

    Seconds and pairs/s are medians, since the first run of a process also starts what all use. A
    figure is None where no run finished, `dev_deviation` where fewer than two did. `failures`
    has one line for each run that failed.
    """

    model: str
    seeds: int
    dev: float | None = None
    dev_deviation: float | None = None
    best_epoch: float | None = None
    parameters: int | None = None
    parameters_with_vectors: int | None = None
    train_seconds: float | None = None
    pairs_per_second: float | None = None
    engine: str | None = None
    failures: tuple[str, ...] = ()


def rows_of(runs: Iterable[ModelRun]) -> tuple[ModelRow, ...]:
    """A row a model, in the order in which the runs name the models first."""
    by_model: dict[str, list[ModelRun]] = {}
    for run in runs:
        by_model.setdefault(run.model, []).append(run)
    return tuple(_row(model, of_model) for model, of_model in by_model.items())


def _row(model: str, runs: list[ModelRun]) -> ModelRow:
    failures = tuple(f"seed {run.seed}: {run.failure}" for run in runs if run.failure is not None)
    whole = [run for run in runs if run.failure is None]
    if not whole:
        return ModelRow(model, 0, failures=failures)
    dev = [run.dev for run in whole]
    return ModelRow(
        model,
        len(whole),
        dev=statistics.mean(dev),
        dev_deviation=statistics.stdev(dev) if len(dev) > 1 else None,
        best_epoch=statistics.mean(run.best_epoch for run in whole),
        parameters=whole[0].parameters,  # the same for every seed
        parameters_with_vectors=whole[0].parameters + whole[0].vector_parameters,
        train_seconds=statistics.median(run.train_seconds for run in whole),
        pairs_per_second=statistics.median(run.pairs_per_second for run in whole),
        engine=whole[0].engine,
        failures=failures,
    )
