"""Scoring files: one table or many, in this process, in several, or on a Ray cluster."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

from abcnn.bundle.files import checksum
from abcnn.errors import InputError
from abcnn.readers import open_pairs
from abcnn.scoring.checkpoint import CheckpointPlace, identity
from abcnn.scoring.folders import score_job, score_to_folder
from abcnn.scoring.inputs import Job, jobs_of
from abcnn.scoring.rereading import can_be_read_twice
from abcnn.scoring.tables import TableCounts
from abcnn.scoring.threads import MOST_THREADS, Threads
from abcnn.scoring.workers import BundleScorer, Workers
from abcnn.tables import CHUNK_ROWS


def score_files(
    scorer: BundleScorer,
    inputs: Sequence[str | PathLike[str]],
    output: str | PathLike[str],
    *,
    workers: int = 1,
    ray: bool = False,
    resume: bool = False,
    output_format: str | None = None,
    chunk_rows: int = CHUNK_ROWS,
    on_rows: Callable[[int], None] = lambda rows: None,
    **reading: Any,
) -> TableCounts:
    """Score one table to the table `output`, or several to the folder `output`, see `folder_jobs`.

    workers: how many score; a few of the fast engine are `Threads`, others `Workers`, for large
        tables.
    ray: have the actors of a Ray cluster score them instead, see `abcnn.scoring.ray_cluster`.
    resume: go on from the parts that an interrupted call with the same arguments has left in
        `OUTPUT.parts`. Whatever ends the process, they stay; they go when the output is whole, and
        when the input is found to be wrong. `workers` may differ.

    The other arguments are those of `score_table`; the output is the same to the last byte for any
    number of workers, chunk by chunk.

    Raises InputError for bad inputs, before the model is loaded where that can be told from their
    beginnings, and for parts that are there without `resume`, or are of another scoring. Then there
    is no output; of several, those finished before stay.
    """
    jobs, one_file = jobs_of([str(file) for file in inputs], str(output), output_format)
    for job in jobs:
        _look_at(job, reading)
    if one_file and not _can_be_resumed(jobs[0]):
        if resume or ray:
            option = "--resume" if resume else "--engine ray"
            raise InputError(f"`{option}` needs files as input and output, no pipes")
        place = None
    else:
        place = CheckpointPlace.beside(
            Path(output),
            {
                "input": [identity(Path(job.source)) for job in jobs],
                "model": checksum(Path(scorer.folder) / "config.json"),
                "options": {
                    **{name: value for name, value in asdict(scorer).items() if name != "folder"},
                    **{"chunk_rows": chunk_rows, "output_format": output_format},
                    **reading,
                },
            },
            resume=resume,
        )
        place.check()
    options = {"output_format": output_format, "chunk_rows": chunk_rows, **reading}
    if ray:
        from abcnn.scoring.ray_cluster import score_parts

        options["fill"] = partial(score_parts, scorer)
    scorer.matcher  # noqa: B018 - what is wrong with the model is told before anything is started
    threaded = scorer.engine == "fast" and workers <= MOST_THREADS
    threads_or_processes = Threads(scorer, workers) if threaded else Workers(scorer, workers)
    with _old_objects_left_alone(), threads_or_processes as scorers:
        if one_file:
            chosen = {"scorers": scorers, "place": place, "on_rows": on_rows}
            return score_job(scorer, jobs[0], **options, **chosen)
        assert place is not None
        return score_to_folder(scorer, jobs, Path(output), place, scorers, on_rows, options)


@contextmanager
def _old_objects_left_alone() -> Iterator[None]:
    """Have garbage be looked for among new objects only: libraries and the model stay.

    Of what a new word costs, a fifth was the search of everything there is. A program that has
    frozen objects by itself is left alone.
    """
    if gc.get_freeze_count():
        yield
        return
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _look_at(job: Job, reading: dict[str, Any]) -> None:
    """InputError when the beginning of a table tells that it cannot be scored."""
    if can_be_read_twice(job.source):
        with open_pairs(job.source, **reading):
            pass


def _can_be_resumed(job: Job) -> bool:
    output = Path(job.output)
    is_file = job.output != "-" and (output.is_file() or not output.exists())
    return is_file and can_be_read_twice(job.source)
