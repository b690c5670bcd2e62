"""Training from files to a bundle, so that nothing is lost when it is interrupted."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from abcnn.bundle import BUNDLE_FILES, read_config, save_bundle, was_bundle
from abcnn.devices import use_device
from abcnn.errors import BundleError, InputError
from abcnn.features.extraction import Extraction
from abcnn.pairs import PairBatch
from abcnn.tasks import Task
from abcnn.text.vector_sets import VectorFiles
from abcnn.training.arrays import ArrayStore
from abcnn.training.corpus import Corpus
from abcnn.training.options import RANKING_LOSSES, TrainingOptions
from abcnn.training.parts import check_beforehand, read_parts
from abcnn.training.progress import SILENT, Progress
from abcnn.training.with_dev import state_with_dev

if TYPE_CHECKING:
    from abcnn.training.run import Trained

CHECKPOINT = "checkpoint.npz"
ARRAYS = "arrays"


def train_files(
    task: Task,
    out: str | PathLike[str],
    *,
    train_file: str,
    dev_file: str | None = None,
    test_file: str | None = None,
    vectors: VectorFiles = None,
    options: TrainingOptions | None = None,
    reading: dict[str, Any] | None = None,
    teacher_column: str | None = None,
    resume: bool = False,
    force: bool = False,
    memory_map: bool = False,
    device: str = "auto",
    devices: str | None = None,
    precision: str = "float32",
    extraction: Extraction | None = None,
    progress: Progress = SILENT,
) -> Trained:
    """Train on labelled files and write the bundle `out`.

    Without `dev_file` a stratified share of the training pairs is held out, whole questions where
    candidates are ranked. `reading` are arguments of `read_pairs`; `teacher_column` is one, too,
    for `train_file` alone; its scores have the share `options.teacher_weight` in the loss. While
    training goes on its state lies in `out.training/`; `resume` goes on from there. A bundle that
    is there already is replaced only with `force`, and files that are no bundle's or checkpoint's
    are never removed. With `memory_map` the training pairs are read once, as a stream, into arrays
    on disk in `out.training/arrays/`, which are removed at the end: the file may be larger than
    memory, and needs a `dev_file`. The matcher is the same. `device` and `precision` as in
    `use_device`, `devices` as in `shared_batches`; `extraction` says how costly features are
    computed.

    Raises InputError for bad data or options, TrainingError when training fails.
    """
    options = (options or TrainingOptions()).for_task(task)
    out = checked_place(out, resume=resume, force=force)
    check_beforehand(task, options, vectors)
    if devices is not None and options.loss in RANKING_LOSSES:
        raise InputError(
            f"`devices` needs --loss pointwise: the {options.loss} loss wants the candidates of a "
            "question on one device"
        )
    with _arrays(state_folder(out), memory_map) as store:
        train_pairs, dev, test = read_parts(
            task,
            train_file,
            dev_file,
            test_file,
            options,
            reading or {},
            store,
            progress,
            teacher_column,
        )
        # Only now: what is wrong with the files should be told before the backend's slow start.
        use_device(device, precision)
        return train_parts(
            task,
            out,
            train_pairs,
            dev,
            test,
            resume=resume,
            options=options,
            vectors=vectors,
            devices=devices,
            store=store,
            extraction=extraction,
            progress=progress,
        )


def train_parts(
    task: Task,
    out: Path,
    train_pairs: PairBatch | Corpus,
    dev_pairs: PairBatch,
    test_pairs: PairBatch | None,
    *,
    resume: bool,
    progress: Progress,
    **manner: Any,
) -> Trained:
    """Train on pairs that are read already and write the bundle `out`, in a place that is free.

    As `train_files` does it, with its state in `out.training/`; `manner` are further arguments of
    `abcnn.training.run.train`.
    """
    from abcnn.training.run import train

    state = state_folder(out)
    if resume and not (state / CHECKPOINT).is_file():
        progress.message(f"{state}: holds no finished epoch to go on from; training starts anew")
        resume = False
    if not resume:
        _remove_state(state)
    try:
        state.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{state}: cannot be written: {error.strerror}") from error
    try:
        trained = train(
            task,
            train_pairs,
            dev_pairs,
            test_pairs,
            checkpoint_file=state / CHECKPOINT,
            resume=resume,
            progress=progress,
            **manner,
        )
        history = [asdict(epoch) for epoch in trained.epochs]
        # Through a link, so that the folder it leads to is replaced and not the link.
        place = out.resolve() if out.is_symlink() else out
        save_bundle(trained.matcher, place, history=history, replace=place.exists())
    except BaseException:
        if not (state / CHECKPOINT).is_file():
            _remove_state(state)
        raise
    if not trained.interrupted:
        _remove_state(state)
    return trained


def state_folder(out: Path) -> Path:
    """Where the state of a run lies while it goes on."""
    return out.with_name(f"{out.name}.training")


@contextmanager
def _arrays(state: Path, memory_map: bool) -> Iterator[ArrayStore]:
    """Where the training pairs lie: in memory, or in a folder that is there for the block only."""
    if not memory_map:
        yield ArrayStore()
        return
    folder = state / ARRAYS
    shutil.rmtree(folder, ignore_errors=True)  # of a run that was killed
    try:
        folder.mkdir(parents=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be written: {error.strerror}") from error
    try:
        yield ArrayStore(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        with suppress(OSError):
            state.rmdir()  # unless a checkpoint lies there


def _remove_state(state: Path) -> None:
    """Remove the checkpoints, and what a killed run left of one; all else there is not ours."""
    with suppress(OSError):
        checkpoints = (state / CHECKPOINT, state_with_dev(state / CHECKPOINT))
        for file in (*checkpoints, *state.glob(".*.part")):
            file.unlink(missing_ok=True)
        state.rmdir()


def checked_place(out: str | PathLike[str], *, resume: bool, force: bool) -> Path:
    """The folder of a bundle to write.

    InputError when the run would overwrite something that nobody asked it to.
    """
    out = Path(out)
    if out.name in ("", ".."):
        raise InputError(f"`out` must name a folder to make. Received: {str(out)!r}")
    try:
        _check_place(out, state_folder(out), resume=resume, force=force)
    except OSError as error:
        raise InputError(f"{out}: cannot be written: {error.strerror}") from error
    return out


def _check_place(out: Path, state: Path, *, resume: bool, force: bool) -> None:
    if out.exists() and not out.is_dir():
        raise InputError(f"{out}: expected a folder to write. Received: a file")
    interrupted = (state / CHECKPOINT).is_file()
    if out.is_dir() and any(out.iterdir()):
        finished = True
        try:
            finished = not read_config(out)["about"].get("interrupted")
        except BundleError as error:
            if not (force and was_bundle(out)):  # a damaged bundle may be replaced
                raise InputError(
                    f"{out}: is not empty and no whole bundle, so it is left alone ({error})"
                ) from error
        if finished and not force:
            raise InputError(
                f"{out}: holds a finished run; --force replaces it, --out names another folder"
            )
        if foreign := sorted({file.name for file in out.iterdir()} - BUNDLE_FILES):
            raise InputError(
                f"{out}: holds what no bundle does, so it is left alone: {', '.join(foreign[:5])}"
            )
        interrupted = True
    if interrupted and not (resume or force):
        raise InputError(
            f"{state}: holds an interrupted run; --resume goes on with it, --force starts anew"
        )
