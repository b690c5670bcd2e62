"""Training from files to a bundle, so that nothing is lost when it is interrupted."""

from __future__ import annotations

import shutil
from dataclasses import asdict
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from abcnn.bundle import read_config, save_bundle
from abcnn.devices import use_device
from abcnn.errors import BundleError, InputError
from abcnn.pairs import PairBatch
from abcnn.readers import read_pairs, require_unique_candidates
from abcnn.tasks import Task
from abcnn.training.options import TrainingOptions
from abcnn.training.progress import SILENT, Progress
from abcnn.training.split import hold_out

if TYPE_CHECKING:
    from abcnn.training.run import Trained

CHECKPOINT = "checkpoint.npz"


def train_files(
    task: Task,
    out: str | PathLike[str],
    *,
    train_file: str,
    dev_file: str | None = None,
    test_file: str | None = None,
    vectors: str | Path | None = None,
    options: TrainingOptions | None = None,
    reading: dict[str, Any] | None = None,
    resume: bool = False,
    force: bool = False,
    device: str = "auto",
    precision: str = "float32",
    progress: Progress = SILENT,
) -> Trained:
    """Train on labelled files and write the bundle `out`.

    Without `dev_file` a stratified share of the training pairs is held out, whole questions where
    candidates are ranked. `reading` are arguments of `read_pairs`. While training goes on its state
    lies in `out.training/`; `resume` goes on from there. A bundle that is there already is replaced
    only with `force`. `device` and `precision` as in `use_device`.

    Raises InputError for bad data or options, TrainingError when training fails.
    """
    options = (options or TrainingOptions()).for_task(task)
    out = Path(out)
    state = out.with_name(f"{out.name}.training")
    _check_place(out, state, resume=resume, force=force)
    reading = (reading or {}) | {"require_labels": True}
    parts = {}
    for name, file in {"train": train_file, "dev": dev_file, "test": test_file}.items():
        if file is not None:
            parts[name] = _read(file, task, reading, progress)
    train_pairs, dev_pairs, test_pairs = parts["train"], parts.get("dev"), parts.get("test")
    if dev_pairs is None:
        train_pairs, dev_pairs = hold_out(
            train_pairs, share=options.dev_share, seed=options.seed, by_group=task.ranks
        )
        progress.message(f"dev: {len(dev_pairs):,} pairs held out of {train_file}")

    resume = resume and (state / CHECKPOINT).is_file()
    if not resume:
        shutil.rmtree(state, ignore_errors=True)
    try:
        state.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{state}: cannot be written: {error.strerror}") from error
    # Only now: what is wrong with the files should be told before the backend's slow start.
    use_device(device, precision)
    from abcnn.training.run import train

    trained = train(
        task,
        train_pairs,
        dev_pairs,
        test_pairs,
        options=options,
        vectors=vectors,
        checkpoint_file=state / CHECKPOINT,
        resume=resume,
        progress=progress,
    )
    history = [asdict(epoch) for epoch in trained.epochs]
    save_bundle(trained.matcher, out, history=history, replace=out.exists())
    if not trained.interrupted:
        shutil.rmtree(state)
    return trained


def _read(file: str, task: Task, reading: dict[str, Any], progress: Progress) -> PairBatch:
    """The labelled pairs of a file, with a word on the rows that were left out."""
    read = read_pairs(file, **reading)
    if read.skipped:
        progress.message(f"{file}: {read.skipped:,} rows without a label were left out")
    if task.ranks:
        require_unique_candidates(read.pairs)
    return read.pairs


def _check_place(out: Path, state: Path, *, resume: bool, force: bool) -> None:
    """InputError when the run would overwrite something that nobody asked it to."""
    if out.exists() and not out.is_dir():
        raise InputError(f"{out}: expected a folder to write. Received: a file")
    if out.is_dir() and any(out.iterdir()):
        try:
            interrupted = read_config(out)["about"].get("interrupted", False)
        except BundleError as error:
            if (out / "config.json").is_file() and force:
                interrupted = False  # a damaged bundle may be replaced
            else:
                raise InputError(
                    f"{out}: is not empty and no whole bundle, so it is left alone ({error})"
                ) from error
        if not force and not (resume and interrupted):
            raise InputError(
                f"{out}: holds a finished run; --force replaces it, --out names another folder"
            )
    if (state / CHECKPOINT).is_file() and not (resume or force):
        raise InputError(
            f"{state}: holds an interrupted run; --resume goes on with it, --force starts anew"
        )
