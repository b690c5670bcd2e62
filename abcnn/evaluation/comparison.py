"""Two systems' predictions of the same pairs, or runs of the same questions, compared."""

from __future__ import annotations

from typing import Literal, TypedDict, Unpack

import numpy as np

from abcnn.errors import InputError
from abcnn.evaluation.grading import pearson_of_sums, pearson_terms
from abcnn.evaluation.judged import judge
from abcnn.evaluation.paired import Comparison, compare, f1_of_sums, mean_of_sums, with_ones
from abcnn.evaluation.questions import NoAnswer, QuestionMeasures, Ties, question_measures
from abcnn.evaluation.scored import ScoredTable
from abcnn.evaluation.trec import Qrels, Run
from abcnn.readers.labels import label_names

Unit = Literal["question", "pair"]


class Rules(TypedDict, total=False):
    """Which questions count, and how tied candidates do: as in `ranking_measures`."""

    ties: Ties
    no_answer: NoAnswer
    mixed_only: bool


class Resampling(TypedDict, total=False):
    """How chance is drawn: keyword arguments of `abcnn.evaluation.paired.compare`."""

    rounds: int
    seed: int
    level: float


def compare_runs(
    qrels: Qrels,
    first: Run,
    second: Run,
    *,
    rules: Rules | None = None,
    **resampling: Unpack[Resampling],
) -> tuple[Comparison, ...]:
    """Two runs by MAP and by MRR over the judged questions.

    `InputError`: the runs do not rank the same candidates, or no question counts.
    """
    for run, other in ((first, second), (second, first)):
        there = set(zip(other.groups, other.candidate_ids, strict=True))
        for group, candidate in zip(run.groups, run.candidate_ids, strict=True):
            if (group, candidate) not in there:
                raise InputError(
                    f"{first.source} and {second.source} must rank the same candidates. Received: "
                    f"candidate {candidate!r} of question {group!r} in {run.source} only"
                )
    rules = rules or {}
    questions = [
        question_measures(
            judged.groups,
            judged.relevance,
            judged.scores,
            candidate_ids=judged.candidate_ids,
            ranked=judged.ranked,
            ties=rules.get("ties", "expected"),
        )
        for judged in (judge(qrels, first), judge(qrels, second))
    ]
    return _by_question(questions[0], questions[1], rules, resampling)


def compare_tables(
    first: ScoredTable,
    second: ScoredTable,
    *,
    unit: Unit | None = None,
    rules: Rules | None = None,
    **resampling: Unpack[Resampling],
) -> tuple[Comparison, ...]:
    """Two scored tables by MAP and MRR over questions, or by accuracy and F1 over pairs; graded
    ones by Pearson's correlation and the mean squared error over the pairs that both gave a score.

    `unit` None is "question" where both tables have ranks. F1 is that of the positive label where
    there are two, else the mean of all labels'. A row without a score is not ranked, and its label
    counts as wrong.

    `InputError`: tables of different rows or labels, one of grades and one of labels, more than two
    labels to rank by, grades to rank by.
    """
    if first.graded != second.graded:
        raise InputError(
            f"{first.source} and {second.source} must both have labels or both have grades. "
            f"Received: grades in {(first if first.graded else second).source} only"
        )
    second = second.in_order_of(first)
    if first.graded:
        if unit == "question":
            raise InputError(f"{first.source}: questions need two labels. Received: grades")
        return _by_grade(first, second, resampling)
    names = label_names(said for said in (*first.labels, *first.decided, *second.decided) if said)
    if unit is None:
        unit = "question" if first.ranks and second.ranks else "pair"
    if unit == "pair":
        return _by_pair(first, second, names, resampling)
    if len(names) > 2:
        raise InputError(f"{first.source}: questions need two labels. Received: {', '.join(names)}")
    rules = rules or {}
    questions = [
        question_measures(
            table.groups,
            [float(label == names[-1]) for label in table.labels],
            table.scores,
            candidate_ids=[candidate for _, candidate in table.keys] if table.named else None,
            ranked=~np.isnan(table.scores),
            ties=rules.get("ties", "expected"),
        )
        for table in (first, second)
    ]
    return _by_question(questions[0], questions[1], rules, resampling)


def _by_question(
    first: QuestionMeasures, second: QuestionMeasures, rules: Rules, resampling: Resampling
) -> tuple[Comparison, ...]:
    no_answer, mixed_only = rules.get("no_answer", "skip"), rules.get("mixed_only", False)
    # A question of which one system ranks nothing counts, as 0 for that one.
    counted = np.logical_or(
        *(one.counted(no_answer=no_answer, mixed_only=mixed_only) for one in (first, second))
    )
    if not counted.any():
        raise InputError(
            f"Nothing to compare: expected a question with a right {'and a wrong ' * mixed_only}"
            f"candidate. Received: {counted.size} questions without"
        )
    return tuple(
        compare(
            name,
            with_ones(getattr(first, values)[counted]),
            with_ones(getattr(second, values)[counted]),
            mean_of_sums,
            unit="question",
            **resampling,
        )
        for name, values in (("MAP", "average_precision"), ("MRR", "reciprocal_rank"))
    )


def _by_grade(
    first: ScoredTable, second: ScoredTable, resampling: Resampling
) -> tuple[Comparison, ...]:
    scored = ~np.isnan(first.scores) & ~np.isnan(second.scores)
    if not scored.any():
        raise InputError(
            f"Nothing to compare: expected a pair with a score in both tables. Received: "
            f"{len(scored):,} pairs without"
        )
    true = np.array([float(grade) for grade in first.labels])[scored]
    one, two = first.scores[scored], second.scores[scored]
    errors = [with_ones((scores - true) ** 2) for scores in (one, two)]
    return (
        compare("Pearson", *_terms(true, one, two), pearson_of_sums, unit="pair", **resampling),
        compare("MSE", errors[0], errors[1], mean_of_sums, unit="pair", **resampling),
    )


def _terms(true: np.ndarray, one: np.ndarray, two: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What pairs add to both systems' correlations.

    The systems' scores are in one unit: randomisation gives one the scores of the other.
    """
    both = pearson_terms(np.concatenate([true, true]), np.concatenate([one, two]))
    return both[: len(true)], both[len(true) :]


def _by_pair(
    first: ScoredTable, second: ScoredTable, names: tuple[str, ...], resampling: Resampling
) -> tuple[Comparison, ...]:
    counted = names[-1:] if len(names) == 2 else names
    right, f1 = [], []
    for table in (first, second):
        true, said = (np.array(column, dtype=object) for column in (table.labels, table.decided))
        right.append(with_ones((true == said).astype(np.float64)))
        both = [((true == name) & (said == name)).astype(np.float64) for name in counted]
        sizes = [(true == name) * 1.0 + (said == name) for name in counted]
        f1.append(np.stack([*both, *sizes], axis=1))
    named = f"F1 of {counted[0]}" if len(counted) == 1 else "macro F1"
    return (
        compare("accuracy", right[0], right[1], mean_of_sums, unit="pair", **resampling),
        compare(named, f1[0], f1[1], f1_of_sums, unit="pair", **resampling),
    )
