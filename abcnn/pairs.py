"""Pairs of sentences: the records that every stage of the toolkit speaks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from abcnn.errors import InputError


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sentences and what is known of them.

    `label` is the label's name as it stands in the data ("1", "ENTAILMENT"). `group` names the
    question whose candidates are ranked against each other, `candidate_id` the candidate in it.
    """

    left: str
    right: str
    label: str | None = None
    group: str | None = None
    candidate_id: str | None = None


@dataclass(frozen=True, slots=True)
class TeacherScores:
    """What another model says of pairs, as it stands in the file.

    `column` is the name that the user gave, `names` are the columns found for it, and `rows` hold
    for every pair their cells as text, None where one is empty.
    """

    column: str
    names: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, slots=True)
class PairBatch:
    """Many pairs, column by column, in the order of their source.

    Every column is as long as `left`; a column that the source does not have is None. `rows` are
    the 1-based data rows of the source (None: counted from 1), `label_column` is the name of its
    label column; both are for error messages.
    """

    left: tuple[str, ...]
    right: tuple[str, ...]
    labels: tuple[str, ...] | None = None
    groups: tuple[str, ...] | None = None
    candidate_ids: tuple[str, ...] | None = None
    rows: tuple[int, ...] | None = None
    source: str = "<pairs>"
    label_column: str = "label"
    teacher: TeacherScores | None = None

    def __post_init__(self) -> None:
        for name in ("right", "labels", "groups", "candidate_ids", "rows", "teacher"):
            column = getattr(self, name)
            if column is not None and len(column) != len(self.left):
                raise ValueError(
                    f"`{name}` must have one entry a pair, {len(self.left)}. "
                    f"Received: {len(column)}"
                )

    @classmethod
    def of(cls, pairs: Iterable[Pair | tuple[str, str]], source: str = "<pairs>") -> PairBatch:
        """The batch of some pairs or `(left, right)` tuples.

        A column is kept when every pair has it. Raises InputError for a sentence that is no text.
        """
        records = [pair if isinstance(pair, Pair) else Pair(*pair) for pair in pairs]
        for row, record in enumerate(records, start=1):
            for side in ("left", "right"):
                if not isinstance(sentence := getattr(record, side), str):
                    raise InputError(
                        f"{source}, row {row}: `{side}` must be a sentence. Received: {sentence!r}"
                    )

        def column(name: str) -> tuple[str, ...] | None:
            values = tuple(getattr(record, name) for record in records)
            return None if not values or None in values else values

        return cls(
            left=tuple(record.left for record in records),
            right=tuple(record.right for record in records),
            labels=column("label"),
            groups=column("group"),
            candidate_ids=column("candidate_id"),
            source=source,
        )

    def __len__(self) -> int:
        return len(self.left)

    def __iter__(self) -> Iterator[Pair]:
        for index in range(len(self)):
            yield Pair(
                left=self.left[index],
                right=self.right[index],
                label=None if self.labels is None else self.labels[index],
                group=None if self.groups is None else self.groups[index],
                candidate_id=None if self.candidate_ids is None else self.candidate_ids[index],
            )

    def select(self, indices: Iterable[int]) -> PairBatch:
        """The pairs at `indices`, in that order."""
        chosen = [int(index) for index in indices]

        def column(values: Sequence | None) -> tuple | None:
            return None if values is None else tuple(values[index] for index in chosen)

        rows = self.rows or tuple(range(1, len(self) + 1))
        return PairBatch(
            left=column(self.left) or (),
            right=column(self.right) or (),
            labels=column(self.labels),
            groups=column(self.groups),
            candidate_ids=column(self.candidate_ids),
            rows=column(rows),
            source=self.source,
            label_column=self.label_column,
            teacher=self.teacher and replace(self.teacher, rows=column(self.teacher.rows) or ()),
        )

    def row(self, index: int) -> int:
        """The 1-based data row of pair `index` in its source."""
        return self.rows[index] if self.rows is not None else index + 1

    @property
    def ranking_candidate_ids(self) -> tuple[str, ...]:
        """The candidate id of every pair; without any, the row of the source."""
        if self.candidate_ids is not None:
            return self.candidate_ids
        return tuple(str(self.row(index)) for index in range(len(self)))

    @property
    def ranking_groups(self) -> tuple[str, ...]:
        """The group of every pair; without groups, pairs are grouped by their left sentence."""
        return self.left if self.groups is None else self.groups
