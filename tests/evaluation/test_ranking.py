"""Ranking measures: hand-computed, against all orders of tied candidates, and against trec_eval."""

from __future__ import annotations

from itertools import groupby, permutations, product
from statistics import fmean

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abcnn.errors import InputError
from abcnn.evaluation.ranking import question_measures, ranking_measures

# Few distinct scores, so that ties are common; all of them exact in float32, which the trec_eval
# that is compared with uses.
SCORES = st.sampled_from([-1.5, 0.0, 0.25, 3.0])
CANDIDATES = st.lists(st.tuples(st.integers(0, 2), SCORES), min_size=1, max_size=6)
QUESTIONS = st.lists(CANDIDATES, min_size=1, max_size=6)


def plain_measures(rights, missing=0):
    """Average precision, reciprocal rank, precision at 1 of rights and wrongs in ranked order."""
    precisions = [sum(rights[:rank]) / rank for rank, right in enumerate(rights, 1) if right]
    ranks = [rank for rank, right in enumerate(rights, 1) if right]
    average = sum(precisions) / max(len(precisions) + missing, 1)
    return average, 1 / ranks[0] if ranks else 0.0, float(rights[0])


def mean_over_orders(candidates, missing=0):
    """The mean of `plain_measures` over every order of tied candidates, one order after another."""
    ranked = sorted(candidates, key=lambda candidate: -candidate[1])
    blocks = [
        list(permutations([grade > 0 for grade, _ in block]))
        for _, block in groupby(ranked, key=lambda candidate: candidate[1])
    ]
    orders = [[right for block in order for right in block] for order in product(*blocks)]
    values = [plain_measures(order, missing) for order in orders]
    return [fmean(measure) for measure in zip(*values, strict=True)]


def columns(questions):
    """Groups, relevance, scores, candidate ids of questions given as lists of (grade, score)."""
    rows = [
        (f"q{number}", grade, score, f"c{place}")
        for number, candidates in enumerate(questions)
        for place, (grade, score) in enumerate(candidates)
    ]
    return [list(column) for column in zip(*rows, strict=True)]


def trec_eval(questions, answered_only):
    """MAP, MRR, P@1 of ir_measures, which runs trec_eval."""
    groups, relevance, scores, ids = columns(questions)
    answered = {f"q{number}" for number, rows in enumerate(questions) if max(rows)[0] > 0}
    kept = [row for row in range(len(groups)) if not answered_only or groups[row] in answered]
    means = ir_measures.calc_aggregate(
        [ir_measures.AP, ir_measures.RR, ir_measures.P @ 1],
        [ir_measures.Qrel(groups[row], ids[row], relevance[row]) for row in kept],
        [ir_measures.ScoredDoc(groups[row], ids[row], scores[row]) for row in kept],
    )
    return [means[ir_measures.AP], means[ir_measures.RR], means[ir_measures.P @ 1]]


def means(measures):
    return [measures.map, measures.mrr, measures.p_at_1]


def test_by_hand():
    # a: right at ranks 1 and 3 of 3: AP (1 + 2/3) / 2, RR 1. b: right at rank 2 of 2: 1/2, 1/2.
    # c has no right candidate, d only right ones.
    measures = ranking_measures(
        ["a", "b", "a", "c", "a", "b", "d"],
        [1, 0, 0, 0, 1, 1, 1],
        [0.9, 0.8, 0.5, 0.3, 0.1, 0.2, 0.7],
    )
    assert means(measures) == pytest.approx([(5 / 6 + 1 / 2 + 1) / 3, 2.5 / 3, 2 / 3])
    assert measures.to_dict() == {
        "map": measures.map,
        "mrr": measures.mrr,
        "p_at_1": measures.p_at_1,
        "questions": 3,
        "questions_total": 4,
        "questions_without_answer": 1,
        "questions_all_answers": 1,
        "questions_not_ranked": 0,
        "questions_with_ties": 0,
        "pairs": 7,
        "ties": "expected",
        "no_answer": "skip",
        "mixed_only": False,
    }


def test_ties_by_hand():
    # Two right and one wrong candidate tied below a wrong one. Ranks of the right ones: (2, 3),
    # (2, 4) or (3, 4), with AP 7/12, 1/2, 5/12 and RR 1/2, 1/2, 1/3.
    measures = ranking_measures("qqqq", [1, 0, 0, 1], [1, 2, 1, 1])
    assert means(measures) == pytest.approx([1 / 2, 4 / 9, 0], abs=1e-15)
    assert measures.questions_with_ties == 1


def test_ties_by_descending_candidate_id():
    # As strings: "9" > "2" > "10".
    ids = ["10", "9", "2"]
    measures = ranking_measures("qqq", [0, 0, 1], [1, 1, 1], candidate_ids=ids, ties="trec")
    assert means(measures) == [1 / 2, 1 / 2, 0]
    assert measures.questions_with_ties == 1


def test_rules_for_questions():
    groups, relevance, scores = "aabccd", [0, 1, 1, 0, 0, 0], [2, 1, 0, 0, 1, 1]
    skip = ranking_measures(groups, relevance, scores)
    zero = ranking_measures(groups, relevance, scores, no_answer="zero")
    mixed = ranking_measures(groups, relevance, scores, no_answer="zero", mixed_only=True)
    assert (skip.map, skip.questions) == (3 / 4, 2)
    assert (zero.map, zero.questions) == (3 / 8, 4)
    assert (mixed.map, mixed.questions) == (1 / 2, 1)
    assert {m.questions_without_answer for m in (skip, zero, mixed)} == {2}
    assert {m.questions_all_answers for m in (skip, zero, mixed)} == {1}


def test_candidates_that_are_not_ranked():
    # Of two right candidates one is found, at rank 1; question b is not ranked at all.
    measures = ranking_measures(
        "aaab", [1, 1, 0, 1], [5, np.nan, 4, np.nan], ranked=[True, False, True, False]
    )
    assert means(measures) == [1 / 2, 1, 1]
    assert (measures.questions, measures.questions_not_ranked, measures.pairs) == (1, 1, 2)


def test_values_of_questions_in_order_of_appearance():
    measures = question_measures("baba", [1, 0, 0, 1], [1, 1, 0, 0])
    assert measures.questions == ("b", "a")
    assert measures.average_precision.tolist() == [1, 1 / 2]
    assert measures.reciprocal_rank.tolist() == [1, 1 / 2]
    assert measures.precision_at_1.tolist() == [1, 0]


@given(CANDIDATES, st.integers(0, 2))
def test_expected_value_is_the_mean_over_all_orders(candidates, missing):
    groups, relevance, scores, _ = columns([candidates])
    measures = question_measures(
        groups + ["q0"] * missing,
        relevance + [1] * missing,
        scores + [np.nan] * missing,
        ranked=[True] * len(groups) + [False] * missing,
    )
    values = [measures.average_precision, measures.reciprocal_rank, measures.precision_at_1]
    assert np.ravel(values) == pytest.approx(mean_over_orders(candidates, missing), abs=1e-14)


@given(QUESTIONS, st.randoms(use_true_random=False))
def test_order_of_rows_changes_nothing_but_the_order_of_questions(questions, random):
    table = list(zip(*columns(questions), strict=True))
    shuffled = random.sample(table, len(table))
    for ties in ("expected", "trec"):
        first, second = (
            question_measures(groups, relevance, scores, candidate_ids=ids, ties=ties)
            for groups, relevance, scores, ids in (
                zip(*rows, strict=True) for rows in (table, shuffled)
            )
        )
        back = [second.questions.index(question) for question in first.questions]
        assert first.average_precision == pytest.approx(second.average_precision[back], abs=1e-14)
        assert first.reciprocal_rank == pytest.approx(second.reciprocal_rank[back], abs=1e-14)
        assert first.tied.tolist() == second.tied[back].tolist()


@given(QUESTIONS)
def test_trec_rule_is_that_of_trec_eval(questions):
    groups, relevance, scores, ids = columns(questions)
    arguments = {"candidate_ids": ids, "ties": "trec"}
    zero = ranking_measures(groups, relevance, scores, no_answer="zero", **arguments)
    assert means(zero) == pytest.approx(trec_eval(questions, answered_only=False), abs=1e-12)
    if max(relevance) > 0:
        skip = ranking_measures(groups, relevance, scores, **arguments)
        assert means(skip) == pytest.approx(trec_eval(questions, answered_only=True), abs=1e-12)


def test_trec_rule_is_that_of_trec_eval_on_many_questions():
    random = np.random.default_rng(20)
    questions = [
        [
            (int(random.random() < 0.15), float(random.integers(0, 8)) / 4)
            for _ in range(random.integers(1, 30))
        ]
        for _ in range(600)
    ]
    groups, relevance, scores, ids = columns(questions)
    for no_answer, answered_only in (("skip", True), ("zero", False)):
        measures = ranking_measures(
            groups, relevance, scores, candidate_ids=ids, ties="trec", no_answer=no_answer
        )
        assert means(measures) == pytest.approx(trec_eval(questions, answered_only), abs=1e-12)


def test_one_block_of_many_ties_keeps_its_precision():
    # One right candidate of n: the expected AP and RR are both the harmonic number over n.
    n = 100_000
    measures = ranking_measures(["q"] * n, [1] + [0] * (n - 1), [0.5] * n)
    expected = sum(1 / rank for rank in range(n, 0, -1)) / n
    assert means(measures) == pytest.approx([expected, expected, 1 / n], rel=1e-12)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"scores": [1, np.nan, 2]}, "`scores`, row 2: expected a finite number. Received: nan"),
        ({"scores": [1, 2, np.inf]}, "`scores`, row 3: expected a finite number. Received: inf"),
        ({"scores": [1, 2, "x"]}, "`scores`, row 3: expected a finite number. Received: 'x'"),
        ({"scores": [None, 2, 1]}, "`scores`, row 1: expected a finite number. Received: nan"),
        ({"scores": [[1], [2], [3]]}, r"`scores` must be one column .* shape: \(3, 1\)"),
        ({"scores": [1, 2]}, "Received: groups 3, relevance 3, scores 2"),
        ({"relevance": [1, 0, np.nan]}, "`relevance`, row 3: expected a finite number"),
        (
            {"relevance": [0, 0, 0]},
            "Received: 2 questions, 0 of them not ranked, 2 without a right",
        ),
        ({"relevance": [1, 1, 0], "mixed_only": True}, "a right and a wrong candidate"),
        ({"candidate_ids": ["x", "x", "y"]}, "Rows 1 and 2: question 'a' has the candidate 'x' tw"),
        ({"ties": "trec"}, "needs `candidate_ids`"),
        ({"ties": "random"}, "`ties` must be one of expected, trec. Received: 'random'"),
        ({"no_answer": "one"}, "`no_answer` must be one of skip, zero. Received: 'one'"),
        ({"groups": [], "relevance": [], "scores": []}, "expected at least one pair"),
        ({"ranked": [False] * 3}, "2 questions, 2 of them not ranked"),
    ],
)
def test_bad_input(arguments, message):
    good = {"groups": ["a", "a", "b"], "relevance": [1, 0, 0], "scores": [1, 2, 3]}
    with pytest.raises(InputError, match=message):
        ranking_measures(**good | arguments)
