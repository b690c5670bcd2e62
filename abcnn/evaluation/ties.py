"""Blocks of tied candidates, and what their random order does to ranking measures on average.

The closed forms are those of McSherry and Najork, "Computing information retrieval performance
measures efficiently in the presence of tied scores", ECIR 2008. A block of one candidate gives
the plain definition of a measure.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True, eq=False)
class TieBlocks:
    """Candidates of one question with one score, one entry a block, best block first.

    Of each block: its `question` (number), its `size`, how many of its candidates are `right`, and
    how many candidates (`above`) and right candidates (`right_above`) of the question stand above.
    """

    question: np.ndarray
    size: np.ndarray
    right: np.ndarray
    above: np.ndarray
    right_above: np.ndarray

    @classmethod
    def of(cls, question: np.ndarray, right: np.ndarray, starts: np.ndarray) -> TieBlocks:
        """The blocks of ranked rows `(rows,)`, which stand question by question, best first.

        `question` numbers the question of a row, `right` and `starts` are True for a right
        candidate and for the first row of a block.
        """
        first = np.flatnonzero(starts)
        size = np.diff(first, append=question.size)
        rights = np.concatenate([[0], np.cumsum(right)])
        opens = np.flatnonzero(np.diff(question[first], prepend=-1))
        of_question = np.repeat(first[opens], np.diff(opens, append=first.size))
        return cls(
            question=question[first],
            size=size,
            right=rights[first + size] - rights[first],
            above=first - of_question,
            right_above=rights[first] - rights[of_question],
        )

    def precision_sums(self) -> np.ndarray:
        """Expected sum of the precisions at the ranks of each block's right candidates.

        Place i = 1..n of a block with r right candidates is right with probability r / n, and then
        (i - 1) (r - 1) / (n - 1) right ones are expected before it in the block.
        """
        n, r = np.repeat(self.size, self.size), np.repeat(self.right, self.size)
        starts = np.cumsum(self.size) - self.size
        before = np.arange(n.size) - np.repeat(starts, self.size)
        rank = np.repeat(self.above, self.size) + before + 1
        right = np.repeat(self.right_above, self.size) + 1 + before * (r - 1) / np.maximum(n - 1, 1)
        return np.add.reduceat(r / n * right / rank, starts)

    def reciprocal_ranks(self) -> np.ndarray:
        """Expected reciprocal rank of each block's first right candidate; 0 without one.

        Place i is the first right one with probability C(n - i, r - 1) / C(n, r).
        """
        ranks = np.where(self.right > 0, 1 / (self.above + 1), 0.0)
        for block in np.flatnonzero((self.right > 0) & (self.right < self.size)):
            n, r = self.size[block], self.right[block]
            left = n - np.arange(n - r + 1)
            still_none = np.concatenate([[1.0], np.cumprod((left - r) / left)[:-1]])
            rank = self.above[block] + 1 + n - left
            ranks[block] = np.sum(still_none * r / left / rank)
        return ranks

    def select(self, chosen: np.ndarray) -> TieBlocks:
        """The blocks for which `chosen` is True."""
        return TieBlocks(
            question=self.question[chosen],
            size=self.size[chosen],
            right=self.right[chosen],
            above=self.above[chosen],
            right_above=self.right_above[chosen],
        )
