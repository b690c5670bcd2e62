"""Ranks of rows within their questions, for rows that come in any order."""

from __future__ import annotations

import hashlib

import numpy as np


def group_code(name: str) -> int:
    """A question's name as 64 bits, so that millions of rows fit in memory.

    Two of a million names get one code with a probability of 3e-8.
    """
    digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


def ranks_in_groups(groups: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """The rank of every row among those of its group: int64 `(rows,)`, from 1, best score first.

    groups int64 `(rows,)`; scores float64 `(rows,)`, NaN for a row without one, whose rank is 0.
    Equal scores keep the order of their rows.
    """
    ranks = np.zeros(len(scores), dtype=np.int64)
    scored = np.flatnonzero(~np.isnan(scores))
    if not scored.size:
        return ranks
    order = scored[np.lexsort((-scores[scored], groups[scored]))]
    first = np.flatnonzero(np.diff(groups[order], prepend=~groups[order[0]]))
    positions = np.arange(len(order))
    starts = np.repeat(first, np.diff(first, append=len(order)))
    ranks[order] = positions - starts + 1
    return ranks
