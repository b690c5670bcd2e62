"""The whole comparison: files in, a folder of tables out."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from abcnn.devices import engine_for, use_device
from abcnn.errors import InputError, MissingExtraError, TrainingInterruptedError
from abcnn.features.extraction import Extraction
from abcnn.model_comparison.chart import draw_models
from abcnn.model_comparison.folder import RunFolder
from abcnn.model_comparison.plan import COMPARED, planned
from abcnn.model_comparison.records import ModelRow, ModelRun, rows_of
from abcnn.model_comparison.running import run_model
from abcnn.model_comparison.tables import csv_table, json_document, markdown_page
from abcnn.pairs import PairBatch
from abcnn.tables.output import whole_file
from abcnn.tasks import Task
from abcnn.text.vector_sets import VectorFiles
from abcnn.training.arrays import ArrayStore
from abcnn.training.many_runs import data_facts, many_networks, vectors_facts
from abcnn.training.options import TrainingOptions
from abcnn.training.parts import check_beforehand, read_parts
from abcnn.training.progress import SILENT, Progress


def compare_models(
    task: Task,
    out: str | PathLike[str],
    *,
    train_file: str,
    dev_file: str | None = None,
    vectors: VectorFiles = None,
    models: Sequence[str] = COMPARED,
    seeds: int = 3,
    options: TrainingOptions | None = None,
    reading: dict[str, Any] | None = None,
    device: str = "auto",
    precision: str = "float32",
    extraction: Extraction | None = None,
    progress: Progress = SILENT,
) -> tuple[ModelRow, ...]:
    """Train every model with the seeds 0 to `seeds - 1` under the same `options`; a row a model.

    Without `dev_file` the same share of the training pairs is held out for every run. A finished
    run is kept in `out/runs/`, and not made again when it is there already; a failed one is named
    in its row, and the others go on. At the end `out` holds `models.md`, `models.json`,
    `models.csv` and, with matplotlib, `models.svg`. The other arguments are those of `train_files`.

    Raises InputError for data or options that do not fit, or a run in `out` that was made with
    others, and KeyboardInterrupt when a run was interrupted.
    """
    options = options or TrainingOptions()
    plan = planned(task, options, models, seeds)
    engine = engine_for("fast", device, precision)
    check_beforehand(task, options, vectors)
    train_pairs, dev, _ = read_parts(
        task, train_file, dev_file, None, options, reading or {}, ArrayStore(), progress
    )
    assert isinstance(train_pairs, PairBatch)
    folder = RunFolder(Path(out))
    conditions = {
        "task": task.name,
        "train": data_facts(train_pairs),
        "dev": data_facts(dev),
        "vectors": vectors_facts(vectors),
        "device": device,
        "precision": precision,
        "processors": os.cpu_count(),
    }

    def of_run(run: TrainingOptions) -> dict[str, Any]:
        return conditions | {"options": run.to_dict()}

    found = [folder.find(run.model, run.seed, of_run(run)) for run in plan]
    if None in found:
        # Only now: what is wrong with the files should be told before the backend's slow start.
        use_device(device, precision)
    runs: list[ModelRun] = []
    for number, (run_options, run) in enumerate(zip(plan, found, strict=True), start=1):
        name = f"{run_options.model}, seed {run_options.seed} ({number} of {len(plan)})"
        if run is None:
            progress.message(f"{name} ...")
            run = _run(
                task,
                train_pairs,
                dev,
                options=run_options,
                vectors=vectors,
                engine=engine,
                extraction=extraction,
                # What is told of data and vectors is the same for all.
                progress=progress if not runs else SILENT,
            )
            if run.failure is None:
                folder.keep(run, of_run(run_options))
        progress.message(f"{name}: {_outcome(run, task.measure)}")
        runs.append(run)
    rows = rows_of(runs)
    _write(Path(out), rows, runs, task.measure, conditions, progress.message)
    return rows


def _run(*data: Any, options: TrainingOptions, **manner: Any) -> ModelRun:
    """The run, or its failure where another model may not fail."""
    try:
        with many_networks():
            return run_model(*data, options=options, **manner)
    except TrainingInterruptedError:
        raise KeyboardInterrupt from None
    except (InputError, MissingExtraError):
        raise
    except Exception as error:  # of a backend too, such as one that has no memory left
        line = next(iter(str(error).splitlines()), "")
        failure = f"{type(error).__name__}: {line}".removeprefix("TrainingError: ")
        return ModelRun(options.model, options.seed, failure=failure)
    finally:
        gc.collect()  # networks hold on to themselves


def _outcome(run: ModelRun, measure: str) -> str:
    if run.failure is not None:
        return f"failed: {run.failure}"
    return (
        f"dev {measure} {run.dev:.4f} after epoch {run.best_epoch} of {run.epochs}, "
        f"{run.train_seconds:.1f} s, {run.pairs_per_second:,.0f} pairs/s"
    )


def _write(
    out: Path,
    rows: Sequence[ModelRow],
    runs: Sequence[ModelRun],
    measure: str,
    conditions: Mapping[str, Any],
    on_message: Callable[[str], None],
) -> None:
    texts = {
        "models.md": markdown_page(rows, measure, conditions),
        "models.csv": csv_table(rows),
        "models.json": json_document(rows, runs, measure, conditions),
    }
    for name, text in texts.items():
        with whole_file(out / name) as stream:
            stream.write(text.encode())
    if any(row.dev is not None for row in rows):
        try:
            with whole_file(out / "models.svg") as stream:
                draw_models(rows, measure, stream)
        except MissingExtraError as error:
            on_message(f"no plot: {error}")
