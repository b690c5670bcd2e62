"""The results of a whole table, for ranks that can be told only when all rows are scored."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from abcnn.readers import ChunkPairs
from abcnn.scoring.ranks import group_code, ranks_in_groups
from abcnn.scoring.rows import RowResults
from abcnn.tables import TableChunk

_NOBODY = group_code("")


@dataclass(frozen=True)
class RankedRows:
    """scores float64 `(rows,)`, the probability of the positive label, or the grade where `graded`,
    or NaN; ranks int64 `(rows,)`, 0 for none; faults uint8 `(rows,)`; `truncated` sentences were
    cut."""

    scores: np.ndarray
    ranks: np.ndarray
    faults: np.ndarray
    truncated: int
    graded: bool = False

    @classmethod
    def of(
        cls, scored: Iterable[tuple[TableChunk, ChunkPairs, RowResults]], graded: bool = False
    ) -> RankedRows:
        """The ranks of the rows of scored chunks, which have a group column."""
        last, codes, faults, truncated = [], [], [], 0
        for _, pairs, results in scored:
            groups = group_codes(pairs.groups or [])
            last.append(results.values[:, -1])
            codes.append(groups)
            faults.append(results.without_group(groups == _NOBODY).faults)
            truncated += results.truncated
        scores = np.concatenate(last or [np.zeros(0)])
        groups = np.concatenate(codes or [np.zeros(0, dtype=np.int64)])
        return cls(
            scores,
            ranks_in_groups(groups, np.where(groups == _NOBODY, np.nan, scores)),
            np.concatenate(faults or [np.zeros(0, dtype=np.uint8)]),
            truncated,
            graded,
        )

    def of_chunk(self, chunk: TableChunk) -> tuple[RowResults, np.ndarray]:
        """The results of a chunk's rows again, and their ranks."""
        rows = slice(chunk.first_row - 1, chunk.first_row - 1 + len(chunk))
        scores = self.scores[rows]
        values = scores[:, None] if self.graded else np.stack([1.0 - scores, scores], axis=1)
        return RowResults(values, self.faults[rows]), self.ranks[rows]


def group_codes(groups: list[str | None]) -> np.ndarray:
    """The codes of questions by their names, int64; white space around a name does not count."""
    names = [(group or "").strip() for group in groups]
    codes = {name: group_code(name) for name in set(names)}
    return np.array([codes[name] for name in names], dtype=np.int64)
