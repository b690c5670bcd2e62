"""Classification measures by hand and against scikit-learn; the threshold against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix, precision_recall_fscore_support

from abcnn.errors import InputError
from abcnn.evaluation.classification import best_threshold, classification_measures

THREE = ("NEUTRAL", "ENTAILMENT", "CONTRADICTION")
LABELS = st.integers(0, 2)


def test_by_hand():
    # 3 true positives, 1 false positive, 2 false negatives, 4 true negatives.
    true = [1] * 3 + [0] + [1] * 2 + [0] * 4
    predicted = [1] * 3 + [1] + [0] * 2 + [0] * 4
    measures = classification_measures(true, predicted, ["no", "yes"])
    assert measures.to_dict() == {
        "accuracy": 0.7,
        "macro_f1": pytest.approx((8 / 11 + 6 / 9) / 2),
        "positive_label": "yes",
        "precision": 3 / 4,
        "recall": 3 / 5,
        "f1": pytest.approx(6 / 9),
        "pairs": 10,
        "labels": {
            "no": {
                "precision": pytest.approx(4 / 6),
                "recall": 4 / 5,
                "f1": pytest.approx(8 / 11),
                "pairs": 5,
                "predicted": 6,
            },
            "yes": {
                "precision": 3 / 4,
                "recall": 3 / 5,
                "f1": pytest.approx(6 / 9),
                "pairs": 5,
                "predicted": 4,
            },
        },
        "confusion": [[4, 1], [2, 3]],
    }
    assert measures.positive_f1 == pytest.approx(6 / 9)


def test_three_labels_have_no_positive_one():
    measures = classification_measures([0, 1, 2], [0, 2, 2], THREE)
    assert measures.positive_f1 is None
    assert "f1" not in measures.to_dict()
    assert measures.confusion == ((1, 0, 0), (0, 0, 1), (0, 0, 1))


@given(st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=30))
def test_as_scikit_learn(pairs):
    true, predicted = zip(*pairs, strict=True)
    measures = classification_measures(true, predicted, THREE)
    by_label = precision_recall_fscore_support(true, predicted, labels=[0, 1, 2], zero_division=0)
    assert measures.precision == pytest.approx(by_label[0])
    assert measures.recall == pytest.approx(by_label[1])
    assert measures.f1 == pytest.approx(by_label[2])
    # Without `labels`, scikit-learn averages over the labels that occur, true or predicted.
    macro = precision_recall_fscore_support(true, predicted, average="macro", zero_division=0)
    assert measures.macro_f1 == pytest.approx(macro[2])
    confusion = confusion_matrix(true, predicted, labels=[0, 1, 2])
    assert measures.confusion == tuple(map(tuple, confusion.tolist()))


@pytest.mark.parametrize(
    ("true", "predicted", "message"),
    [
        ([0, 1], [0, 3], "`predicted`, row 2: expected the place of one of 3 labels, 0 to 2. Rec"),
        ([-1, 1], [0, 0], "`true`, row 1: .* Received: -1"),
        ([0.5, 1], [0, 0], "`true`, row 1: .* Received: 0.5"),
        ([0, 1], [0], "Received: true 2, predicted 1"),
        ([], [], "expected at least one pair"),
    ],
)
def test_bad_labels(true, predicted, message):
    with pytest.raises(InputError, match=message):
        classification_measures(true, predicted, THREE)


def test_threshold_by_hand():
    # Accuracy: 0.4 and above positive, one error. F1: one error there too, but 0.2 and above has
    # 3 right of 4 positive and all of them found, 6/7; 0.4 and above 2 of 2, one missed, 4/5.
    probabilities, positive = [0.1, 0.2, 0.3, 0.4, 0.9], [False, True, False, True, True]
    assert best_threshold(probabilities, positive) == pytest.approx(0.35)
    assert best_threshold(probabilities, positive, "f1") == pytest.approx(0.15)


def quality(probabilities, positive, threshold, measure):
    said = np.asarray(probabilities) >= threshold
    measures = classification_measures(np.asarray(positive, int), said.astype(int), ["0", "1"])
    return measures.accuracy if measure == "accuracy" else measures.f1[1]


@given(
    st.lists(st.tuples(st.integers(1, 9), st.booleans()), min_size=1, max_size=12),
    st.sampled_from(["accuracy", "f1"]),
)
def test_no_threshold_is_better(pairs, measure):
    probabilities, positive = [place / 10 for place, _ in pairs], [truth for _, truth in pairs]
    found = best_threshold(probabilities, positive, measure)
    # One threshold a decision that can be made at all.
    every = [quality(probabilities, positive, place / 10 + 0.05, measure) for place in range(10)]
    assert quality(probabilities, positive, found, measure) == max(every)


def test_middle_of_neighbouring_floats_still_divides_them():
    upper = 0.3
    lower = np.nextafter(upper, 0)
    for low, high in ((lower, upper), (np.nextafter(lower, 0), lower)):
        threshold = best_threshold([low, high], [False, True])
        assert low < threshold <= high


def test_of_equally_good_thresholds_the_nearest_to_one_half():
    assert best_threshold([0.2, 0.6, 0.9], [False, False, False]) == pytest.approx(0.95)
    assert best_threshold([0.1, 0.9], [False, True]) == 0.5
    # Both 0.25 and 0.75 make one error of two.
    assert best_threshold([0.5, 0.5], [True, False]) == 0.25


@pytest.mark.parametrize(
    ("probabilities", "measure", "message"),
    [
        ([0.1, 1.5], "f1", "`probabilities`, row 2: expected a number from 0 to 1. Received: 1.5"),
        ([np.nan, 0.5], "f1", "`probabilities`, row 1: expected a finite number. Received: nan"),
        ([0.1], "f1", "Received: probabilities 1, positive 2"),
        ([0.1, 0.2], "recall", "`measure` must be one of accuracy, f1. Received: 'recall'"),
    ],
)
def test_bad_probabilities(probabilities, measure, message):
    with pytest.raises(InputError, match=message):
        best_threshold(probabilities, [True, False], measure)
