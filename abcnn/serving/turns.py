"""A matcher that several threads may use, its arithmetic done by one of them."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from abcnn.scoring.matcher import Matcher

if TYPE_CHECKING:
    import numpy as np

    from abcnn.text.batches import EncodedPairs


@dataclass(frozen=True)
class _MatcherTakingTurns(Matcher):
    original: Matcher | None = None
    thread: Executor | None = None

    def logits(
        self, pairs: EncodedPairs, batch_size: int = 256, threads: int | None = None
    ) -> np.ndarray:
        assert self.original is not None
        assert self.thread is not None
        return self.thread.submit(self.original.logits, pairs, batch_size, threads).result()


def taking_turns(matcher: Matcher, thread: Executor) -> Matcher:
    """The same matcher, its logits computed by `thread`, in turn with what else is done there.

    Not to be used by that thread itself.
    """
    same = {one.name: getattr(matcher, one.name) for one in fields(Matcher)}
    return _MatcherTakingTurns(**same, original=matcher, thread=thread)
