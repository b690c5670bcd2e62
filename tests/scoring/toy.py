"""A scorer that is there at once, for tests of what surrounds it in real processes.

As a program it scores a file: `python -m tests.scoring.toy TASK INPUT OUTPUT WORKERS [--resume]`.
"""

from __future__ import annotations

import os
import sys
import time
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from abcnn.errors import InputError
from abcnn.scoring.files import score_files
from abcnn.scoring.matcher import Matcher
from abcnn.scoring.rows import RowResults, Texts
from abcnn.scoring.workers import BundleScorer
from abcnn.tasks import TASKS

CHUNK_ROWS = 250


@dataclass(frozen=True)
class ToyScorer(BundleScorer):
    """A row's score is a number made of its texts; `rest` seconds a chunk.

    A text "bad" is refused, and one "die" ends the process, as a lack of memory would. Its workers
    are processes, with the engine "fast" threads.
    """

    engine: str = "keras"
    task: str = "paraphrase"
    rest: float = 0.0

    @property
    def matcher(self) -> Matcher:
        nothing: Any = None
        return Matcher(TASKS[self.task], ("0", "1"), 0.5, nothing, nothing, nothing, engine="keras")

    def __call__(self, left: Texts, right: Texts, threads: int | None = None) -> RowResults:
        time.sleep(self.rest)
        if "bad" in right:
            raise InputError("a text is bad")
        if "die" in right:
            os._exit(9)
        empty = [one is None or two is None for one, two in zip(left, right, strict=True)]
        texts = (f"{one}\t{two}".encode() for one, two in zip(left, right, strict=True))
        positive = np.array([zlib.crc32(text) / 2**32 for text in texts])
        positive[empty] = np.nan
        faults = np.where(empty, 2, 0).astype(np.uint8)
        return RowResults(np.stack([1 - positive, positive], axis=1), faults, 1)


def toy(folder: Path, **options: Any) -> ToyScorer:
    """A scorer with a bundle of which only the checksum is read."""
    (folder / "bundle").mkdir(exist_ok=True)
    (folder / "bundle" / "config.json").write_text("{}")
    return ToyScorer(str(folder / "bundle"), **options)


def rows_of(count: int) -> str:
    """A table of questions whose candidates are scattered, as CSV; some rows have no score."""
    lines = ["question_id,question,answer"]
    for row in range(count):
        answer = "" if row % 97 == 5 else f'"answer, {row % 911}"'
        lines.append(f"q{row * 7919 % (count // 5)},Who {row % 13}?,{answer}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    task, source, output, workers = sys.argv[1:5]
    scorer = toy(Path(source).parent, task=task, rest=0.01)
    print("ready", flush=True)
    score_files(
        scorer,
        [source],
        output,
        workers=int(workers),
        chunk_rows=CHUNK_ROWS,
        resume="--resume" in sys.argv,
    )
