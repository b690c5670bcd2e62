"""Scoring a table of any size: every row in, the same row and its results out, in order."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from abcnn.errors import InputError
from abcnn.readers import PairTable, Selection, open_pairs, pairs_of_chunk
from abcnn.scoring.matcher import Matcher
from abcnn.scoring.predictions import Predictions, decide, decided
from abcnn.scoring.ranks import group_code, ranks_in_groups
from abcnn.tables import CHUNK_ROWS, TableChunk, create_table


@dataclass(frozen=True)
class TableCounts:
    """What became of a table's rows: all, those with a score, and sentences that were cut."""

    rows: int
    scored: int
    truncated: int


@dataclass(frozen=True)
class RowResults:
    """What a chunk's rows are given: float64 `(rows, labels)`, NaN where a row has no score and its
    note says why."""

    probabilities: np.ndarray
    notes: list[str]
    truncated: int = 0


def score_table(
    matcher: Matcher,
    input_file: str | PathLike[str],
    output_file: str | PathLike[str],
    *,
    output_format: str | None = None,
    batch_size: int = 256,
    chunk_rows: int = CHUNK_ROWS,
    on_rows: Callable[[int], None] = lambda rows: None,
    **reading: Any,
) -> TableCounts:
    """Write every row of a table as it was, with its results behind it; `-` is stdin or stdout.

    The columns added are `score`, `label`, for entailment one `p_<label>` a label, where
    candidates are ranked and there is a group column `rank` (from 1), and `note`. One whose name
    the table has already is written as `predicted_<name>`. A row with a sentence that is missing,
    empty or without a word is kept: its results are empty and its note says why.

    The input is read in chunks and may be larger than memory. For ranks it is read twice, since
    the rows of a question may stand anywhere, and about 50 bytes a row are kept. `reading` are
    arguments of `open_pairs`.

    Raises InputError for a bad table, and then leaves no output.
    """
    if not matcher.task.two_labels and reading.get("group_column"):
        raise InputError(
            "`group_column` is for models with one score a pair. Received: a model for "
            f"{matcher.task.name}"
        )
    may_rank = matcher.task.ranks or reading.get("group_column") is not None

    def score(chunk: TableChunk, selection: Selection) -> RowResults:
        return score_chunk(matcher, chunk, selection, batch_size)

    with _rereadable(input_file) if may_rank else nullcontext(input_file) as file:
        ranks = None
        if may_rank:
            with open_pairs(file, chunk_rows=chunk_rows, **reading) as pairs:
                if pairs.selection.group is not None:
                    ranks = RankedRows.of(pairs, score, on_rows)
        with open_pairs(file, chunk_rows=chunk_rows, **reading) as pairs:
            return _write(matcher, pairs, score, ranks, output_file, output_format, on_rows)


def score_chunk(
    matcher: Matcher, chunk: TableChunk, selection: Selection, batch_size: int = 256
) -> RowResults:
    """Score the rows of a chunk that have two sentences; say of the others why they have none."""
    pairs = pairs_of_chunk(chunk, selection)
    sides = ((selection.left, pairs.left), (selection.right, pairs.right))
    notes = [
        "; ".join(f"{name} is empty" for name, texts in sides if texts[row] is None)
        for row in range(len(chunk))
    ]
    whole = [row for row, note in enumerate(notes) if not note]
    encoded = matcher.encode(
        [pairs.left[row] or "" for row in whole], [pairs.right[row] or "" for row in whole]
    )
    decided = decide(matcher.logits(encoded, batch_size), matcher.labels, matcher.threshold)
    probabilities = np.full((len(chunk), len(matcher.labels)), np.nan)
    probabilities[whole] = decided.probabilities
    for (name, _), sentences in zip(sides, (encoded.left, encoded.right), strict=True):
        for row in (whole[index] for index in np.flatnonzero(sentences.lengths == 0)):
            notes[row] = f"{name} holds no word"
            probabilities[row] = np.nan
    return RowResults(probabilities, notes, encoded.truncated)


@dataclass(frozen=True)
class RankedRows:
    """The results of all rows of a table, and the ranks that can be told only when all are known.

    positive float64 `(rows,)`, the probability of the positive label or NaN; ranks int64 `(rows,)`,
    0 for none.
    """

    positive: np.ndarray
    ranks: np.ndarray
    notes: list[str]
    truncated: int

    @classmethod
    def of(
        cls,
        pairs: PairTable,
        score: Callable[[TableChunk, Selection], RowResults],
        on_rows: Callable[[int], None],
    ) -> RankedRows:
        """Score all rows of a table that has a group column."""
        positive, codes, notes, truncated = [], [], list[str](), 0
        assert pairs.selection.group is not None
        for chunk in pairs.table:
            results = score(chunk, pairs.selection)
            groups = [
                (group or "").strip()
                for group in pairs_of_chunk(chunk, pairs.selection).groups or []
            ]
            positive.append(results.probabilities[:, -1])
            codes.append(np.array([group_code(group) for group in groups], dtype=np.int64))
            notes += (
                note if note or group else f"{pairs.selection.group} is empty, so there is no rank"
                for note, group in zip(results.notes, groups, strict=True)
            )
            truncated += results.truncated
            on_rows(len(notes))
        scores = np.concatenate(positive or [np.zeros(0)])
        groups_of_rows = np.concatenate(codes or [np.zeros(0, dtype=np.int64)])
        ranks = ranks_in_groups(
            groups_of_rows, np.where(groups_of_rows == group_code(""), np.nan, scores)
        )
        return cls(scores, ranks, notes, truncated)

    def results(self, chunk: TableChunk) -> RowResults:
        """The results of a chunk's rows again."""
        rows = slice(chunk.first_row - 1, chunk.first_row - 1 + len(chunk))
        positive = self.positive[rows]
        return RowResults(np.stack([1.0 - positive, positive], axis=1), self.notes[rows])

    def ranks_of(self, chunk: TableChunk) -> list[int | None]:
        """The ranks of a chunk's rows."""
        start = chunk.first_row - 1
        return [rank or None for rank in self.ranks[start : start + len(chunk)].tolist()]


def _write(
    matcher: Matcher,
    pairs: PairTable,
    score: Callable[[TableChunk, Selection], RowResults],
    ranks: RankedRows | None,
    output_file: str | PathLike[str],
    output_format: str | None,
    on_rows: Callable[[int], None],
) -> TableCounts:
    """Write the table with its results, chunk by chunk."""
    table = pairs.table
    many = not matcher.task.two_labels
    kinds: dict[str, type] = {"score": float, "label": str}
    kinds |= {f"p_{label}": float for label in matcher.labels} if many else {}
    kinds |= {"rank": int} if ranks is not None else {}
    kinds["note"] = str
    added = {_free_name(name, table.names, table.source): kind for name, kind in kinds.items()}
    scored, truncated = 0, 0 if ranks is None else ranks.truncated
    with create_table(
        output_file,
        [*table.names, *added],
        format=output_format or (table.dialect.format if str(output_file) == "-" else None),
        schema=table.schema,
        kinds=added,
    ) as writer:
        for chunk in table:
            results = score(chunk, pairs.selection) if ranks is None else ranks.results(chunk)
            values = results.probabilities
            said = Predictions(matcher.labels, values, decided(values, matcher.threshold))
            has_score = ~np.isnan(results.probabilities[:, 0])
            columns = [_known(said.scores, has_score), _known(said.label_names, has_score)]
            if many:
                columns += [_known(column, has_score) for column in results.probabilities.T]
            if ranks is not None:
                columns.append(ranks.ranks_of(chunk))
            writer.write([*chunk.columns, *columns, [note or None for note in results.notes]])
            scored += int(has_score.sum())
            truncated += results.truncated
            if ranks is None:
                on_rows(writer.rows)
    return TableCounts(writer.rows, scored, truncated)


def _known(values: Any, known: np.ndarray) -> list[Any]:
    """Values as a list, None where a row has none."""
    values = values.tolist() if isinstance(values, np.ndarray) else values
    return [value if there else None for value, there in zip(values, known, strict=True)]


def _free_name(name: str, taken: tuple[str, ...], source: str) -> str:
    """A result column's name: `score`, or `predicted_score` in a table that has a `score`."""
    for candidate in (name, f"predicted_{name}"):
        if candidate not in taken:
            return candidate
    raise InputError(
        f"{source}: the columns `{name}` and `predicted_{name}` are both there already, so a "
        f"result has no name; rename one"
    )


@contextmanager
def _rereadable(file: str | PathLike[str]) -> Iterator[str | PathLike[str]]:
    """A file that can be read twice: itself, or a copy of the standard input or of a pipe."""
    standard_input = str(file) == "-"
    if not (standard_input or Path(file).is_fifo() or Path(file).is_char_device()):
        yield file
        return
    name = "<stdin>" if standard_input else str(file)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / Path(name).name  # Its suffix may tell the format.
        try:
            with copy.open("wb") as spool, ExitStack() as stack:
                pipe = sys.stdin.buffer
                if not standard_input:
                    pipe = stack.enter_context(Path(file).open("rb"))
                shutil.copyfileobj(pipe, spool)
        except OSError as error:
            raise InputError(
                f"{name}: cannot be copied to {folder} for a second reading: {error.strerror}"
            ) from error
        try:
            yield copy
        except InputError as error:
            raise InputError(str(error).replace(str(copy), name)) from error
