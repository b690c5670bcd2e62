"""Files of sentence pairs: opened as a stream, or read whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Unpack

from abcnn.errors import InputError
from abcnn.pairs import PairBatch, TeacherScores
from abcnn.readers.columns import ColumnOptions, Selection, choose_columns, teacher_columns
from abcnn.readers.formats import GENERIC, Corpus, corpus_of
from abcnn.readers.quoting import table_format
from abcnn.readers.values import require, stripped, texts
from abcnn.tables import CHUNK_ROWS, Table, TableChunk
from abcnn.tables.reading import table_of
from abcnn.tables.source import open_source


@dataclass(frozen=True)
class PairTable:
    """A table that is open for reading and the columns of it that matter.

    `corpus` is None when the file is of no known corpus.
    """

    table: Table
    selection: Selection
    corpus: Corpus | None


@dataclass(frozen=True)
class ChunkPairs:
    """The pairs of a chunk, row by row; None where a cell is missing or empty."""

    left: list[str | None]
    right: list[str | None]
    groups: list[str | None] | None


@dataclass(frozen=True)
class Reading:
    """A file of pairs, read whole.

    `format` is the name of the corpus, or "table"; `skipped` counts the rows left out because the
    corpus gives them no label (`-` in SNLI and MultiNLI).
    """

    pairs: PairBatch
    selection: Selection
    format: str
    skipped: int


class ReadOptions(ColumnOptions, total=False):
    """The keyword arguments of `open_pairs` that say what a file is."""

    format: str | None
    columns: Sequence[str] | None
    encoding: str
    graded: bool
    teacher_column: str | None


@contextmanager
def open_pairs(
    path: str | PathLike[str],
    *,
    format: str | None = None,
    columns: Sequence[str] | None = None,
    encoding: str = "utf-8",
    require_labels: bool = False,
    graded: bool = False,
    teacher_column: str | None = None,
    chunk_rows: int = CHUNK_ROWS,
    **column_options: Unpack[ColumnOptions],
) -> Iterator[PairTable]:
    """The table of pairs in the file `path`, or on stdin for `-`, as a stream.

    `format` names a corpus or a table format (`PAIR_FORMATS`); without it the header and the name
    show it. `columns` names the columns of a file without a header, in order, `_` to skip one.
    `left_column`, `right_column`, `label_column`, `group_column` and `candidate_column` name the
    columns that matter; those not given are found by their usual names (`choose_columns`), with
    `graded` that of grades as the one of labels. `teacher_column` names the scores of another
    model, in a column of this name or in one a label, `<teacher_column>_<label>`.

    Raises InputError for a file that is no table, or has no such columns.
    """
    with open_source(path) as source:
        kind = table_format(format, source.head, encoding)
        with table_of(
            source, format=kind, encoding=encoding, columns=columns, chunk_rows=chunk_rows
        ) as table:
            corpus = corpus_of(format, table.names, table.source)
            selection = choose_columns(
                table.names,
                source=table.source,
                corpus=corpus,
                require_labels=require_labels,
                graded=graded,
                **column_options,
            )
            if teacher_column is not None:
                found = teacher_columns(table.names, teacher_column, table.source)
                selection = replace(selection, teacher=found)
            yield PairTable(table, selection, corpus)


def read_pairs(
    path: str | PathLike[str], *, require_labels: bool = False, **options: Unpack[ReadOptions]
) -> Reading:
    """All pairs of the file `path`, or of stdin for `-`; the arguments are those of `open_pairs`.

    Sentences are as they stand in the file; labels, groups and candidate ids without the white
    space around them. With `require_labels` every row must have a label; without, the batch has
    labels when every row has one.

    Raises InputError for a table without rows, and for a row with an empty sentence, group,
    candidate id or required label.
    """
    with open_pairs(path, require_labels=require_labels, **options) as opened:
        gathered = _Gathered()
        for chunk in opened.table:
            gathered.add(chunk, opened, require_labels)
    source = opened.table.source
    _require_pairs(source, gathered.total, len(gathered.rows))
    return Reading(
        pairs=replace(
            gathered.batch(source, opened.selection.label),
            teacher=_teacher(options.get("teacher_column"), opened.selection, gathered),
        ),
        selection=opened.selection,
        format=opened.corpus.name if opened.corpus else GENERIC,
        skipped=gathered.total - len(gathered.rows),
    )


def read_labelled_chunks(
    path: str | PathLike[str],
    *,
    on_skipped: Callable[[int], None] = lambda rows: None,
    **options: Unpack[ReadOptions],
) -> Iterator[PairBatch]:
    """The pairs that `read_pairs` gives with `require_labels`, chunk by chunk in bounded memory.

    `on_skipped` is told at the end how many rows were left out for want of a label. Raises
    InputError as `read_pairs` does, when the row in question comes.
    """
    total = kept = 0
    with open_pairs(path, require_labels=True, **options) as opened:
        for chunk in opened.table:
            gathered = _Gathered()
            gathered.add(chunk, opened, require_labels=True)
            total, kept = total + gathered.total, kept + len(gathered.rows)
            if gathered.rows:
                yield gathered.batch(opened.table.source, opened.selection.label)
    _require_pairs(opened.table.source, total, kept)
    on_skipped(total - kept)


def _require_pairs(source: str, rows: int, kept: int) -> None:
    if not rows:
        raise InputError(f"{source}: expected rows of pairs. Received: a header without rows")
    if not kept:
        raise InputError(f"{source}: expected labelled pairs. Received: {rows} rows without one")


@dataclass
class _Gathered:
    """The columns of a batch while they grow, and the number of rows seen."""

    left: list[str] = field(default_factory=list)
    right: list[str] = field(default_factory=list)
    labels: list[str | None] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)
    candidates: list[str] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    teacher: list[tuple[str | None, ...]] = field(default_factory=list)
    total: int = 0

    def add(self, chunk: TableChunk, opened: PairTable, require_labels: bool) -> None:
        """Append the rows of `chunk` that have a label, or all when the corpus labels all."""
        selection = opened.selection
        kept = list(range(len(chunk)))
        if selection.label is not None:
            labels = stripped(texts(chunk, selection.label))
            if opened.corpus is not None and opened.corpus.unlabelled is not None:
                kept = [index for index in kept if labels[index] != opened.corpus.unlabelled]
            if require_labels:
                require(chunk, selection.label, labels, "a label", kept)
            self.labels += (labels[index] for index in kept)
        for name, column, what in (
            (selection.left, self.left, "a sentence"),
            (selection.right, self.right, "a sentence"),
            (selection.group, self.groups, "the name of a question"),
            (selection.candidate, self.candidates, "the name of a candidate"),
        ):
            if name is not None:
                values = texts(chunk, name)
                values = values if what == "a sentence" else stripped(values)
                column += require(chunk, name, values, what, kept)
        if selection.teacher:
            cells = [stripped(texts(chunk, name)) for name in selection.teacher]
            self.teacher += (tuple(column[index] for column in cells) for index in kept)
        self.rows += (chunk.first_row + index for index in kept)
        self.total += len(chunk)

    def batch(self, source: str, label_column: str | None) -> PairBatch:
        labels = tuple(label for label in self.labels if label is not None)
        return PairBatch(
            left=tuple(self.left),
            right=tuple(self.right),
            labels=labels if len(labels) == len(self.rows) else None,
            groups=tuple(self.groups) or None,
            candidate_ids=tuple(self.candidates) or None,
            rows=tuple(self.rows),
            source=source,
            label_column=label_column or "label",
        )


def _teacher(column: str | None, selection: Selection, gathered: _Gathered) -> TeacherScores | None:
    if column is None:
        return None
    return TeacherScores(column, selection.teacher, tuple(gathered.teacher))


def pairs_of_chunk(chunk: TableChunk, selection: Selection) -> ChunkPairs:
    """The sentences and groups of every row of a chunk, for scoring: what is missing is None."""
    return ChunkPairs(
        left=texts(chunk, selection.left),
        right=texts(chunk, selection.right),
        groups=None if selection.group is None else texts(chunk, selection.group),
    )
