"""Ranking measures of a whole file: MAP, MRR and precision at 1, and what they were counted on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from abcnn.errors import InputError
from abcnn.evaluation.questions import NoAnswer, QuestionMeasures, Ties, question_measures

__all__ = [
    "NoAnswer",
    "QuestionMeasures",
    "RankingMeasures",
    "Ties",
    "mean_measures",
    "question_measures",
    "ranking_measures",
]


@dataclass(frozen=True, slots=True)
class RankingMeasures:
    """Means over questions, with the rules and the counts that they rest on.

    `questions` is the number of questions in the means, and `questions_with_ties` those of them
    that have tied candidates. The other counts are over all questions: `questions_total`, those
    without a right candidate, those whose candidates are all right, and those of which no candidate
    is ranked (these are in none of the two counts before). `pairs` counts the ranked candidates of
    all questions.
    """

    map: float
    mrr: float
    p_at_1: float
    questions: int
    questions_total: int
    questions_without_answer: int
    questions_all_answers: int
    questions_not_ranked: int
    questions_with_ties: int
    pairs: int
    ties: Ties
    no_answer: NoAnswer
    mixed_only: bool

    def to_dict(self) -> dict[str, float | int | str | bool]:
        """The fields by name, ready for JSON."""
        return asdict(self)


def ranking_measures(
    groups: Sequence[str],
    relevance: Sequence[float] | np.ndarray,
    scores: Sequence[float] | np.ndarray,
    *,
    candidate_ids: Sequence[str] | None = None,
    ranked: Sequence[bool] | np.ndarray | None = None,
    ties: Ties = "expected",
    no_answer: NoAnswer = "skip",
    mixed_only: bool = False,
) -> RankingMeasures:
    """MAP, MRR and P@1 of scored candidates; columns and `ties` as in `question_measures`.

    `no_answer="skip"` takes the means over questions with a right candidate, `"zero"` over all of
    them. `mixed_only=True` takes only questions with both a right and a wrong candidate: WikiQA
    papers report either protocol.

    `InputError`: bad columns, or no question that counts.
    """
    questions = question_measures(
        groups, relevance, scores, candidate_ids=candidate_ids, ranked=ranked, ties=ties
    )
    return mean_measures(questions, ties=ties, no_answer=no_answer, mixed_only=mixed_only)


def mean_measures(
    questions: QuestionMeasures,
    *,
    ties: Ties,
    no_answer: NoAnswer = "skip",
    mixed_only: bool = False,
) -> RankingMeasures:
    """The means of `questions`, which were measured under the rule `ties`.

    `InputError`: no question counts under the given rules.
    """
    counted = questions.counted(no_answer=no_answer, mixed_only=mixed_only)
    ranked = questions.ranked > 0
    if not counted.any():
        raise InputError(
            f"Nothing to measure: expected a question with a right {'and a wrong ' * mixed_only}"
            f"candidate. Received: {counted.size} questions, {int(np.sum(~ranked))} of them not "
            f"ranked, {int(np.sum(ranked & (questions.right == 0)))} without a right candidate"
        )
    return RankingMeasures(
        map=float(questions.average_precision[counted].mean()),
        mrr=float(questions.reciprocal_rank[counted].mean()),
        p_at_1=float(questions.precision_at_1[counted].mean()),
        questions=int(counted.sum()),
        questions_total=counted.size,
        questions_without_answer=int(np.sum(ranked & (questions.right == 0))),
        questions_all_answers=int(np.sum(ranked & (questions.wrong == 0))),
        questions_not_ranked=int(np.sum(~ranked)),
        questions_with_ties=int(np.sum(questions.tied & counted)),
        pairs=int(questions.ranked.sum()),
        ties=ties,
        no_answer=no_answer,
        mixed_only=mixed_only,
    )
