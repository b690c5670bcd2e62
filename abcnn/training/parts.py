"""The parts of the data: training, dev and test pairs from files, checked against each other."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from abcnn.errors import InputError
from abcnn.features.choice import known_features, require_libraries
from abcnn.pairs import PairBatch
from abcnn.readers import read_pairs, require_unique_candidates
from abcnn.readers.grades import Grades, Scale, grade_values, true_values
from abcnn.readers.reading import read_labelled_chunks
from abcnn.tasks import Task
from abcnn.text.tokenizer import Tokenizer
from abcnn.text.vector_sets import VectorFiles, vector_files
from abcnn.text.vectors import check_vectors_file
from abcnn.training.arrays import ArrayStore
from abcnn.training.corpus import Corpus, read_corpus
from abcnn.training.options import TrainingOptions
from abcnn.training.prepare import corpus_scale, task_scale
from abcnn.training.progress import Progress
from abcnn.training.split import hold_out
from abcnn.training.teacher import require_teachable, teacher_targets


def check_beforehand(task: Task, options: TrainingOptions, vectors: VectorFiles) -> None:
    """Raise what would else be raised when the pairs are read: InputError for a file of vectors,
    MissingExtraError for the library of a feature."""
    for file in vector_files(vectors):
        check_vectors_file(file)
    require_libraries(known_features(options.features or (), task.paper))


def read_parts(
    task: Task,
    train_file: str,
    dev_file: str | None,
    test_file: str | None,
    options: TrainingOptions,
    reading: dict[str, Any],
    store: ArrayStore,
    progress: Progress,
    teacher_column: str | None = None,
) -> tuple[PairBatch | Corpus, PairBatch, PairBatch | None]:
    """The training, dev and test pairs, checked; those for training as a corpus of mapped arrays
    where the store has a folder. `teacher_column` as in `open_pairs`, of those for training."""
    train_pairs: PairBatch | Corpus
    reading = reading | {"graded": task.graded}
    if teacher_column is not None:
        require_teachable(options)
        if store.folder is not None:
            raise InputError("`memory_map` goes without a teacher. Received: --teacher-column")
    elif options.teacher_weight != TrainingOptions.teacher_weight:
        raise InputError(
            f"`teacher_weight` needs --teacher-column. Received: {options.teacher_weight!r} alone"
        )
    if store.folder is None:
        taught = reading | {"teacher_column": teacher_column}
        train_pairs = _read(train_file, task, taught, progress)
        scale = task_scale(train_pairs, task, options)
        teacher_targets(train_pairs, scale, task)  # A bad value is told before a slow start.
    elif dev_file is None:
        raise InputError("`memory_map` needs a dev file (--dev). Received: none")
    else:
        chunks = read_labelled_chunks(
            train_file, on_skipped=partial(_tell_skipped, train_file, progress), **reading
        )
        train_pairs = read_corpus(
            _checked_grades(chunks, options) if task.graded else chunks,
            Tokenizer(options.tokenizer, options.lowercase),
            store,
            unique_candidates=task.ranks,
        )
        scale = corpus_scale(train_pairs, task, options)
    parts = {
        name: _read(file, task, reading, progress)
        for name, file in (("dev", dev_file), ("test", test_file))
        if file is not None
    }
    if isinstance(train_pairs, PairBatch) and dev_file is None:
        train_pairs, parts["dev"] = hold_out(
            train_pairs,
            share=options.dev_share,
            seed=options.seed,
            by_group=task.ranks,
            graded=task.graded,
        )
        progress.message(f"dev: {len(parts['dev']):,} pairs held out of {train_file}")
    for name in ("dev", "test"):
        if name in parts:
            _check_measurable(parts[name], name, scale, task)
    return train_pairs, parts["dev"], parts.get("test")


def _checked_grades(chunks: Iterator[PairBatch], options: TrainingOptions) -> Iterator[PairBatch]:
    """The same chunks; InputError for a grade that is none or outside the stated range."""
    for chunk in chunks:
        grade_values(chunk, options.stated_grades)
        yield chunk


def _read(file: str, task: Task, reading: dict[str, Any], progress: Progress) -> PairBatch:
    """The labelled pairs of a file, with a word on the rows that were left out."""
    read = read_pairs(file, require_labels=True, **reading)
    _tell_skipped(file, progress, read.skipped)
    if task.ranks:
        require_unique_candidates(read.pairs)
    return read.pairs


def _tell_skipped(file: str, progress: Progress, rows: int) -> None:
    if rows:
        progress.message(f"{file}: {rows:,} rows without a label were left out")


def _check_measurable(pairs: PairBatch, part: str, scale: Scale, task: Task) -> None:
    """InputError for dev or test pairs with an unknown label or bad grade, or that allow no ranking
    measure or correlation."""
    found = set(true_values(pairs, scale).tolist())
    if isinstance(scale, Grades):
        if len(found) == 1:
            raise InputError(
                f"{pairs.source}: column `{pairs.label_column}` must hold at least two different "
                f"grades. Received: {found.pop():g} in all {len(pairs):,} rows"
            )
        return
    if not task.ranks:
        return
    labels = scale
    if len(labels) - 1 not in found:
        missing = "right", labels[-1]
    elif part == "dev" and len(found) == 1:  # Any order is as good, so no epoch is better.
        missing = "wrong", labels[0]
    else:
        return
    raise InputError(
        f"{pairs.source}: expected a {missing[0]} candidate among the {part} pairs, column "
        f"`{pairs.label_column}` {missing[1]!r}. Received: none in {len(pairs):,} rows"
    )
