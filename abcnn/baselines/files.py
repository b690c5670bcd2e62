"""Baselines from files, read and split as training does it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from abcnn.baselines.measuring import measure_baselines
from abcnn.readers import read_pairs, require_unique_candidates, true_values
from abcnn.tasks import Task
from abcnn.text.vector_sets import VectorFiles
from abcnn.training.options import TrainingOptions
from abcnn.training.prepare import task_scale
from abcnn.training.split import hold_out


def baseline_files(
    task: Task,
    *,
    train_file: str,
    dev_file: str | None = None,
    test_file: str | None = None,
    vectors: VectorFiles = None,
    options: TrainingOptions | None = None,
    reading: dict[str, Any] | None = None,
    on_message: Callable[[str], None] = lambda message: None,
) -> dict[str, dict[str, dict[str, Any]]]:
    """The measures of every baseline on dev and test, by baseline and part (`measure_baselines`).

    Without `dev_file` the same part of the training pairs is held out as by `train_files` with the
    same options. `reading` are arguments of `read_pairs`. Raises InputError for bad data.
    """
    options = options or TrainingOptions()
    parts = {}
    for name, file in {"train": train_file, "dev": dev_file, "test": test_file}.items():
        if file is not None:
            read = read_pairs(
                file, **(reading or {}) | {"require_labels": True, "graded": task.graded}
            )
            if read.skipped:
                on_message(f"{file}: {read.skipped:,} rows without a label were left out")
            if task.ranks:
                require_unique_candidates(read.pairs)
            parts[name] = read.pairs
    scale = task_scale(parts["train"], task, options)
    train = parts.pop("train")
    if dev_file is None:
        train, dev = hold_out(
            train,
            share=options.dev_share,
            seed=options.seed,
            by_group=task.ranks,
            graded=task.graded,
        )
        on_message(f"dev: {len(dev):,} pairs held out of {train_file}")
        parts = {"dev": dev} | parts
    for pairs in parts.values():
        true_values(pairs, scale)
    return measure_baselines(
        task, train, parts, vectors=vectors, options=options, on_message=on_message
    )
