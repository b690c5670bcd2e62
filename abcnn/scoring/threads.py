"""Scoring rows in threads of this process: there at once, with one model in memory."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from abcnn.scoring.workers import BundleScorer, InProcess, Result

if TYPE_CHECKING:
    from abcnn.scoring.rows import RowResults, Texts

MOST_THREADS = 3
"""More workers are processes: reading, writing and first sight of words hold Python's lock."""

PIECE_ROWS, FEWEST_ROWS = 4096, 256
"""Rows that a thread scores at a time, and of few rows at least: while one looks words up, another
is at the arithmetic, from the first rows of a table to its last."""


class Threads(InProcess):
    """Scores rows in `count` threads; a context manager.

    For the fast engine: its loops run without Python's lock. Threads cost nothing to start, so a
    small table has them too.
    """

    def __init__(self, scorer: BundleScorer, count: int) -> None:
        super().__init__(scorer)
        self._scorer = scorer
        self._count = count
        self._pool: ThreadPoolExecutor | None = None

    def __enter__(self) -> Threads:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)

    def start(self, *, large: bool) -> None:
        """Start the threads, if there are to be more than one and there are none yet."""
        if self._count == 1 or self._pool is not None:
            return
        self._scorer.matcher.folded  # noqa: B018 - once, not in each of the threads
        self._pool = ThreadPoolExecutor(self._count)
        self.ahead = self._count + 1

    def submit(self, left: Texts, right: Texts) -> Callable[[], RowResults]:
        if self._pool is None:
            return super().submit(left, right)
        size = min(PIECE_ROWS, max(FEWEST_ROWS, -(-len(left) // self._count)))
        pieces = [
            self._pool.submit(self._scorer, left[row : row + size], right[row : row + size], 1)
            for row in range(0, max(len(left), 1), size)
        ]

        def joined() -> RowResults:
            from abcnn.scoring.rows import RowResults

            return RowResults.joined([piece.result() for piece in pieces])

        return joined

    def call(self, function: Callable[..., Result], *arguments: Any) -> Callable[[], Result]:
        """Begin to call a function, in a thread if they are started."""
        if self._pool is None:
            result = function(*arguments)
            return lambda: result
        return self._pool.submit(function, *arguments).result
