"""Scoring rows: two texts in; out come probabilities or a grade, or why there are none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

import numpy as np

if TYPE_CHECKING:
    from abcnn.scoring.matcher import Matcher

# A side of the rows: None where a cell is missing or empty.
Texts = list[str | None]

LEFT_EMPTY, RIGHT_EMPTY, LEFT_WORDLESS, RIGHT_WORDLESS, NO_GROUP = 1, 2, 4, 8, 16


@dataclass(frozen=True)
class RowResults:
    """What rows are given.

    values float64, what is said of a row (`Predictions.values`): probabilities `(rows, labels)`, or
    grades `(rows, 1)`; NaN where it has no score; faults uint8 `(rows,)`,
    the sum of the reasons for that, 0 for none; `truncated` sentences were cut.
    """

    values: np.ndarray
    faults: np.ndarray
    truncated: int = 0

    def __len__(self) -> int:
        return len(self.faults)

    @classmethod
    def joined(cls, parts: Sequence[RowResults]) -> RowResults:
        """Those of neighbouring rows, one after the other; at least one."""
        return cls(
            np.concatenate([part.values for part in parts]),
            np.concatenate([part.faults for part in parts]),
            sum(part.truncated for part in parts),
        )

    @property
    def scored(self) -> int:
        """How many rows have a score."""
        return int((~np.isnan(self.values[:, 0])).sum())

    def without_group(self, rows: np.ndarray) -> RowResults:
        """The same, with the rows of a mask marked as having no question."""
        return replace(self, faults=self.faults | np.where(rows, NO_GROUP, 0).astype(np.uint8))


def score_rows(
    matcher: Matcher,
    left: Texts,
    right: Texts,
    batch_size: int = 256,
    threads: int | None = None,
) -> RowResults:
    """Score the rows that have two sentences; say of the others why they have no score.

    `batch_size` and `threads` are those of `Matcher.logits`.
    """
    faults = _missing(left) * np.uint8(LEFT_EMPTY) | _missing(right) * np.uint8(RIGHT_EMPTY)
    whole = np.flatnonzero(faults == 0)
    encoded = matcher.encode(_present(left, whole), _present(right, whole))
    said = matcher.decide(matcher.logits(encoded, batch_size, threads))
    faults[whole[encoded.left.lengths == 0]] |= LEFT_WORDLESS
    faults[whole[encoded.right.lengths == 0]] |= RIGHT_WORDLESS
    values = np.full((len(left), said.values.shape[1]), np.nan)
    values[whole] = said.values
    values[faults != 0] = np.nan
    return RowResults(values, faults, encoded.truncated)


def _missing(texts: Texts) -> np.ndarray:
    """1 where there is no text, uint8."""
    if None not in texts:
        return np.zeros(len(texts), np.uint8)
    return np.fromiter((text is None for text in texts), dtype=np.uint8, count=len(texts))


def _present(texts: Texts, rows: np.ndarray) -> list[str]:
    """The texts of some rows, all of which are there."""
    chosen = texts if len(rows) == len(texts) else [texts[row] for row in rows]
    return cast(list[str], chosen)


def note_of(faults: int, left: str, right: str, group: str | None) -> str | None:
    """What a row's faults are, in words; `left`, `right` and `group` name the columns."""
    if faults == NO_GROUP:
        return f"{group} is empty, so there is no rank"
    reasons = (
        (LEFT_EMPTY, f"{left} is empty"),
        (RIGHT_EMPTY, f"{right} is empty"),
        (LEFT_WORDLESS, f"{left} holds no word"),
        (RIGHT_WORDLESS, f"{right} holds no word"),
    )
    return "; ".join(text for fault, text in reasons if faults & fault) or None
