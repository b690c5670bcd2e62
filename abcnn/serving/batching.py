"""The pairs of many requests, scored together by one thread."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from abcnn.errors import AbcnnError

Result = TypeVar("Result")
Texts = tuple[str, str]


class OverloadedError(AbcnnError):
    """More pairs wait than may."""


@dataclass(frozen=True, slots=True)
class _Piece(Generic[Result]):
    """Pairs of one request, scored in one batch."""

    pairs: Sequence[Texts]
    future: Future[list[Result]] = field(default_factory=Future)


class BatchedScoring(Generic[Result]):
    """Scores what waits in one batch, while the next requests gather.

    `score` takes pairs and gives one result a pair; only `thread` calls it, since neither a Keras
    network nor compiled loops may be used by two threads at once. Nothing waits for company: when
    the thread is free, a single pair is scored at once. A request of more than `batch_pairs` pairs
    is scored piece by piece, and lets others in between.

    `on_batch` is told the pairs of every batch.
    """

    def __init__(
        self,
        score: Callable[[Sequence[Texts]], list[Result]],
        thread: ThreadPoolExecutor,
        *,
        batch_pairs: int = 256,
        waiting_pairs: int = 20_000,
        on_batch: Callable[[int], None] = lambda pairs: None,
    ) -> None:
        self._score = score
        self._thread = thread
        self._batch_pairs = batch_pairs
        self._waiting_pairs = waiting_pairs
        self._on_batch = on_batch
        self._pieces: deque[_Piece[Result]] = deque()
        self._waiting = 0

    async def score(self, pairs: Sequence[Texts]) -> list[Result]:
        """One result a pair, in their order.

        Raises OverloadedError when others wait and all together would be too many.
        """
        if self._waiting and self._waiting + len(pairs) > self._waiting_pairs:
            raise OverloadedError(
                f"{self._waiting:,} pairs wait to be scored, at most {self._waiting_pairs:,} may; "
                "try again in a moment"
            )
        self._waiting += len(pairs)
        try:
            results: list[Result] = []
            for start in range(0, len(pairs), self._batch_pairs):
                piece: _Piece[Result] = _Piece(pairs[start : start + self._batch_pairs])
                self._pieces.append(piece)
                self._thread.submit(self._score_waiting)
                scored: list[Result] = await asyncio.wrap_future(piece.future)
                results += scored
            return results
        finally:
            self._waiting -= len(pairs)

    def _score_waiting(self) -> None:
        # Submitted once a piece, so nothing is left behind; most find that an earlier one took all.
        pieces = self._next_batch()
        if not pieces:
            return
        self._on_batch(sum(len(piece.pairs) for piece in pieces))
        try:
            results = self._score([pair for piece in pieces for pair in piece.pairs])
        except Exception as error:
            if len(pieces) == 1:
                pieces[0].future.set_exception(error)
                return
            # One request's pair must not fail the others.
            for piece in pieces:
                self._score_alone(piece)
            return
        start = 0
        for piece in pieces:
            piece.future.set_result(results[start : start + len(piece.pairs)])
            start += len(piece.pairs)

    def _score_alone(self, piece: _Piece[Result]) -> None:
        try:
            piece.future.set_result(self._score(piece.pairs))
        except Exception as error:
            piece.future.set_exception(error)

    def _next_batch(self) -> list[_Piece[Result]]:
        """What waits, up to a batch, without the pieces whose request is gone."""
        pieces: list[_Piece[Result]] = []
        count = 0
        while self._pieces and count + len(self._pieces[0].pairs) <= self._batch_pairs:
            piece = self._pieces.popleft()
            if piece.future.set_running_or_notify_cancel():
                pieces.append(piece)
                count += len(piece.pairs)
        return pieces
