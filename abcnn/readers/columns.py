"""Which columns of a table hold the two sentences, the label, the question and the candidate."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypedDict, Unpack

from abcnn.errors import InputError
from abcnn.readers.formats import Corpus

# In this order: the first two that are both there are taken.
USUAL_SIDES = (
    ("question", "answer"),
    ("question", "sentence"),
    ("sentence1", "sentence2"),
    ("sentence_A", "sentence_B"),
    ("premise", "hypothesis"),
    ("question1", "question2"),
    ("text_a", "text_b"),
    ("left", "right"),
    ("#1 String", "#2 String"),
)
USUAL_LABELS = (
    "label",
    "gold_label",
    "entailment_judgment",
    "is_duplicate",
    "quality",
    "relevance",
)
USUAL_GRADES = (
    "label",
    "grade",
    "relatedness_score",
    "similarity_score",
    "similarity",
    "relatedness",
    "gold_score",
    "score",
)
USUAL_GROUPS = ("question_id", "group", "group_id", "qid", "query_id")
USUAL_CANDIDATES = ("candidate_id", "sentence_id", "answer_id")


@dataclass(frozen=True)
class Selection:
    """The names of the columns that matter; None: the table has no such column."""

    left: str
    right: str
    label: str | None = None
    group: str | None = None
    candidate: str | None = None
    teacher: tuple[str, ...] = ()


class ColumnOptions(TypedDict, total=False):
    """The columns that a user names; None: found by the usual names."""

    left_column: str | None
    right_column: str | None
    label_column: str | None
    group_column: str | None
    candidate_column: str | None


def choose_columns(
    names: Sequence[str],
    *,
    source: str,
    corpus: Corpus | None = None,
    require_labels: bool = False,
    graded: bool = False,
    **given: Unpack[ColumnOptions],
) -> Selection:
    """The columns given by name, else those of the corpus, else those with a usual name.

    Usual names are compared without regard to case, spaces, `_` and `-`. `graded` asks for the
    column of grades in the place of that of labels.

    Raises InputError, which lists the columns there are, for a name that is not among them, when
    no sentences (with `require_labels`, no labels) are found, and when a column would be both
    sentences.
    """
    for option, name in given.items():
        if name is not None and name not in names:
            raise InputError(
                f"{source}: `--{option.replace('_', '-')}` must be one of the columns "
                f"{', '.join(names)}. Received: {name!r}"
            )
    label, group = given.get("label_column"), given.get("group_column")
    candidate = given.get("candidate_column")
    if corpus is not None:
        left = given.get("left_column") or corpus.left
        right = given.get("right_column") or corpus.right
        usual = corpus.grade if graded else corpus.label
        label, group = label or usual, group or corpus.group
        candidate = candidate or corpus.candidate
    else:
        found = _Finder(names, source)
        left, right = _sides(found, given.get("left_column"), given.get("right_column"))
        usual_labels = USUAL_GRADES if graded else USUAL_LABELS
        label = label or found.one(usual_labels, "label")
        group = group or found.one(USUAL_GROUPS, "group")
        candidate = candidate or found.one(USUAL_CANDIDATES, "candidate")
        if label is None and require_labels:
            raise found.missing("grades" if graded else "labels", usual_labels, "--label-column")
    if label is None and require_labels:
        raise InputError(
            f"{source}: no column of grades is known of {corpus.name if corpus else 'it'}; name it "
            "with --label-column"
        )
    if left == right:
        raise InputError(f"{source}: left and right must be two columns. Received: {left!r} twice")
    return Selection(left, right, label, group, candidate)


def teacher_columns(names: Sequence[str], column: str, source: str) -> tuple[str, ...]:
    """The columns that may hold a teacher's scores: `column`, and those named `column_<label>`.

    Raises InputError, which lists the columns there are, when there is none.
    """
    found = tuple(name for name in names if name == column or name.startswith(f"{column}_"))
    if not found:
        raise InputError(
            f"{source}: `--teacher-column` must be one of the columns {', '.join(names)}, or what "
            f"stands before `_<label>` in them. Received: {column!r}"
        )
    return found


def _sides(found: _Finder, left: str | None, right: str | None) -> tuple[str, str]:
    if left is not None and right is not None:
        return left, right
    for usual_left, usual_right in USUAL_SIDES:
        one = left or found.one([usual_left], "left")
        other = right or found.one([usual_right], "right")
        if one is not None and other is not None and one != other:
            return one, other
    if left is not None:
        raise found.missing("right sentences", [two for _, two in USUAL_SIDES], "--right-column")
    if right is not None:
        raise found.missing("left sentences", [one for one, _ in USUAL_SIDES], "--left-column")
    raise found.missing(
        "sentences",
        [f"{one}/{two}" for one, two in USUAL_SIDES],
        "--left-column and --right-column",
    )


class _Finder:
    """Looks for usual names among the columns of a table."""

    def __init__(self, names: Sequence[str], source: str) -> None:
        self._names = names
        self._source = source

    def one(self, usual: Iterable[str], what: str) -> str | None:
        """The column with the first of the `usual` names that is there; two are an error."""
        for wanted in usual:
            matches = [name for name in self._names if _plain(name) == _plain(wanted)]
            if len(matches) > 1:
                raise InputError(
                    f"{self._source}: expected one {what} column. Received: "
                    f"{', '.join(matches)}; choose with --{what}-column"
                )
            if matches:
                return matches[0]
        return None

    def missing(self, what: str, looked_for: Iterable[str], option: str) -> InputError:
        looked_for = ", ".join(dict.fromkeys(looked_for))
        return InputError(
            f"{self._source}: no column of {what} found (looked for {looked_for}). "
            f"Received: the columns {', '.join(self._names)}; name it with {option}"
        )


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]", "", name).casefold()
