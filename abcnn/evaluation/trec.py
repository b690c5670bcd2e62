"""TREC's two ranking files.

qrels, what is right: ``question 0 candidate relevance``; run, what was found: ``question Q0
candidate rank score tag``. Columns are divided by spaces or tabs, blank lines are skipped; the
second column of both files and the rank are not looked at, as in trec_eval.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from abcnn.errors import InputError
from abcnn.evaluation.columns import finite_numbers, refuse_duplicates, same_length
from abcnn.tables.output import whole_file

QRELS_COLUMNS = ("question", "0", "candidate", "relevance")
RUN_COLUMNS = ("question", "Q0", "candidate", "rank", "score", "tag")
_FILE_OF_COLUMNS = {len(QRELS_COLUMNS): "a qrels file", len(RUN_COLUMNS): "a run file"}
_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,18}")
_WORD = re.compile(r"[^ \t\n\v\f\r\0\ud800-\udfff]+")

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Qrels:
    """Judged candidates, column by column; a positive relevance is right."""

    groups: tuple[str, ...]
    candidate_ids: tuple[str, ...]
    relevance: tuple[int, ...]
    source: str = "<qrels>"

    def __post_init__(self) -> None:
        same_length(groups=self.groups, candidate_ids=self.candidate_ids, relevance=self.relevance)


@dataclass(frozen=True, slots=True)
class Run:
    """Scored candidates, column by column, in any order; a higher score ranks higher."""

    groups: tuple[str, ...]
    candidate_ids: tuple[str, ...]
    scores: tuple[float, ...]
    source: str = "<run>"

    def __post_init__(self) -> None:
        same_length(groups=self.groups, candidate_ids=self.candidate_ids, scores=self.scores)


def read_qrels(path: str | Path) -> Qrels:
    """The judgements of a qrels file; a path `-` is the standard input.

    `InputError`, with the line where there is one: the file cannot be read or is empty; not 4
    columns; a relevance that is no whole number; a candidate that stands twice in its question;
    NUL bytes; not UTF-8.
    """
    groups, candidate_ids, relevance = _read(path, QRELS_COLUMNS, "relevance", _whole_number)
    return Qrels(groups, candidate_ids, relevance, source=str(path))


def read_run(path: str | Path) -> Run:
    """The scores of a run file; a path `-` is the standard input.

    `InputError` as for `read_qrels`: not 6 columns, a score that is no finite number, and so on.
    """
    groups, candidate_ids, scores = _read(path, RUN_COLUMNS, "score", _finite_number)
    return Run(groups, candidate_ids, scores, source=str(path))


def write_qrels(path: str | Path, qrels: Qrels) -> None:
    """Write `qrels` in its order, whole or not at all.

    `InputError`: an id that is empty or holds white space, a candidate that stands twice in its
    question, or the file cannot be written.
    """
    _check_ids(qrels.groups, qrels.candidate_ids)
    columns = zip(qrels.groups, qrels.candidate_ids, qrels.relevance, strict=True)
    _write(
        path, (f"{group} 0 {candidate} {relevance}\n" for group, candidate, relevance in columns)
    )


def write_run(path: str | Path, run: Run, *, tag: str = "abcnn") -> None:
    """Write `run`, question by question, best candidate first, whole or not at all.

    Tied candidates stand in trec_eval's order, by descending id. Scores keep all their digits, so
    that reading the file gives the same order and the same ties. Errors as in `write_qrels`, and
    `InputError` for a score that is not finite.
    """
    _check_ids(run.groups, run.candidate_ids)
    _check_word("the tag", tag)
    ranking: dict[str, list[tuple[float, str]]] = {}
    scores = finite_numbers("scores", run.scores).tolist()
    for group, candidate, score in zip(run.groups, run.candidate_ids, scores, strict=True):
        ranking.setdefault(group, []).append((score, candidate))
    _write(
        path,
        (
            f"{group} Q0 {candidate} {rank} {score!r} {tag}\n"
            for group, candidates in ranking.items()
            for rank, (score, candidate) in enumerate(sorted(candidates, reverse=True), 1)
        ),
    )


def _read(
    path: str | Path, columns: Sequence[str], value_column: str, parse: Callable[[str], Value]
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[Value, ...]]:
    """Question, candidate and `value_column` of every line."""
    lines: dict[tuple[str, str], int] = {}
    values: list[Value] = []
    value_cell = columns.index(value_column)
    for number, cells in _rows(path, columns):
        key = cells[0], cells[2]
        if key in lines:
            raise InputError(
                f"{path}, line {number}: candidates must be unique in their question. Received: "
                f"candidate {key[1]!r} of question {key[0]!r}, which stands in line {lines[key]}"
            )
        lines[key] = number
        try:
            values.append(parse(cells[value_cell]))
        except ValueError as error:
            raise InputError(
                f"{path}, line {number}: the {value_column} must be {error}. "
                f"Received: {cells[value_cell]!r}"
            ) from None
    if not lines:
        raise InputError(f"{path}: expected lines `{' '.join(columns)}`. Received: an empty file")
    groups, candidate_ids = zip(*lines, strict=True)
    return groups, candidate_ids, tuple(values)


def _rows(path: str | Path, columns: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Line number and cells of every line that is not blank."""
    try:
        with nullcontext(sys.stdin.buffer) if str(path) == "-" else Path(path).open("rb") as file:
            for number, line in enumerate(file, 1):
                if b"\0" in line:
                    raise InputError(f"{path}, line {number}: expected text. Received: a NUL byte")
                # Split as bytes: of all white space only ASCII's divides columns.
                cells = line.removeprefix(b"\xef\xbb\xbf" if number == 1 else b"").split()
                if cells and len(cells) != len(columns):
                    kind = _FILE_OF_COLUMNS.get(len(cells))
                    raise InputError(
                        f"{path}, line {number}: expected {len(columns)} columns, "
                        f"`{' '.join(columns)}`. Received: {len(cells)}"
                        + (f", as in {kind}" if kind else "")
                    )
                if cells:
                    yield number, [cell.decode() for cell in cells]
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise InputError(
            f"{path}, line {number}: expected UTF-8. Received: the byte {byte:#04x}"
        ) from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read. {error.strerror}") from error


def _whole_number(text: str) -> int:
    if not _WHOLE_NUMBER.fullmatch(text):
        raise ValueError("a whole number")
    return int(text)


def _finite_number(text: str) -> float:
    try:
        # `float` takes 1_000, which no other program that reads such a file would.
        value = float("_" if "_" in text else text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError("a finite number")
    return value


def _write(path: str | Path, lines: Iterable[str]) -> None:
    with whole_file(path) as file:
        file.writelines(line.encode() for line in lines)


def _check_ids(groups: Sequence[str], candidate_ids: Sequence[str]) -> None:
    refuse_duplicates(groups, candidate_ids)
    for row, (group, candidate) in enumerate(zip(groups, candidate_ids, strict=True), 1):
        _check_word(f"row {row}: the question id", group)
        _check_word(f"row {row}: the candidate id", candidate)


def _check_word(what: str, text: str) -> None:
    if not _WORD.fullmatch(text):
        raise InputError(
            f"TREC file, {what} must be one word without white space. Received: {text!r}"
        )
