"""The whole search: files in, trials in a journal, the best of them out."""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from abcnn.devices import use_device
from abcnn.errors import InputError, MissingExtraError, TrainingInterruptedError, require
from abcnn.features.choice import known_features, require_libraries
from abcnn.features.extraction import Extraction
from abcnn.pairs import PairBatch
from abcnn.search.journal import (
    check_folder,
    endings,
    importance,
    keep,
    kept_study,
    let_go,
    locked_journal,
    new_study,
    next_trial,
    trial_rows,
)
from abcnn.search.preparing import Preparations
from abcnn.search.records import SearchResult, TrialRow, best_first
from abcnn.search.space import Choices, Dimension, drawn_values, search_space, start_of
from abcnn.search.values import text_of, value_of
from abcnn.tasks import Task
from abcnn.text.vector_sets import VectorFiles, vector_files
from abcnn.training.arrays import ArrayStore
from abcnn.training.many_runs import data_facts, many_networks, vectors_facts
from abcnn.training.options import TrainingOptions
from abcnn.training.parts import check_beforehand, read_parts
from abcnn.training.progress import SILENT, Epoch, Progress

if TYPE_CHECKING:
    import optuna

_WARM_UP = 3  # The first epoch after which a trial may be pruned,
_FINISHED = 5  # and the trials that must be finished by then.
_ENDINGS = 2  # So many ends of the process, and a trial is not run again: one may be chance.


def search(
    task: Task,
    out: str | PathLike[str],
    *,
    train_file: str,
    trials: int,
    dev_file: str | None = None,
    vectors: VectorFiles = None,
    timeout: float | None = None,
    options: TrainingOptions | None = None,
    fixed: Collection[str] = (),
    asked: Sequence[str] = (),
    prune: bool = True,
    reading: dict[str, Any] | None = None,
    force: bool = False,
    device: str = "auto",
    precision: str = "float32",
    extraction: Extraction | None = None,
    progress: Progress = SILENT,
) -> SearchResult:
    """Train until there are `trials` trials, each with other options, and say which is best on dev.

    The first trial has the `options`, where they lie in what is searched; the next ones are drawn
    from `search_space(task, options, fixed, asked)`, by a tree-structured Parzen estimator
    (Bergstra et al. 2011) whose seed is that of the options, as is the seed of every training. A
    trial that fails is noted with its reason, and the others go on, as is one during which the
    process ended twice; with `prune` one that is below the median of the earlier ones, five or
    more, at the same epoch ends there, unless what is measured after the last epoch differs from
    what is measured before (`layerwise`, `refit`). `timeout` seconds after all is prepared no trial
    begins any more.

    The trials are kept in `out/journal.log`, and not made again when they are there: the same call
    goes on after an interruption. With `force` they are forgotten. Without `dev_file` the same
    share of the training pairs is held out for every trial. The other arguments are those of
    `abcnn.training.files.train_files`.

    Raises InputError for data or options that do not fit, or trials in `out` that were made with
    others; MissingExtraError without Optuna; KeyboardInterrupt when a trial was interrupted.
    """
    require("optuna", "search")
    if trials < 1:
        raise InputError(f"`trials` must be at least 1. Received: {trials}")
    options = (options or TrainingOptions()).for_task(task)
    options.require_measure_of_dev("a search")
    check_beforehand(task, options, vectors)
    given = bool(vector_files(vectors))
    # Of options whose `train_vectors` is still open: what is searched may decide it.
    space = search_space(task, options, fixed, asked)
    _check_libraries(task, space)
    at_first = options.with_vectors(given)
    check_folder(Path(out))
    train_pairs, dev, _ = read_parts(
        task, train_file, dev_file, None, options, reading or {}, ArrayStore(), progress
    )
    assert isinstance(train_pairs, PairBatch)
    conditions = {
        "task": task.name,
        "options": at_first.to_dict(),
        "space": {name: str(dimension) for name, dimension in space.items()},
        "train": data_facts(train_pairs),
        "dev": data_facts(dev),
        "vectors": vectors_facts(vectors),
        "device": device,
        "precision": precision,
        "prune": prune,
    }
    start = start_of(space, at_first)
    one = _Trials(task, train_pairs, dev, options, vectors, extraction, progress)
    with locked_journal(Path(out)) as path:
        study = None if force else kept_study(path, conditions)
        rows = () if study is None else trial_rows(study, space)
        if rows:
            progress.message(f"trials that are there already: {len(rows)}")
        if len(rows) < trials:
            # Only now: what is wrong with the files should be told before the slow start.
            use_device(device, precision)
            # What is wrong with data or options is no failure of a trial.
            one.prepared(at_first, progress.message)
        # Nothing was forgotten or noted before all of that was found to be right.
        study = study or new_study(path, conditions)
        pruners = require("optuna", "search").pruners
        study.pruner = (
            pruners.MedianPruner(n_startup_trials=_FINISHED, n_warmup_steps=_WARM_UP)
            if prune
            else pruners.NopPruner()
        )
        end = None if timeout is None else time.monotonic() + timeout
        while len(rows) < trials:
            if end is not None and time.monotonic() >= end:
                progress.message(f"the time is up after {len(rows)} of {trials} trials")
                break
            trial = next_trial(study, space, start=start, done=len(rows), seed=options.seed)
            values = drawn_values(space, trial.params)
            name = f"trial {len(rows) + 1} of {trials}"
            progress.message(f"{name}: {in_words(values)} ...")
            row = _as_before(values, rows)
            # A trial that takes the memory of the machine would be drawn again for ever.
            if row is None and endings(study, trial) >= _ENDINGS:
                row = TrialRow(trial.number, "failed", values, reason="its process ended twice")
            try:
                row = row or one.run(trial, values)
            except (KeyboardInterrupt, MissingExtraError):
                let_go(study, trial)
                raise
            keep(study, trial, row)
            rows = trial_rows(study, space)
            progress.message(f"{name}: {_outcome(rows[-1], task.measure)}")
        ranked = best_first(rows)
        best = ranked[0] if ranked else None
        return SearchResult(
            measure=task.measure,
            trials=rows,
            space=space,
            importance=importance(study, rows),
            conditions=conditions,
            best=best,
            options=None if best is None else one.options_of(best.values),
        )


def _check_libraries(task: Task, space: Mapping[str, Dimension]) -> None:
    """MissingExtraError for the library of a feature that some trial may have."""
    if isinstance(searched := space.get("features"), Choices):
        for text in searched.values:
            require_libraries(known_features(value_of("features", text), task.paper))


class _Trials:
    """What all trials share."""

    def __init__(
        self,
        task: Task,
        train_pairs: PairBatch,
        dev_pairs: PairBatch,
        options: TrainingOptions,
        vectors: VectorFiles,
        extraction: Extraction | None,
        progress: Progress,
    ) -> None:
        self._data = task, train_pairs, dev_pairs
        self._options = options
        self._progress = progress
        self._given = bool(vector_files(vectors))
        self.prepared = Preparations(task, train_pairs, vectors, extraction)

    def options_of(self, values: Mapping[str, Any]) -> TrainingOptions:
        """All options of a trial. Raises InputError for values that do not go together."""
        options = replace(self._options, **values).for_task(self._data[0])
        return options.with_vectors(self._given)

    def run(self, trial: optuna.Trial, values: dict[str, Any]) -> TrialRow:
        """Train with the values; KeyboardInterrupt when that was interrupted.

        Raises MissingExtraError too, which no other trial would mend.
        """
        pruned: type[Exception] = require("optuna", "search").TrialPruned
        start = time.perf_counter()
        row = TrialRow(trial.number, "failed", values)
        try:
            with many_networks():
                row = self._trained(trial, row)
        except TrainingInterruptedError:
            raise KeyboardInterrupt from None
        except MissingExtraError:
            raise
        except pruned as reason:
            row = replace(row, state="pruned", reason=str(reason))
        except InputError as error:
            row = replace(row, reason=str(error))
        except Exception as error:  # of a backend too, such as one that has no memory left
            line = next(iter(str(error).splitlines()), "")
            reason_line = f"{type(error).__name__}: {line}".removeprefix("TrainingError: ")
            row = replace(row, reason=reason_line)
        finally:
            gc.collect()  # networks hold on to themselves
        return replace(row, seconds=round(time.perf_counter() - start, 1))

    def _trained(self, trial: optuna.Trial, row: TrialRow) -> TrialRow:
        from abcnn.training.run import train

        task, train_pairs, dev_pairs = self._data
        options = self.options_of(row.values)
        trained = train(
            task,
            train_pairs,
            dev_pairs,
            options=options,
            prepared=self.prepared(options),
            progress=self._watched(trial, options),
        )
        if trained.interrupted:
            raise KeyboardInterrupt
        about, dev = trained.matcher.about, trained.matcher.metrics["dev"][task.measure]
        if not math.isfinite(dev):
            return replace(row, reason=f"dev {task.measure} is {dev}")
        return replace(
            row,
            state="finished",
            dev=dev,
            best_epoch=about["best_epoch"],
            epochs=about["epochs"],
        )

    def _watched(self, trial: optuna.Trial, options: TrainingOptions) -> Progress:
        """Where the trial tells of its epochs, and is ended there."""
        pruned: type[Exception] = require("optuna", "search").TrialPruned

        def on_epoch(epoch: Epoch) -> None:
            self._progress.epoch(epoch)
            # Blocks of layerwise training have epochs of their own, and a refit has none.
            if options.layerwise or options.refit != "none":
                return
            trial.report(epoch.dev, epoch.number)
            if trial.should_prune():
                raise pruned(f"below the median after epoch {epoch.number}, {epoch.dev:.4f}")

        return Progress(batch=self._progress.batch, epoch=on_epoch)


def _as_before(values: dict[str, Any], rows: Sequence[TrialRow]) -> TrialRow | None:
    """What came of the same options: they are drawn again where there is little to choose."""
    for row in rows:
        if row.values == values:
            return replace(row, seconds=0.0, reason=row.reason or f"as trial {row.number}")
    return None


def in_words(values: dict[str, Any]) -> str:
    """Options on one line."""
    return " ".join(f"{name}={text_of(value)}" for name, value in values.items())


def _outcome(row: TrialRow, measure: str) -> str:
    if row.state != "finished":
        return f"{row.state}: {row.reason}"
    return (
        f"dev {measure} {row.dev:.4f} after epoch {row.best_epoch} of {row.epochs}, "
        f"{row.seconds:.1f} s"
    )
