"""Runs that differ in their seed alone: kept each by itself, or joined to an ensemble.

| place | what |
| --- | --- |
| `OUT/seed-S/` | the bundle of one run |
| `OUT/seeds.json` | the conditions of all runs; at the end their measures, mean and deviation |
| `OUT.members/` | the same of an ensemble, until `OUT` is its bundle |
"""

from __future__ import annotations

import gc
import json
import math
import shutil
import statistics
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from abcnn.bundle import load_bundle, read_config, read_history, save_bundle, was_bundle
from abcnn.devices import use_device
from abcnn.errors import BundleError, InputError, TrainingInterruptedError
from abcnn.features.extraction import Extraction
from abcnn.pairs import PairBatch
from abcnn.tables.output import whole_file
from abcnn.tasks import Task
from abcnn.text.vector_sets import VectorFiles
from abcnn.training.arrays import ArrayStore
from abcnn.training.files import CHECKPOINT, checked_place, state_folder, train_parts
from abcnn.training.many_runs import data_facts, differences, many_networks, vectors_facts
from abcnn.training.options import TrainingOptions
from abcnn.training.parts import check_beforehand, read_parts
from abcnn.training.prepare import prepare
from abcnn.training.progress import SILENT, Progress

if TYPE_CHECKING:
    from abcnn.scoring.matcher import Matcher

RECORD = "seeds.json"


@dataclass(frozen=True)
class SeedRun:
    """A finished run: its matcher, a row an epoch as `history.csv` has it, and with `train_on_dev`
    the logits of dev of its first training."""

    seed: int
    matcher: Matcher
    history: list[dict[str, Any]]
    dev_logits: np.ndarray | None = None


@dataclass(frozen=True)
class SeedRuns:
    """All runs, and with `--ensemble` the matcher they were joined to."""

    runs: tuple[SeedRun, ...]
    ensemble: Matcher | None = None

    @property
    def spread(self) -> dict[str, dict[str, dict[str, float]]]:
        """Mean and standard deviation of each measure, by part of the data and name."""
        return spread([run.matcher.metrics for run in self.runs])


def train_seeds(
    task: Task,
    out: str | PathLike[str],
    *,
    seeds: int,
    ensemble: bool = False,
    train_file: str,
    dev_file: str | None = None,
    test_file: str | None = None,
    vectors: VectorFiles = None,
    options: TrainingOptions | None = None,
    reading: dict[str, Any] | None = None,
    resume: bool = False,
    force: bool = False,
    device: str = "auto",
    precision: str = "float32",
    extraction: Extraction | None = None,
    teacher_column: str | None = None,
    progress: Progress = SILENT,
) -> SeedRuns:
    """Train with the seeds from `options.seed` on, `seeds` of them; places as in this module's top.

    The files are read once. Without `dev_file` the part held out is that of the first seed for all
    runs. Each run is otherwise the one that its seed gives alone; but with `ensemble` words, first
    word vectors and features are those of the first seed for all. `resume` makes no finished run
    again and goes on with the one that was interrupted. The other arguments are those of
    `abcnn.training.files.train_files`.

    Raises what `train_files` raises, InputError for runs in the same place that were made under
    other conditions, and TrainingInterruptedError after Ctrl-C: finished runs are kept.
    """
    options = (options or TrainingOptions()).for_task(task)
    if seeds < 2:
        raise InputError(f"`seeds` must be at least 2. Received: {seeds}")
    replace(options, seed=options.seed + seeds - 1).for_task(task)
    check_beforehand(task, options, vectors)
    if ensemble:
        out = checked_place(out, resume=resume, force=force)
        folder = out.with_name(f"{out.name}.members")
    else:
        out = folder = Path(out)
    _check_folder(folder, resume=resume, force=force)
    train_pairs, dev, test = read_parts(
        task,
        train_file,
        dev_file,
        test_file,
        options,
        reading or {},
        ArrayStore(),
        progress,
        teacher_column,
    )
    assert isinstance(train_pairs, PairBatch)
    conditions = {
        "task": task.name,
        "ensemble": ensemble,
        "options": options.to_dict(),
        "train": data_facts(train_pairs),
        "dev": data_facts(dev),
        "test": test and data_facts(test),
        "vectors": vectors_facts(vectors),
        "precision": precision,
    }
    if resume:
        _check_conditions(folder, conditions)
    else:
        _remove_runs(folder)
    use_device(device, precision)
    _write_record(folder, {"conditions": conditions})

    from abcnn.training.ensemble import join, member_options, resolved

    planned = [replace(options, seed=options.seed + number) for number in range(seeds)]
    shared = None
    if ensemble:
        options = resolved(options, task, vectors)
        planned = member_options(options, seeds)
        shared = prepare(
            train_pairs,
            task,
            options,
            vectors,
            on_message=progress.message,
            extraction=extraction,
        )
    runs: list[SeedRun] = []
    for number, one in enumerate(planned, start=1):
        place = folder / f"seed-{one.seed}"
        aside = _logits_file(place) if ensemble and one.train_on_dev else None
        run = _finished(place, one.seed, aside) if resume else None
        if run is None:
            progress.message(f"seed {one.seed} ({number} of {seeds}) ...")
            try:
                with many_networks():
                    trained = train_parts(
                        task,
                        place,
                        train_pairs,
                        dev,
                        test,
                        options=one,
                        vectors=vectors,
                        resume=resume and (state_folder(place) / CHECKPOINT).is_file(),
                        extraction=extraction,
                        prepared=shared,
                        progress=progress,
                    )
            except TrainingInterruptedError:
                raise _interrupted(len(runs), seeds) from None
            if trained.interrupted:
                raise _interrupted(len(runs), seeds)
            history = [asdict(epoch) for epoch in trained.epochs]
            run = SeedRun(one.seed, trained.matcher, history, trained.dev_logits)
            if aside is not None and trained.dev_logits is not None:
                with whole_file(aside) as stream:
                    np.save(stream, trained.dev_logits)
            gc.collect()  # networks hold on to themselves
        progress.message(f"seed {one.seed} ({number} of {seeds}): {_outcome(run, task.measure)}")
        runs.append(run)
    done = SeedRuns(tuple(runs))
    if not ensemble:
        _write_record(
            folder,
            {
                "conditions": conditions,
                "runs": [{"seed": run.seed, "metrics": run.matcher.metrics} for run in runs],
                "spread": done.spread,
            },
        )
        return done
    dev_logits = [run.dev_logits for run in runs if run.dev_logits is not None]
    members = [run.matcher for run in runs]
    joined = join(members, dev, test, options=options, dev_logits=dev_logits)
    history = [{"seed": run.seed} | row for run in runs for row in run.history]
    target = out.resolve() if out.is_symlink() else out
    save_bundle(joined, target, history=history, replace=target.exists())
    _remove_runs(folder)
    return SeedRuns(done.runs, joined)


def spread(metrics: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, dict[str, float]]]:
    """Mean and standard deviation (of a sample) of each measure, by part of the data and name.

    metrics: of each run, as in a bundle's `metrics.json`. Counts and lists are left out, and what
    is not finite in a run.
    """
    found: dict[str, dict[str, dict[str, float]]] = {}
    for part, first in metrics[0].items():
        found[part] = {}
        for name in first:
            values = [run[part][name] for run in metrics]
            if all(isinstance(value, float) and math.isfinite(value) for value in values):
                found[part][name] = {
                    "mean": statistics.mean(values),
                    "sd": statistics.stdev(values),
                }
    return found


def _check_folder(folder: Path, *, resume: bool, force: bool) -> None:
    """InputError when runs would be overwritten that nobody asked to, or what is no run."""
    try:
        if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
            return
        if not (folder / RECORD).is_file():
            raise InputError(f"{folder}: is not empty and holds no runs, so it is left alone")
    except OSError as error:
        raise InputError(f"{folder}: cannot be written: {error.strerror}") from error
    if not (resume or force):
        raise InputError(
            f"{folder}: holds runs; --resume goes on with them, --force makes them anew"
        )


def _check_conditions(folder: Path, conditions: Mapping[str, Any]) -> None:
    """InputError when the runs in a folder were made with other data or options."""
    path = folder / RECORD
    if not path.is_file():
        return
    try:
        found = json.loads(path.read_text(encoding="utf-8"))["conditions"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path}: expected the record of runs. Received: {error}") from error
    if other := differences(found, conditions):
        raise InputError(
            f"{path}: the runs there have other {', '.join(other)}. To go on with them, give the "
            "same; to start anew, --force"
        )


def _write_record(folder: Path, record: Mapping[str, Any]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be written: {error.strerror}") from error
    with whole_file(folder / RECORD) as file:
        file.write((json.dumps(record, indent=1) + "\n").encode())


def _finished(place: Path, seed: int, aside: Path | None) -> SeedRun | None:
    """The run whose bundle is there, if it is whole and was not interrupted, and with it the logits
    that an ensemble needs besides, if it needs any."""
    try:
        if read_config(place)["about"].get("interrupted"):
            return None
        dev_logits = None if aside is None else np.load(aside, allow_pickle=False)
        return SeedRun(seed, load_bundle(place), list(read_history(place)), dev_logits)
    except (BundleError, OSError, ValueError):
        return None


def _logits_file(place: Path) -> Path:
    """Where the logits of dev lie that an ensemble of `train_on_dev` is joined by."""
    return place.with_name(f"{place.name}.dev-logits.npy")


def _interrupted(finished: int, seeds: int) -> TrainingInterruptedError:
    return TrainingInterruptedError(
        f"interrupted: {finished} of {seeds} runs are finished and kept; --resume goes on"
    )


def _outcome(run: SeedRun, measure: str) -> str:
    about, dev = run.matcher.about, run.matcher.metrics["dev"][measure]
    return f"dev {measure} {dev:.4f} after epoch {about['best_epoch']} of {about['epochs']}"


def _remove_runs(folder: Path) -> None:
    """Remove runs, finished and not, and their record; anything else there is not ours."""
    for place in folder.glob("seed-*"):
        if was_bundle(place) or (place / CHECKPOINT).is_file():
            shutil.rmtree(place)
        _logits_file(place).unlink(missing_ok=True)
    (folder / RECORD).unlink(missing_ok=True)
    with suppress(OSError):
        folder.rmdir()
