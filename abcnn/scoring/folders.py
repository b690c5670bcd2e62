"""Several tables, each scored to its own file in a folder."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from abcnn.scoring.checkpoint import Checkpoint, CheckpointPlace
from abcnn.scoring.inputs import Job
from abcnn.scoring.tables import SMALL, TableCounts, score_table
from abcnn.scoring.threads import Threads
from abcnn.scoring.workers import BundleScorer, InProcess, Workers
from abcnn.tables import whole_file

# A table so small is read, scored and written by one process.
_SMALL_BYTES = 1 << 22


def score_job(scorer: BundleScorer, job: Job, /, **options: Any) -> TableCounts:
    """`score_table` with the matcher of a scorer, which is loaded where this is called."""
    options.setdefault("scorers", InProcess(scorer))
    return score_table(scorer.matcher, job.source, job.output, **options)


def score_to_folder(
    scorer: BundleScorer,
    jobs: Sequence[Job],
    folder: Path,
    place: CheckpointPlace,
    scorers: Workers | Threads,
    on_rows: Callable[[int], None],
    options: dict[str, Any],
) -> TableCounts:
    """Score the tables of `jobs` but for those that the checkpoint calls done.

    Small tables are scored whole, each by a worker, where there are many; large ones by all.
    """
    total = TableCounts(0, 0, 0)
    with place.open() as checkpoint:
        folder.mkdir(exist_ok=True)
        small = {job for job in jobs if Path(job.source).stat().st_size < _SMALL_BYTES}
        if "fill" in options:
            small.clear()
        if len(small) > SMALL:
            scorers.start(large=True)
        waiting = deque[tuple[Job, Callable[[], TableCounts]]]()

        def settle(job: Job, counts: TableCounts) -> None:
            nonlocal total
            total += counts
            with whole_file(_done(checkpoint, job)) as file:
                file.write(json.dumps(asdict(counts)).encode())
            on_rows(total.rows)

        def settle_waiting(ahead: int = 0) -> None:
            while len(waiting) > ahead:
                job, counts_of = waiting.popleft()
                settle(job, counts_of())

        for job in jobs:
            if _done(checkpoint, job).exists():
                text = _done(checkpoint, job).read_text(encoding="utf-8")
                total += TableCounts(**json.loads(text))
            elif job in small:
                waiting.append((job, scorers.call(partial(score_job, scorer, job, **options))))
                settle_waiting(scorers.ahead)
            else:
                settle_waiting()
                own = {
                    "scorers": scorers,
                    "place": CheckpointPlace(checkpoint.folder / f"{job.name}.parts", {}, True),
                    "on_rows": partial(_tell, on_rows, total.rows),
                }
                settle(job, score_job(scorer, job, **options, **own))
        settle_waiting()
    return total


def _done(checkpoint: Checkpoint, job: Job) -> Path:
    """The file that says that a table is finished, and counts its rows."""
    return checkpoint.folder / f"{job.name}.done"


def _tell(on_rows: Callable[[int], None], before: int, rows: int) -> None:
    on_rows(before + rows)
