"""A run joined with the judgements of its candidates."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from abcnn.errors import InputError
from abcnn.evaluation.questions import NoAnswer, Ties
from abcnn.evaluation.ranking import RankingMeasures, ranking_measures
from abcnn.evaluation.trec import Qrels, Run

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """The candidates of all judged questions, column by column, questions in the qrels' order.

    A judged candidate that the run leaves out has `ranked` False and the score NaN; a candidate of
    the run that was not judged has the relevance 0. The two counts are of what the columns do not
    show: questions of the run without judgements, and its unjudged candidates in other questions.
    """

    groups: tuple[str, ...]
    candidate_ids: tuple[str, ...]
    relevance: tuple[int, ...]
    scores: tuple[float, ...]
    ranked: tuple[bool, ...]
    questions_not_judged: int
    candidates_not_judged: int

    def measures(
        self, *, ties: Ties = "expected", no_answer: NoAnswer = "skip", mixed_only: bool = False
    ) -> RankingMeasures:
        """MAP, MRR and P@1; the rules are those of `ranking_measures`."""
        return ranking_measures(
            self.groups,
            self.relevance,
            self.scores,
            candidate_ids=self.candidate_ids,
            ranked=self.ranked,
            ties=ties,
            no_answer=no_answer,
            mixed_only=mixed_only,
        )

    def notes(self) -> Iterator[str]:
        """A line for each way in which the two files do not match."""
        in_run = {group for group, ranked in zip(self.groups, self.ranked, strict=True) if ranked}
        not_in_run = len(set(self.groups) - in_run)
        not_ranked = sum(
            group in in_run and not ranked
            for group, ranked in zip(self.groups, self.ranked, strict=True)
        )
        for count, what in (
            (not_in_run, "questions of the qrels that are not in the run, in no mean"),
            (self.questions_not_judged, "questions of the run that are not in the qrels, ignored"),
            (not_ranked, "judged candidates that are not in the run, taken as not found"),
            (self.candidates_not_judged, "candidates that are not in the qrels, taken as wrong"),
        ):
            if count:
                yield f"{what}: {count}"


def judge(qrels: Qrels, run: Run) -> JudgedRun:
    """Join `run` with its judgements as trec_eval does.

    `InputError`: the two share no question, or no candidate of a question; the message shows ids of
    both sides.
    """
    judged = _by_question(qrels.groups, qrels.candidate_ids, qrels.relevance)
    found = _by_question(run.groups, run.candidate_ids, run.scores)
    common = [group for group in judged if group in found]
    if not common:
        raise _nothing_shared("question", qrels, judged, run, found)
    rows = [
        (group, candidate, relevance, found.get(group, {}).get(candidate))
        for group, candidates in judged.items()
        for candidate, relevance in candidates.items()
    ]
    if all(score is None for *_, score in rows):
        first = common[0]
        what = f"candidate of a question (here those of question {first!r})"
        raise _nothing_shared(what, qrels, judged[first], run, found[first])
    unjudged = [
        (group, candidate, 0, score)
        for group in common
        for candidate, score in found[group].items()
        if candidate not in judged[group]
    ]
    groups, candidate_ids, relevance, scores = zip(*rows, *unjudged, strict=True)
    return JudgedRun(
        groups=groups,
        candidate_ids=candidate_ids,
        relevance=relevance,
        scores=tuple(math.nan if score is None else score for score in scores),
        ranked=tuple(score is not None for score in scores),
        questions_not_judged=len(found) - len(common),
        candidates_not_judged=len(unjudged),
    )


def _by_question(
    groups: Iterable[str], candidate_ids: Iterable[str], values: Iterable[Value]
) -> dict[str, dict[str, Value]]:
    questions: dict[str, dict[str, Value]] = {}
    for group, candidate, value in zip(groups, candidate_ids, values, strict=True):
        questions.setdefault(group, {})[candidate] = value
    return questions


def _nothing_shared(
    what: str, qrels: Qrels, judged: Iterable[str], run: Run, found: Iterable[str]
) -> InputError:
    judged_ids, found_ids = (", ".join(map(repr, islice(ids, 3))) for ids in (judged, found))
    return InputError(
        f"{qrels.source} and {run.source} must share ids, but share no {what}. "
        f"Received: {judged_ids}, ... in the first, {found_ids}, ... in the second"
    )
