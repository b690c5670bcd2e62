"""Scoring a table of any size: every row in, the same row and its results out, in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass
from itertools import chain, islice
from os import PathLike
from typing import Any

from abcnn.errors import InputError
from abcnn.readers import ChunkPairs, PairTable, open_pairs, pairs_of_chunk
from abcnn.scoring.checkpoint import Checkpoint, CheckpointPlace
from abcnn.scoring.matcher import Matcher
from abcnn.scoring.ranked_rows import RankedRows
from abcnn.scoring.rereading import rereadable
from abcnn.scoring.result_columns import ResultColumns
from abcnn.scoring.rows import RowResults, score_rows
from abcnn.scoring.workers import InProcess, Scorers
from abcnn.tables import CHUNK_ROWS, TableChunk, create_table

SMALL = 4
"""Chunks of a small table: it is scored before processes would be there, and kept in no parts."""

ScoredChunk = tuple[TableChunk, ChunkPairs, RowResults]


@dataclass(frozen=True)
class TableCounts:
    """What became of a table's rows: all, those with a score, and sentences that were cut."""

    rows: int
    scored: int
    truncated: int

    def __add__(self, other: TableCounts) -> TableCounts:
        return TableCounts(
            self.rows + other.rows, self.scored + other.scored, self.truncated + other.truncated
        )


def score_table(
    matcher: Matcher,
    input_file: str | PathLike[str],
    output_file: str | PathLike[str],
    *,
    output_format: str | None = None,
    batch_size: int = 256,
    chunk_rows: int = CHUNK_ROWS,
    scorers: Scorers | None = None,
    place: CheckpointPlace | None = None,
    fill: Callable[[str | PathLike[str], dict[str, Any], Checkpoint], None] | None = None,
    on_rows: Callable[[int], None] = lambda rows: None,
    **reading: Any,
) -> TableCounts:
    """Write every row of a table as it was, with its results behind it; `-` is stdin or stdout.

    The columns added are `score`, `label` (none where pairs are graded), for entailment one
    `p_<label>` a label, where candidates are ranked and there is a group column `rank` (from 1),
    and `note`. One whose name the table has already is written as `predicted_<name>`. A row with a
    sentence that is missing, empty or without a word is kept: its results are empty and its note
    says why.

    The input is read in chunks and may be larger than memory. For ranks it is read twice, since
    the rows of a question may stand anywhere, and about 50 bytes a row are kept. `reading` are
    arguments of `open_pairs`.

    scorers: who scores, for instance `Workers` with the same matcher, which have processes for a
        table of more than `SMALL` chunks; without, this process.
    place: where such a table's finished parts are kept until its output is whole.
    fill: scores the chunks that are not in a checkpoint yet, given the file, the arguments of
        `open_pairs` and the checkpoint; called for a small table too.

    Raises InputError for a bad table, and then leaves no output.
    """
    if not matcher.task.orders and reading.get("group_column"):
        raise InputError(
            "`group_column` is for models with one score a pair. Received: a model for "
            f"{matcher.task.name}"
        )
    scorers = scorers or InProcess(lambda left, right: score_rows(matcher, left, right, batch_size))
    may_rank = matcher.task.ranks or reading.get("group_column") is not None
    reading["chunk_rows"] = chunk_rows
    if place is not None:
        place.check()
    with ExitStack() as stack:
        file = stack.enter_context(rereadable(input_file) if may_rank else nullcontext(input_file))
        pairs = stack.enter_context(open_pairs(file, **reading))
        chunks, large = _looked_at(pairs.table.chunks)
        keep = place is not None and (large or fill is not None)
        checkpoint = stack.enter_context(place.open()) if place is not None and keep else None
        if fill is not None and checkpoint is not None:
            fill(file, reading, checkpoint)
        else:
            scorers.start(large=large)
        scored = _scored(chunks, pairs, scorers, checkpoint)
        ranked = None
        if may_rank and pairs.selection.group is not None:
            ranked = RankedRows.of(_told(scored, on_rows), matcher.task.graded)
            pairs = stack.enter_context(open_pairs(file, **reading))
        columns = ResultColumns.of(
            matcher,
            pairs.selection,
            pairs.table.names,
            pairs.table.source,
            ranks=ranked is not None,
        )
        return _write(
            pairs,
            columns,
            _told(scored, on_rows) if ranked is None else ranked,
            output_file,
            output_format,
            checkpoint,
        )


def _looked_at(chunks: Iterator[TableChunk]) -> tuple[Iterator[TableChunk], bool]:
    """The chunks, and whether there are more than `SMALL`."""
    first = list(islice(chunks, SMALL + 1))
    return chain(first, chunks), len(first) > SMALL


def _scored(
    chunks: Iterator[TableChunk],
    pairs: PairTable,
    scorers: Scorers,
    checkpoint: Checkpoint | None,
) -> Iterator[ScoredChunk]:
    """The chunks in order with their results: those kept in the checkpoint, else new ones.

    As many chunks as the scorers take ahead are in memory.
    """
    waiting = deque[tuple[TableChunk, ChunkPairs, Callable[[], RowResults], bool]]()

    def finished() -> ScoredChunk:
        chunk, texts, results_of, is_new = waiting.popleft()
        results = results_of()
        if checkpoint is not None and is_new:
            checkpoint.save(chunk.first_row, results)
        return chunk, texts, results

    for chunk in chunks:
        texts = pairs_of_chunk(chunk, pairs.selection)
        kept = None if checkpoint is None else checkpoint.load(chunk)
        if kept is None:
            waiting.append((chunk, texts, scorers.submit(texts.left, texts.right), True))
        else:
            waiting.append((chunk, texts, lambda kept=kept: kept, False))  # type: ignore[misc]
        if len(waiting) > scorers.ahead:
            yield finished()
    while waiting:
        yield finished()


def _told(scored: Iterator[ScoredChunk], on_rows: Callable[[int], None]) -> Iterator[ScoredChunk]:
    """The same chunks; their rows are told once the next is asked for."""
    for one in scored:
        yield one
        on_rows(one[0].first_row - 1 + len(one[0]))


def _write(
    pairs: PairTable,
    columns: ResultColumns,
    scored: Iterator[ScoredChunk] | RankedRows,
    output_file: str | PathLike[str],
    output_format: str | None,
    checkpoint: Checkpoint | None,
) -> TableCounts:
    """Write the table with its results, chunk by chunk."""
    table = pairs.table
    count, truncated = 0, 0
    with create_table(
        output_file,
        [*table.names, *columns.kinds],
        format=output_format or (table.dialect.format if str(output_file) == "-" else None),
        schema=table.schema,
        kinds=columns.kinds,
        part=None if checkpoint is None else checkpoint.part,
    ) as writer:
        if isinstance(scored, RankedRows):
            truncated = scored.truncated
            for chunk in table:
                results, ranks = scored.of_chunk(chunk)
                writer.write([*chunk.columns, *columns.of_rows(results, ranks)])
                count += results.scored
        else:
            for chunk, _, results in scored:
                writer.write([*chunk.columns, *columns.of_rows(results)])
                count += results.scored
                truncated += results.truncated
    return TableCounts(writer.rows, count, truncated)
