"""The matcher in a program: predict, rank, evaluate."""

from pathlib import Path

import numpy as np
import pytest

import abcnn
from abcnn.errors import BundleError, InputError
from abcnn.evaluation.classification import ClassificationMeasures
from abcnn.evaluation.grading import GradeMeasures
from abcnn.evaluation.ranking import RankingMeasures
from abcnn.pairs import Pair, PairBatch
from abcnn.readers import read_pairs
from abcnn.scoring.tables import score_table
from abcnn.tables import open_table
from abcnn.tasks import TASKS

PAIRS = [
    ("Who moved the old ferry?", "The ferry was moved by two men."),
    ("Who moved it?", "Nobody."),
    ("", "Somebody did it, 5 times."),
    ("Who moved the old ferry?", "A much longer answer " * 30),
]


@pytest.mark.parametrize("name", TASKS)
def test_pairs_come_as_tuples_records_or_a_batch(trained, name):
    matcher = trained(name).matcher
    expected = matcher.predict(PAIRS).values
    assert expected.shape == (4, len(matcher.labels) or 1)
    for pairs in ([Pair(*pair) for pair in PAIRS], PairBatch.of(PAIRS), iter(PAIRS)):
        np.testing.assert_array_equal(matcher.predict(pairs).values, expected)


@pytest.mark.parametrize("name", TASKS)
def test_order_and_batches_change_no_score(trained, name):
    matcher = trained(name).matcher
    expected = matcher.predict(PAIRS).values
    np.testing.assert_allclose(matcher.predict(PAIRS[::-1]).values[::-1], expected, atol=1e-6)
    np.testing.assert_allclose(matcher.predict(PAIRS, batch_size=1).values, expected, atol=1e-6)


@pytest.mark.parametrize("name", TASKS)
def test_nothing_gives_nothing(trained, name):
    for nothing in ([], PairBatch.of([])):
        said = trained(name).matcher.predict(nothing)
        assert (len(said), said.label_names, said.scores.shape) == (0, [], (0,))


def test_candidates_are_ranked_best_first_and_equals_keep_their_order(trained):
    matcher = trained("answer-selection").matcher
    candidates = [
        "Nobody.",
        "The ferry moved.",
        "Nobody.",
        "It was the old ferry which they moved.",
    ]
    ranked = matcher.rank("Who moved the old ferry?", candidates)
    scores = matcher.predict([("Who moved the old ferry?", one) for one in candidates]).scores
    assert [one.rank for one in ranked] == [1, 2, 3, 4]
    assert sorted(one.index for one in ranked) == [0, 1, 2, 3]
    for one in ranked:
        assert one.candidate == candidates[one.index]
        assert one.score == scores[one.index]
    assert [one.score for one in ranked] == sorted(scores, reverse=True)
    places = [one.index for one in ranked]
    assert places.index(0) + 1 == places.index(2)
    assert matcher.rank("Who?", []) == []


@pytest.mark.parametrize("name", TASKS)
def test_evaluate_is_what_the_scored_table_gives(trained, tmp_path, name):
    """Recomputed here from the output's cells alone, by loops."""
    task, output = trained(name), tmp_path / "scored.jsonl"
    score_table(task.matcher, task.test_file, output)
    with open_table(output) as table:
        rows = [
            dict(zip(chunk.names, row, strict=True))
            for chunk in table
            for row in zip(*(chunk.column(column) for column in chunk.names), strict=True)
        ]
    pairs = read_pairs(task.test_file).pairs
    measures = task.matcher.evaluate(pairs)
    if isinstance(measures, GradeMeasures):
        true, said = ([float(row[column]) for row in rows] for column in ("label", "score"))
        assert measures.pearson == pytest.approx(np.corrcoef(true, said)[0, 1])
        errors = [(one - other) ** 2 for one, other in zip(true, said, strict=True)]
        assert measures.mse == pytest.approx(sum(errors) / len(rows))
        assert set(rows[0]) == {"sentence1", "sentence2", "label", "score", "note"}
        return
    if isinstance(measures, ClassificationMeasures):
        right = sum(row["label"] == row["predicted_label"] for row in rows)
        assert measures.accuracy == pytest.approx(right / len(rows))
        return
    assert isinstance(measures, RankingMeasures)
    questions: dict[str, list[dict]] = {}
    for row in rows:
        questions.setdefault(row["question_id"], []).append(row)
    precisions, firsts = [], []
    for candidates in questions.values():
        by_rank = sorted(candidates, key=lambda row: row["rank"])
        assert [row["rank"] for row in by_rank] == list(range(1, len(by_rank) + 1))
        assert [row["score"] for row in by_rank] == sorted(
            (row["score"] for row in candidates), reverse=True
        )
        places = [place for place, row in enumerate(by_rank, 1) if row["label"] == "1"]
        if places:
            precisions.append(np.mean([n / place for n, place in enumerate(places, 1)]))
            firsts.append(1 / places[0])
    if not measures.questions_with_ties:
        assert measures.map == pytest.approx(np.mean(precisions))
        assert measures.mrr == pytest.approx(np.mean(firsts))
    assert measures.questions == len(precisions)
    # With the rule that breaks ties the table's order is not asked for, but its scores are.
    again = abcnn.evaluation.ranking.ranking_measures(
        [row["question_id"] for row in rows],
        [row["label"] == "1" for row in rows],
        [row["score"] for row in rows],
    )
    assert again.map == pytest.approx(measures.map, abs=1e-12)


def test_evaluate_refuses_what_it_cannot_measure(trained):
    matcher = trained("paraphrase").matcher
    with pytest.raises(InputError, match=r"^here: expected labelled pairs"):
        matcher.evaluate(PairBatch(("a b",), ("b",), source="here"))
    with pytest.raises(InputError, match=r"^here, row 1: column `label` must be one of 0, 1\."):
        matcher.evaluate(PairBatch(("a b",), ("b",), labels=("2",), source="here"))


def test_load_is_the_package_s_entry(trained):
    task = trained("paraphrase")
    loaded = abcnn.load(task.folder)
    assert isinstance(loaded, abcnn.Matcher)
    np.testing.assert_array_equal(loaded.predict(PAIRS).scores, task.matcher.predict(PAIRS).scores)
    with pytest.raises(BundleError):
        abcnn.load(Path(task.folder) / "nowhere")
