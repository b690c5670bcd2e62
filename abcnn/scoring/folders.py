"""Several tables, each scored to its own file in a folder."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from abcnn.scoring.checkpoint import CheckpointPlace
from abcnn.scoring.inputs import Job
from abcnn.scoring.tables import SMALL, TableCounts, score_table
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
    scorers: Workers,
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
            scorers.start()
        waiting = deque[tuple[Job, Callable[[], TableCounts]]]()

        def finish(ahead: int) -> None:
            nonlocal total
            while len(waiting) > ahead:
                job, counts = waiting.popleft()
                total += counts()
                with whole_file(checkpoint.folder / f"{job.name}.done") as file:
                    file.write(json.dumps(asdict(counts())).encode())
                on_rows(total.rows)

        for job in jobs:
            done = checkpoint.folder / f"{job.name}.done"
            if done.exists():
                total += TableCounts(**json.loads(done.read_text(encoding="utf-8")))
            elif job in small:
                score = partial(score_job, scorer, job, **options)
                waiting.append((job, scorers.call(score)))
                finish(scorers.ahead)
            else:
                finish(0)
                before = total.rows
                own = CheckpointPlace(checkpoint.folder / f"{job.name}.parts", {}, resume=True)
                counts = score_job(
                    scorer,
                    job,
                    **options,
                    scorers=scorers,
                    place=own,
                    on_rows=lambda rows, before=before: on_rows(before + rows),  # type: ignore[misc]
                )
                waiting.append((job, lambda counts=counts: counts))
                finish(0)
        finish(0)
    return total
