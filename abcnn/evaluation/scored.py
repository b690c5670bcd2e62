"""Tables that `abcnn predict` wrote, read back with their true labels."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from os import PathLike
from typing import Unpack, cast

import numpy as np

from abcnn.errors import InputError
from abcnn.readers.columns import ColumnOptions, choose_columns
from abcnn.readers.reading import PairTable, ReadOptions, open_pairs
from abcnn.readers.values import require, stripped, texts
from abcnn.tables import TableChunk


@dataclass(frozen=True)
class ScoredTable:
    """Rows with their true label and what was predicted, column by column.

    `keys` are `(question, candidate)` where the table names both, else the two sentences. A row
    without a score has NaN and the decided label None. `ranks` says whether the table has a column
    of ranks. Of a `graded` table the labels are grades, and none is decided for.
    """

    source: str
    keys: tuple[tuple[str, str], ...]
    named: bool
    groups: tuple[str, ...]
    labels: tuple[str, ...]
    scores: np.ndarray
    decided: tuple[str | None, ...]
    ranks: bool
    graded: bool = False

    def __len__(self) -> int:
        return len(self.labels)

    def in_order_of(self, other: ScoredTable) -> ScoredTable:
        """The rows in the order of `other`, matched by question and candidate, else by row.

        `InputError` when the two do not have the same rows with the same labels.
        """
        places: list[int] = list(range(len(self)))
        if self.named and other.named:
            by_key = {key: place for place, key in enumerate(self.keys)}
            if lacking := [key for key in other.keys if key not in by_key]:
                raise _differ(self, other, f"candidate {lacking[0][1]!r} of {lacking[0][0]!r}")
            places = [by_key[key] for key in other.keys]
        if len(self) != len(other):
            raise InputError(
                f"{other.source} and {self.source} must have the same rows. "
                f"Received: {len(other):,} and {len(self):,}"
            )
        for row, place in enumerate(places):
            if self.keys[place] != other.keys[row]:
                raise _differ(self, other, f"row {row + 1} with {other.keys[row][1]!r}")
            if self.labels[place] != other.labels[row]:
                raise InputError(
                    f"{self.source}, row {place + 1}: must have the label of {other.source}, row "
                    f"{row + 1}, {other.labels[row]!r}. Received: {self.labels[place]!r}"
                )
        return ScoredTable(
            source=self.source,
            keys=other.keys,
            named=self.named,
            groups=other.groups,
            labels=other.labels,
            scores=self.scores[places],
            decided=tuple(self.decided[place] for place in places),
            ranks=self.ranks,
            graded=self.graded,
        )


def read_scored(path: str | PathLike[str], **options: Unpack[ReadOptions]) -> ScoredTable:
    """Read a labelled or graded table that `abcnn predict` wrote.

    The options are those of `open_pairs`. Graded is a table with a score and no decided label
    beside a column of grades.

    `InputError`: no such table, no column of scores, a row without a label, a score that is no
    number, a candidate that stands twice in its question.
    """
    with open_pairs(path, **options) as opened:
        opened, graded = _told_apart(opened, options)
        columns = _columns(opened, graded)
        rows = [row for chunk in opened.table for row in _rows(chunk, opened, *columns)]
    source, selection = opened.table.source, opened.selection
    if not rows:
        raise InputError(f"{source}: expected scored rows. Received: a header without rows")
    keys, groups, labels, scores, decided = zip(*rows, strict=True)
    named = selection.group is not None and selection.candidate is not None
    if named and len(set(keys)) < len(keys):
        group, candidate = next(key for key, rows in Counter(keys).items() if rows > 1)
        raise InputError(
            f"{source}: candidates must be unique in their question. Received: {candidate!r} of "
            f"{group!r} twice"
        )
    ranks = not {"rank", "predicted_rank"}.isdisjoint(opened.table.names)
    return ScoredTable(
        source, keys, named, groups, labels, np.array(scores), decided, ranks, graded
    )


def _told_apart(opened: PairTable, options: ReadOptions) -> tuple[PairTable, bool]:
    """The table with the column of what is true, and whether that holds grades."""
    graded = "score" in opened.table.names and _decided_column(opened) is None
    given = {name: value for name, value in options.items() if name.endswith("_column")}
    selection = choose_columns(
        opened.table.names,
        source=opened.table.source,
        corpus=opened.corpus,
        require_labels=True,
        graded=graded,
        **cast(ColumnOptions, given),
    )
    return replace(opened, selection=selection), graded


def _decided_column(opened: PairTable) -> str | None:
    names, label = opened.table.names, opened.selection.label
    return next(
        (name for name in ("predicted_label", "label") if name in names and name != label), None
    )


def _columns(opened: PairTable, graded: bool) -> tuple[str, str | None]:
    """The names of the columns of scores and decided labels, of which a graded table has none."""
    names, label = opened.table.names, opened.selection.label
    score = next((name for name in ("predicted_score", "score") if name in names), None)
    decided = None if graded else _decided_column(opened)
    if score in (None, label) or (decided is None and not graded):
        raise InputError(
            f"{opened.table.source}: expected a table that `abcnn predict` wrote from labelled "
            f"pairs, with a score and a decided label beside the true one, `{label}`, or from "
            "graded ones, with a score beside the grade. "
            f"Received: the columns {', '.join(names)}"
        )
    assert score is not None
    return score, decided


Row = tuple[tuple[str, str], str, str, float, str | None]


def _rows(chunk: TableChunk, opened: PairTable, score: str, decided: str | None) -> Iterator[Row]:
    selection = opened.selection
    assert selection.label is not None
    every = list(range(len(chunk)))
    labels = require(
        chunk, selection.label, stripped(texts(chunk, selection.label)), "a label", every
    )
    sides = [
        [text or "" for text in texts(chunk, name)] for name in (selection.left, selection.right)
    ]
    if selection.group is None:
        groups = sides[0]
    else:
        groups = [group or "" for group in stripped(texts(chunk, selection.group))]
    if selection.group is not None and selection.candidate is not None:
        candidates = [name or "" for name in stripped(texts(chunk, selection.candidate))]
        keys = list(zip(groups, candidates, strict=True))
    else:
        keys = list(zip(*sides, strict=True))
    scores = [_number(chunk, index, score, text) for index, text in enumerate(texts(chunk, score))]
    if decided is None:
        for index, grade in enumerate(labels):
            _number(chunk, index, selection.label, grade)
        said: list[str | None] = [None] * len(labels)
    else:
        said = stripped(texts(chunk, decided))
    yield from zip(keys, groups, labels, scores, said, strict=True)


def _number(chunk: TableChunk, index: int, name: str, text: str | None) -> float:
    if text is None:
        return math.nan
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InputError(
            f"{chunk.place(index)}: column `{name}` must hold a number. Received: {text!r}"
        )
    return number


def _differ(table: ScoredTable, other: ScoredTable, what: str) -> InputError:
    return InputError(
        f"{other.source} and {table.source} must have the same rows. Received: {what} in the "
        "first only"
    )
