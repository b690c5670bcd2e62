"""A run and its judgements joined, also where the two do not match."""

from __future__ import annotations

import ir_measures
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from abcnn.errors import InputError
from abcnn.evaluation.judged import judge
from abcnn.evaluation.trec import Qrels, Run

KEY = st.tuples(st.sampled_from(["p", "q", "r", "s"]), st.sampled_from("abcde"))


def test_join_in_the_order_of_the_qrels():
    qrels = Qrels(("q", "q", "p", "o"), ("a", "b", "a", "a"), (1, 2, 0, 1))
    run = Run(("p", "p", "n", "q", "n"), ("z", "a", "a", "b", "b"), (1.0, 2.0, 3.0, 4.0, 5.0))
    judged = judge(qrels, run)
    assert judged.groups == ("q", "q", "p", "o", "p")
    assert judged.candidate_ids == ("a", "b", "a", "a", "z")
    assert judged.relevance == (1, 2, 0, 1, 0)
    assert judged.scores[1:3] + judged.scores[4:] == (4.0, 2.0, 1.0)
    assert judged.ranked == (False, True, True, False, True)
    assert list(judged.notes()) == [
        "questions of the qrels that are not in the run, in no mean: 1",
        "questions of the run that are not in the qrels, ignored: 1",
        "judged candidates that are not in the run, taken as not found: 1",
        "candidates that are not in the qrels, taken as wrong: 1",
    ]
    measures = judged.measures()
    # q has one of its two right candidates at rank 1; p has none; o is not ranked.
    assert (measures.map, measures.mrr, measures.questions) == (1 / 2, 1.0, 1)
    assert (measures.questions_total, measures.questions_not_ranked) == (3, 1)
    assert (measures.questions_without_answer, measures.pairs) == (1, 3)


def test_nothing_to_note_when_all_ids_match():
    judged = judge(Qrels(("q", "q"), ("a", "b"), (1, 0)), Run(("q", "q"), ("b", "a"), (0.0, 1.0)))
    assert list(judged.notes()) == []
    assert judged.measures().map == 1


@given(
    st.dictionaries(KEY, st.integers(0, 2), min_size=1),
    st.dictionaries(KEY, st.sampled_from([0.0, 0.5, 1.0]), min_size=1),
)
def test_as_trec_eval(judgements, scores):
    ranked = {group for group, _ in scores}
    assume(judgements.keys() & scores.keys())
    qrels = Qrels(*zip(*judgements, strict=True), tuple(judgements.values()))
    run = Run(*zip(*scores, strict=True), tuple(scores.values()))
    measures = judge(qrels, run).measures(ties="trec", no_answer="zero")
    # trec_eval averages over the questions that both files have; ir_measures would count the
    # others as 0, so they are not shown to it.
    expected = ir_measures.calc_aggregate(
        [ir_measures.AP, ir_measures.RR, ir_measures.P @ 1],
        [ir_measures.Qrel(*key, grade) for key, grade in judgements.items() if key[0] in ranked],
        [ir_measures.ScoredDoc(*key, score) for key, score in scores.items()],
    )
    assert measures.map == pytest.approx(expected[ir_measures.AP], abs=1e-12)
    assert measures.mrr == pytest.approx(expected[ir_measures.RR], abs=1e-12)
    assert measures.p_at_1 == pytest.approx(expected[ir_measures.P @ 1], abs=1e-12)


def test_no_common_question_shows_both_sides():
    qrels = Qrels(("1", "2", "3", "4"), tuple("aaaa"), (1, 1, 1, 1), source="x.qrels")
    with pytest.raises(InputError) as error:
        judge(qrels, Run(("Q1",), ("a",), (0.0,), source="x.run"))
    assert str(error.value) == (
        "x.qrels and x.run must share ids, but share no question. "
        "Received: '1', '2', '3', ... in the first, 'Q1', ... in the second"
    )


def test_no_common_candidate_shows_both_sides():
    qrels = Qrels(("q", "q"), ("D1-0", "D1-1"), (1, 0), source="x.qrels")
    with pytest.raises(InputError) as error:
        judge(qrels, Run(("q", "q"), ("0", "1"), (0.0, 1.0), source="x.run"))
    assert str(error.value) == (
        "x.qrels and x.run must share ids, but share no candidate of a question (here those of "
        "question 'q'). Received: 'D1-0', 'D1-1', ... in the first, '0', '1', ... in the second"
    )
