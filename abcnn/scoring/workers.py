"""Scoring rows in this process or in several.

Nothing heavy is imported here at module level: a worker must know how many threads it may have
before NumPy and the backend are there.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from abcnn.errors import WorkerError

if TYPE_CHECKING:
    from abcnn.scoring.matcher import Matcher
    from abcnn.scoring.rows import RowResults, Texts

Result = TypeVar("Result")

# The libraries that would start a thread a core, in each worker.
_THREADS = (
    *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"),
    *("TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS"),
)


@dataclass(frozen=True)
class BundleScorer:
    """Scores rows with the matcher in `folder`: small to send, loaded once a process.

    `engine` and the rest are those of `load_bundle` and `use_device`.
    """

    folder: str
    engine: str = "fast"
    device: str = "auto"
    precision: str = "float32"
    batch_size: int = 256

    def __call__(self, left: Texts, right: Texts, threads: int | None = None) -> RowResults:
        """Score rows, see `score_rows`."""
        from abcnn.scoring.rows import score_rows

        return score_rows(self.matcher, left, right, self.batch_size, threads)

    @property
    def matcher(self) -> Matcher:
        """The matcher, loaded when it is first asked for."""
        return _loaded(self.folder, self.engine, self.device, self.precision)


@lru_cache(maxsize=1)
def _loaded(folder: str, engine: str, device: str, precision: str) -> Matcher:
    from abcnn.bundle import load_bundle

    if engine == "keras":
        from abcnn.devices import use_device

        use_device(device, precision)
    return load_bundle(folder, engine)


class Scorers(Protocol):
    """Whoever scores chunks of rows: takes some ahead, and gives the results in any order."""

    ahead: int

    def start(self, *, large: bool) -> None:
        """Told before the first rows of a table, and whether these are many."""

    def submit(self, left: Texts, right: Texts) -> Callable[[], RowResults]:
        """Begin to score rows; what is returned waits for the results."""


class InProcess:
    """Scores rows at once, in this process."""

    ahead = 0

    def __init__(self, score: Callable[[Texts, Texts], RowResults]) -> None:
        self._score = score

    def start(self, *, large: bool) -> None:
        """Nothing needs to be started."""

    def submit(self, left: Texts, right: Texts) -> Callable[[], RowResults]:
        results = self._score(left, right)
        return lambda: results


class Workers(InProcess):
    """Scores rows in `count` processes, from the first large table on; a context manager.

    The processes are spawned, since a backend that is loaded does not survive a fork. They end with
    the block and, whatever ends it, with this process. A program that uses them must be importable:
    its main module needs `if __name__ == "__main__":`.
    """

    def __init__(self, scorer: BundleScorer, count: int) -> None:
        super().__init__(scorer)
        self._scorer = scorer
        self._count = count
        self._pool: ProcessPoolExecutor | None = None
        self._lifeline: Connection | None = None

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._pool is None or self._lifeline is None:
            return
        if kind is not None:
            self._lifeline.close()  # Nobody waits for rows that nobody wants any more.
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._lifeline.close()

    def start(self, *, large: bool) -> None:
        """Start the processes, if there are to be more than one and there are none yet."""
        if self._count == 1 or self._pool is not None or not large:
            return
        theirs, self._lifeline = multiprocessing.Pipe(duplex=False)
        self._pool = ProcessPoolExecutor(
            self._count,
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_begin_work,
            initargs=(theirs, max(1, available_cores() // self._count)),
        )
        self.ahead = 2 * self._count

    def submit(self, left: Texts, right: Texts) -> Callable[[], RowResults]:
        return self.call(self._scorer, left, right)

    def call(self, function: Callable[..., Result], *arguments: Any) -> Callable[[], Result]:
        """Begin to call a function, in a worker if they are started; both are pickled."""
        if self._pool is None:
            result = function(*arguments)
            return lambda: result
        with _interrupts_held():  # A process may be started here.
            future = self._pool.submit(function, *arguments)
        return lambda: _result(future)


def available_cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _result(future: Future[Result]) -> Result:
    try:
        return future.result()
    except BrokenProcessPool:
        raise WorkerError(
            "a worker process ended before its rows were scored, perhaps for want of memory; "
            "--workers 1 needs the least"
        ) from None


def _begin_work(lifeline: Connection, threads: int) -> None:
    """What a worker does first: take few threads, and end when its parent does."""
    for name in _THREADS:
        os.environ[name] = str(threads)

    def end_with_parent() -> None:
        lifeline.poll(None)  # Nothing is ever sent: this returns when the other end is closed.
        os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True).start()


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C back, and from the processes started in the block for good.

    A terminal sends it to all; the workers end because this process does.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
