"""From a matcher and labelled pairs to a report."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from abcnn.errors import InputError
from abcnn.evaluation.calibration import claims, reliability
from abcnn.evaluation.classification import classification_measures
from abcnn.evaluation.curves import threshold_curve
from abcnn.evaluation.questions import QuestionMeasures, question_measures
from abcnn.explanation import Explainer
from abcnn.pairs import PairBatch
from abcnn.readers import true_values
from abcnn.report.cases import CaseBook
from abcnn.report.facts import data_facts, model_facts
from abcnn.report.measures import decision_rows, grade_rows, ranking_rows
from abcnn.report.records import Case, Decisions, Grading, Measured, Report, Slices
from abcnn.report.slices import (
    QUESTION_WORDS,
    by_length,
    by_overlap,
    by_question_word,
    overlap,
)

if TYPE_CHECKING:
    from abcnn.scoring.matcher import Matcher
    from abcnn.scoring.predictions import Predictions


_MEASURES = {"map": "MAP", "accuracy": "accuracy", "pearson": "Pearson"}


def make_report(
    matcher: Matcher,
    pairs: PairBatch,
    history: Sequence[dict[str, str]] = (),
    *,
    cases: int = 5,
    seed: int = 0,
) -> Report:
    """Measure a matcher on labelled pairs from every side; `history` is of its training.

    `cases` worst errors are explained, and twice as many near ties listed, which grades do not
    have. Intervals are bootstrap
    intervals over questions where candidates are ranked, else over pairs.

    Raises InputError for pairs without labels, with unknown ones, or with nothing to rank.
    """
    if pairs.labels is None:
        raise InputError(f"{pairs.source}: expected labelled pairs. Received: no label column")
    labels = true_values(pairs, matcher.scale)
    start = time.perf_counter()
    said = matcher.predict(pairs)
    seconds = time.perf_counter() - start
    book = CaseBook(pairs, said, labels, Explainer(matcher))
    tokens = {text: matcher.encoder.tokenizer(text) for text in {*pairs.left, *pairs.right}}
    left, right = ([tokens[text] for text in side] for side in (pairs.left, pairs.right))
    measures: list[Measured] = []
    groups = None
    if matcher.task.ranks:
        questions = question_measures(pairs.ranking_groups, labels, said.scores)
        if not questions.counted().any():
            matcher.measure(pairs, said)  # says what there is instead
        measures += ranking_rows(questions, seed)
        numbers = {name: number for number, name in enumerate(questions.questions)}
        groups = np.array([numbers[group] for group in pairs.ranking_groups])
        slices = list(_question_slices(questions, groups, labels, left, right, seed))
    elif matcher.grades is not None:
        errors = np.abs(said.scores - labels)
        slices = list(_pair_slices("mean absolute error", errors, left, right, seed))
    else:
        slices = list(_pair_slices("accuracy", said.labels == labels, left, right, seed))
    judged: Decisions | Grading
    near: tuple[Case, ...] = ()
    if matcher.grades is not None:
        judged = Grading(labels, said.scores, matcher.grades)
        measures += grade_rows(labels, said.scores, seed)
        worst = book.worst_grades(cases)
    else:
        judged = _decisions(matcher, said, labels)
        measures += decision_rows(labels, said, seed, groups)
        worst, near = book.worst_decisions(cases), book.near_decisions(2 * cases, judged.threshold)
    if matcher.task.ranks:
        worst, near = book.worst_rankings(cases), book.near_rankings(2 * cases)
    return Report(
        title=f"{matcher.name} on {Path(pairs.source).name}",
        source=Path(pairs.source).name,
        model=model_facts(matcher),
        counts=data_facts(matcher, pairs, left, right, groups),
        measure=_MEASURES[matcher.task.measure],
        history=tuple(history),
        measures=tuple(measures),
        judged=judged,
        slices=tuple(slices),
        worst=worst,
        near=near,
        speed={
            "pairs scored": f"{len(pairs):,} in {seconds:.2f} s on this machine, text to score",
            "pairs a second": f"{len(pairs) / max(seconds, 1e-9):,.0f}",
        },
    )


def _decisions(matcher: Matcher, said: Predictions, labels: np.ndarray) -> Decisions:
    threshold = matcher.threshold if matcher.task.two_labels else None
    claimed = (
        f"the label is {matcher.labels[-1]}" if threshold is not None else "the label said is right"
    )
    return Decisions(
        reliability=reliability(*claims(said.probabilities, said.labels, labels)),
        claim=claimed,
        curves={
            name: threshold_curve(said.probabilities[:, label], labels == label)
            for label, name in enumerate(matcher.labels)
            if len(matcher.labels) > 2 or label == 1
        },
        threshold=threshold,
        confusion=classification_measures(labels, said.labels, matcher.labels),
    )


def _question_slices(
    questions: QuestionMeasures,
    groups: np.ndarray,
    labels: np.ndarray,
    left: list[list[str]],
    right: list[list[str]],
    seed: int,
) -> Iterator[Slices]:
    """Average precision of the counted questions by what they are like."""
    counted = np.flatnonzero(questions.counted())
    values = questions.average_precision[counted]
    first = {group: index for index, group in reversed(list(enumerate(groups.tolist())))}
    sizes = np.bincount(groups)
    best: dict[int, float] = {}
    for index in np.flatnonzero(labels == 1).tolist():
        group = int(groups[index])
        best[group] = max(best.get(group, 0.0), overlap(left[index], right[index]))
    asked = [left[first[group]] for group in counted.tolist()]
    names = {"measure": "MAP", "kind": "questions"}
    lengths = np.array([len(tokens) for tokens in asked])
    yield by_length(lengths, values, seed, title="Words in the question", **names)
    yield by_length(sizes[counted], values, seed, title="Candidates", **names)
    overlaps = np.array([best[group] for group in counted.tolist()])
    title = "Question words that a right candidate has"
    yield by_overlap(overlaps, values, seed, title=title, **names)
    yield by_question_word(asked, values, seed, title="Question word", **names)


def _pair_slices(
    measure: str,
    found: np.ndarray,
    left: list[list[str]],
    right: list[list[str]],
    seed: int,
) -> Iterator[Slices]:
    """The mean of what was found of each pair, by what pairs are like."""
    values = found.astype(np.float64)
    names = {"measure": measure, "kind": "pairs"}
    lengths = np.array([len(a) + len(b) for a, b in zip(left, right, strict=True)])
    yield by_length(lengths, values, seed, title="Words in both sentences", **names)
    overlaps = np.array([overlap(a, b) for a, b in zip(left, right, strict=True)])
    title = "Words of the left sentence that the right one has"
    yield by_overlap(overlaps, values, seed, title=title, **names)
    asks = [bool({token.lower() for token in tokens} & set(QUESTION_WORDS)) for tokens in left]
    if np.mean(asks) >= 0.2:
        yield by_question_word(left, values, seed, title="Question word", **names)
