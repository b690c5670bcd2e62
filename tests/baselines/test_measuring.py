"""Baselines on a few pairs whose measures can be told by hand, and on the samples."""

from __future__ import annotations

import numpy as np
import pytest

from abcnn.baselines import BASELINES, baseline_files, measure_baselines
from abcnn.baselines.vectors import mean_vectors
from abcnn.pairs import Pair, PairBatch
from abcnn.tasks import TASKS
from abcnn.text.batches import Ragged
from abcnn.training.options import TrainingOptions
from tests.trained import SAMPLES

SMALL = TrainingOptions(dim=8)


def batch(*rows: tuple[str, str, str, str]) -> PairBatch:
    return PairBatch.of([Pair(left, right, label, group) for left, right, label, group in rows])


QUESTIONS = batch(
    ("who built bridges", "romans built bridges here", "1", "q1"),
    ("who built bridges", "bridges are long", "0", "q1"),
    ("who built bridges", "cats", "0", "q1"),
    ("what do cats eat", "dogs bark", "0", "q2"),
    ("what do cats eat", "birds", "1", "q2"),
)


def test_rankings_told_by_hand():
    found = measure_baselines(
        TASKS["answer-selection"], QUESTIONS, {"dev": QUESTIONS}, options=SMALL
    )
    assert list(found) == [baseline.name for baseline in BASELINES]
    # In random order the right one of three has 1, 1/2 or 1/3, that of two 1 or 1/2.
    assert found["constant"]["dev"]["map"] == pytest.approx((11 / 18 + 3 / 4) / 2)
    # q1: two words against one and none; q2: nothing shared, a tie.
    assert found["word_count"]["dev"]["map"] == pytest.approx((1 + 3 / 4) / 2)
    assert found["weighted_word_count"]["dev"]["mrr"] == pytest.approx((1 + 3 / 4) / 2)
    assert 0 < found["lexical"]["dev"]["p_at_1"] <= 1
    assert found["lexical"]["dev"]["questions"] == 2


def test_the_most_frequent_label_is_that_of_the_training_pairs():
    train = batch(*[("a b", "a c", "no", "")] * 3, ("a", "b d", "yes", ""))
    dev = batch(("a", "b c", "yes", ""), ("c d", "d", "yes", ""), ("b", "a c", "no", ""))
    found = measure_baselines(
        TASKS["paraphrase"], train, {"dev": dev, "test": train}, options=SMALL
    )
    assert found["constant"]["dev"]["accuracy"] == pytest.approx(1 / 3)
    assert found["constant"]["test"]["accuracy"] == 3 / 4
    assert found["constant"]["dev"]["f1"] == 0


def test_grades_told_by_hand():
    train = batch(
        ("cats purr", "cats purr", "5", ""),
        ("cats run", "dogs bark", "1", ""),
        ("cats purr", "cats bark", "3", ""),
    )
    found = measure_baselines(TASKS["similarity"], train, {"dev": train}, options=SMALL)
    # The mean grade, 3, of all: squared errors of 4, 4 and 0.
    assert found["constant"]["dev"] == {
        "pearson": 0,
        "spearman": 0,
        "mse": pytest.approx(8 / 3),
        "pairs": 3,
    }
    # Two words shared, none, one: the grades lie on a line.
    assert found["word_count"]["dev"]["pearson"] == pytest.approx(1)
    assert found["word_count"]["dev"]["mse"] < 8 / 3


def test_a_mean_vector_is_of_the_known_words():
    vectors = np.array([[0, 0], [9, 9], [2, 0], [0, 4]], np.float32)  # PAD, OOV, two words
    sentences = Ragged(np.array([2, 3, 1, 2, 1]), np.array([0, 3, 4, 4, 5]))
    np.testing.assert_array_equal(
        mean_vectors(sentences, vectors), [[1, 2], [2, 0], [0, 0], [0, 0]]
    )


# The sample's paraphrases are made so that shared words do not tell them.
@pytest.mark.parametrize("task", ["answer-selection", "entailment", "similarity"])
def test_on_the_samples_what_looks_at_the_text_beats_the_constant(task):
    folder = SAMPLES / task
    found = baseline_files(
        TASKS[task],
        train_file=str(folder / "train.tsv"),
        test_file=str(folder / "test.tsv"),
        options=SMALL,
    )
    measure = TASKS[task].measure
    assert set(found["lexical"]) == {"dev", "test"}
    assert found["lexical"]["test"][measure] > found["constant"]["test"][measure]
    again = baseline_files(TASKS[task], train_file=str(folder / "train.tsv"), options=SMALL)
    assert again["lexical"]["dev"] == found["lexical"]["dev"]
