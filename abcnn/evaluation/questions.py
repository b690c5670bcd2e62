"""Ranking measures of every single question, with an exact rule for tied scores.

A stable sort of tied candidates measures the order of the input file: on the WikiQA test set a
constant score has a MAP of .64 that way, because answers tend to come first in a document. So tied
candidates give the expected value over all their orders (`abcnn.evaluation.ties`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from abcnn.errors import InputError
from abcnn.evaluation.columns import finite_numbers, one_of, refuse_duplicates, same_length
from abcnn.evaluation.ties import TieBlocks

Ties = Literal["expected", "trec"]
NoAnswer = Literal["skip", "zero"]


@dataclass(frozen=True, slots=True, eq=False)
class QuestionMeasures:
    """One entry a question, in the order in which the questions first appear.

    `average_precision`, `reciprocal_rank`, `precision_at_1` are float64, 0 for a question without
    a right candidate. `right` and `wrong` count its candidates, `ranked` those that have a score;
    `tied` is True where two of these have the same score.
    """

    questions: tuple[str, ...]
    average_precision: np.ndarray
    reciprocal_rank: np.ndarray
    precision_at_1: np.ndarray
    right: np.ndarray
    wrong: np.ndarray
    ranked: np.ndarray
    tied: np.ndarray

    def counted(self, *, no_answer: NoAnswer = "skip", mixed_only: bool = False) -> np.ndarray:
        """True for the questions that enter a mean under the given rules.

        `no_answer="skip"` leaves out questions without a right candidate, `"zero"` counts them
        (their measures are 0). `mixed_only=True` keeps only questions with both a right and a
        wrong candidate, whatever `no_answer` says. A question of which no candidate is ranked
        never counts, as in trec_eval.
        """
        one_of("no_answer", no_answer, get_args(NoAnswer))
        counted = self.ranked > 0
        if mixed_only:
            return counted & (self.right > 0) & (self.wrong > 0)
        return counted & (self.right > 0) if no_answer == "skip" else counted


def question_measures(
    groups: Sequence[str],
    relevance: Sequence[float] | np.ndarray,
    scores: Sequence[float] | np.ndarray,
    *,
    candidate_ids: Sequence[str] | None = None,
    ranked: Sequence[bool] | np.ndarray | None = None,
    ties: Ties = "expected",
) -> QuestionMeasures:
    """Average precision, reciprocal rank and precision at 1 of every question.

    All columns have one entry a pair. `groups` names the question of a pair; `relevance` is
    positive for a right candidate, so TREC's grades work; `scores` are finite, a higher one ranks
    higher. `ranked` is False for a candidate that was judged but not returned: it counts as right
    or wrong but has no rank, and its score is not looked at.

    `ties="expected"` gives the mean of each measure over all orders of candidates with equal
    scores, exactly. `ties="trec"` breaks ties as trec_eval does, by descending candidate id in
    code point order, and needs `candidate_ids`. Scores are compared as float64; older releases of
    trec_eval compared them as float32.

    `InputError`: columns of different lengths, a score or relevance that is not finite, a
    candidate id that stands twice in a question.
    """
    one_of("ties", ties, get_args(Ties))
    pairs = same_length(
        groups=groups,
        relevance=relevance,
        scores=scores,
        candidate_ids=candidate_ids,
        ranked=ranked,
    )
    if candidate_ids is not None:
        refuse_duplicates(groups, candidate_ids)
    elif ties == "trec":
        raise InputError('`ties="trec"` needs `candidate_ids`: it orders tied candidates by id')
    is_ranked = np.ones(pairs, bool) if ranked is None else np.asarray(ranked, bool)
    is_right = finite_numbers("relevance", relevance) > 0
    score = finite_numbers("scores", scores if ranked is None else np.where(is_ranked, scores, 0))
    questions, question = _numbered(groups)
    right = np.bincount(question, weights=is_right).astype(int)
    wrong = np.bincount(question) - right
    rows = np.bincount(question[is_ranked], minlength=len(questions))

    keys = [-score, question]
    if candidate_ids is not None and ties == "trec":
        keys.insert(0, -_places(candidate_ids))
    order = np.lexsort(keys)
    order = order[is_ranked[order]]
    question, score, is_right = question[order], score[order], is_right[order]
    differs = np.ones(question.size, bool)
    differs[1:] = (np.diff(question) != 0) | (np.diff(score) != 0)
    tied = np.zeros(len(questions), bool)
    tied[question[~differs]] = True

    starts = differs if ties == "expected" else np.ones_like(differs)
    blocks = TieBlocks.of(question, is_right, starts)
    average_precision, reciprocal_rank, precision_at_1 = np.zeros((3, len(questions)))
    np.add.at(average_precision, blocks.question, blocks.precision_sums())
    average_precision /= np.maximum(right, 1)
    first = blocks.select((blocks.right > 0) & (blocks.right_above == 0))
    reciprocal_rank[first.question] = first.reciprocal_ranks()
    top = blocks.select(blocks.above == 0)
    precision_at_1[top.question] = top.right / top.size
    return QuestionMeasures(
        questions=questions,
        average_precision=average_precision,
        reciprocal_rank=reciprocal_rank,
        precision_at_1=precision_at_1,
        right=right,
        wrong=wrong,
        ranked=rows,
        tied=tied,
    )


def _numbered(groups: Sequence[str]) -> tuple[tuple[str, ...], np.ndarray]:
    """The distinct groups, first seen first, and the number of every pair's group.

    Not `np.unique`: a group may be a whole sentence, and an array of strings is as wide as the
    longest of them.
    """
    numbers: dict[str, int] = {}
    codes = np.array([numbers.setdefault(group, len(numbers)) for group in groups])
    return tuple(numbers), codes


def _places(candidate_ids: Sequence[str]) -> np.ndarray:
    """The place of every candidate id among the distinct ids in ascending order."""
    places = {name: place for place, name in enumerate(sorted(set(candidate_ids)))}
    return np.array([places[name] for name in candidate_ids])
