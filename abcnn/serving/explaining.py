"""Explanations on request."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from abcnn.explanation import Explainer
    from abcnn.scoring.matcher import Matcher


class Explaining:
    """Explains pairs in a thread of its own, one at a time.

    The first explanation imports Keras and builds the network, which takes seconds; scoring goes
    on meanwhile. `matcher` must be one that other threads may use (`taking_turns`).
    """

    def __init__(self, matcher: Matcher) -> None:
        self._matcher = matcher
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="abcnn-explaining")

    def close(self) -> None:
        """Wait for the explanation that is being made."""
        self._thread.shutdown(cancel_futures=True)

    async def explain(self, left: str, right: str) -> dict[str, Any]:
        """An explanation as `Explanation.to_dict` gives it.

        Raises InputError for a sentence without a word.
        """
        return await asyncio.get_running_loop().run_in_executor(
            self._thread, lambda: self._explainer(left, right).to_dict()
        )

    @cached_property
    def _explainer(self) -> Explainer:
        from abcnn.explanation import Explainer

        return Explainer(self._matcher)
