"""Published and known figures on WikiQA: they fix the rules of measurement to the literature."""

from __future__ import annotations

import pytest

from abcnn.evaluation.judged import judge
from abcnn.evaluation.trec import Run, read_qrels, read_run

pytestmark = pytest.mark.corpora


@pytest.mark.parametrize(
    ("system", "split", "map_", "mrr", "questions"),
    [
        # The figures of the CNN in the WikiQA paper's table.
        ("CNN", "test", 0.61901, 0.62814, 237),
        ("CNN-Cnt", "test", 0.65910, 0.67379, 237),
        ("CNN", "dev", 0.66253, 0.66831, 122),
        ("CNN-Cnt", "dev", 0.67392, 0.67866, 122),
    ],
)
def test_released_rankings(corpora, system, split, map_, mrr, questions):
    wikiqa = corpora / "wikiqa"
    run = read_run(wikiqa / "emnlp-table" / f"WikiQA.{system}.{split}.rank")
    filtered = judge(read_qrels(wikiqa / f"WikiQA-{split}-filtered.ref"), run).measures()
    assert (filtered.map, filtered.mrr) == pytest.approx((map_, mrr), abs=5e-6)
    assert filtered.questions == filtered.questions_total == questions

    # All judgements with only the mixed questions are the filtered judgements.
    everything = judge(read_qrels(wikiqa / f"WikiQA-{split}.ref"), run)
    mixed = everything.measures(mixed_only=True)
    assert (mixed.map, mixed.mrr, mixed.questions) == (filtered.map, filtered.mrr, questions)


def test_the_two_protocols(corpora):
    wikiqa = corpora / "wikiqa"
    judged = judge(
        read_qrels(wikiqa / "WikiQA-test.ref"),
        read_run(wikiqa / "emnlp-table" / "WikiQA.CNN.test.rank"),
    )
    answered, mixed = judged.measures(), judged.measures(mixed_only=True)
    zero = judged.measures(no_answer="zero")
    assert (answered.questions, mixed.questions, zero.questions) == (243, 237, 633)
    assert (answered.questions_without_answer, answered.questions_all_answers) == (390, 6)
    assert answered.map == pytest.approx((237 * mixed.map + 6) / 243, abs=1e-12)
    assert zero.map == pytest.approx(243 * answered.map / 633, abs=1e-12)


def test_a_constant_score(corpora):
    qrels = read_qrels(corpora / "wikiqa" / "WikiQA-test.ref")
    constant = judge(qrels, Run(qrels.groups, qrels.candidate_ids, (0.0,) * len(qrels.groups)))
    # Exact; the mean of 1,000 random orders is .3987 with a standard error of .0005.
    assert constant.measures().map == pytest.approx(0.39919, abs=5e-6)
    # The same with the ids of the TSV file (D0-3) as with those here (3): "9" is above "10".
    assert constant.measures(ties="trec").map == pytest.approx(0.28681, abs=5e-6)

    # What a stable sort would make of it: the order of the sentences in their document.
    places = tuple(-float(candidate) for candidate in qrels.candidate_ids)
    in_order = judge(qrels, Run(qrels.groups, qrels.candidate_ids, places)).measures()
    assert in_order.map == pytest.approx(0.64214, abs=5e-6)
