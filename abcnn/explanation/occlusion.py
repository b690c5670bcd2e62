"""What leaving out a word changes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Score = Callable[[list[list[str]], list[list[str]]], np.ndarray]


def occlusion(left: list[str], right: list[str], score: Score) -> tuple[np.ndarray, np.ndarray]:
    """The change of a pair's score when each token is left out: float64 `(tokens,)` a side.

    `score` takes the left and the right tokens of many pairs. NaN where nothing would be left.
    A change below 0 means that the word speaks for what is scored.

    Source: Zeiler and Fergus 2014, section 4.2; Li et al. 2016, "Understanding neural networks
    through representation erasure".
    """
    lefts = [_without(left, place) for place in range(len(left))] if len(left) > 1 else []
    rights = [_without(right, place) for place in range(len(right))] if len(right) > 1 else []
    scores = score(
        [left, *lefts, *[left] * len(rights)], [right, *[right] * len(lefts), *rights]
    ).astype(np.float64)
    changes = scores[1:] - scores[0]
    of_left, of_right = changes[: len(lefts)], changes[len(lefts) :]
    alone = np.array([np.nan])
    return (of_left if lefts else alone), (of_right if rights else alone)


def _without(tokens: list[str], place: int) -> list[str]:
    return tokens[:place] + tokens[place + 1 :]
