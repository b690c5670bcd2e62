"""From logits to probabilities and labels."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from abcnn.readers import Grades
from abcnn.scoring.predictions import decide

finite = st.floats(-1000, 1000, width=32)


def test_one_logit_is_that_of_the_last_label():
    said = decide(np.array([[0], [math.log(3)], [-math.log(3)]], np.float32), ("no", "yes"), 0.5)
    np.testing.assert_allclose(
        said.probabilities, [[0.5, 0.5], [0.25, 0.75], [0.75, 0.25]], rtol=1e-6
    )
    np.testing.assert_allclose(said.scores, [0.5, 0.75, 0.25], rtol=1e-6)
    assert said.label_names == ["yes", "yes", "no"]


def test_a_label_is_decided_for_from_the_threshold_on():
    logits = np.array([[-1.0], [0.0], [1.0]], np.float32)
    probability = 1 / (1 + math.exp(-1))
    assert decide(logits, ("0", "1"), probability).labels.tolist() == [0, 0, 1]
    above = float(np.nextafter(probability, 1))
    assert decide(logits, ("0", "1"), above).labels.tolist() == [0, 0, 0]
    assert decide(logits, ("0", "1"), 0.2).labels.tolist() == [1, 1, 1]


def test_many_logits_are_one_a_label_and_the_score_is_the_decided_one():
    logits = np.log(np.array([[1, 2, 5], [6, 1, 1]], np.float32))
    said = decide(logits, ("c", "n", "e"), 0.99)
    np.testing.assert_allclose(
        said.probabilities, [[1 / 8, 2 / 8, 5 / 8], [6 / 8, 1 / 8, 1 / 8]], rtol=1e-5
    )
    assert said.label_names == ["e", "c"]
    np.testing.assert_allclose(said.scores, [5 / 8, 6 / 8], rtol=1e-5)


def test_the_score_of_two_labels_is_the_last_ones_with_two_logits_too():
    said = decide(np.log(np.array([[3, 1], [1, 4]], np.float32)), ("no", "yes"), 0.5)
    np.testing.assert_allclose(said.scores, [1 / 4, 4 / 5], rtol=1e-5)
    assert said.label_names == ["no", "yes"]


@settings(max_examples=50, deadline=None)
@given(arrays(np.float32, st.tuples(st.integers(0, 5), st.integers(1, 4)), elements=finite))
def test_probabilities_sum_to_one(logits):
    said = decide(logits, ("a", "b", "c", "d")[: max(2, logits.shape[1])], 0.5)
    assert len(said) == len(logits)
    assert said.probabilities.dtype == np.float64
    assert ((said.probabilities >= 0) & (said.probabilities <= 1)).all()
    np.testing.assert_allclose(said.probabilities.sum(axis=1), 1, rtol=1e-12)
    assert len(said.scores) == len(said.label_names) == len(logits)


@pytest.mark.parametrize("outputs", [1, 3])
def test_no_pairs(outputs):
    said = decide(np.zeros((0, outputs), np.float32), ("a", "b", "c")[: max(2, outputs)], 0.5)
    assert (len(said), said.label_names, said.scores.shape) == (0, [], (0,))


def test_one_logit_is_a_share_of_the_range_of_grades():
    said = decide(np.array([[0], [1.5], [-800], [800]], np.float32), Grades(1, 5), 0.5)
    assert said.scores == pytest.approx([3, 1 + 4 / (1 + math.exp(-1.5)), 1, 5])
    assert (said.names, said.label_names, said.probabilities.shape) == ((), [], (4, 0))
    np.testing.assert_array_equal(said.values, said.scores[:, None])


def test_more_logits_are_grades_and_the_score_their_mean():
    logits = np.log([[1, 2, 1], [1, 1, 6]]).astype(np.float32)
    said = decide(logits, Grades(-1, 1), 0.5)
    np.testing.assert_allclose(said.scores, [0, 5 / 8], atol=1e-6)
    nothing = decide(np.zeros((0, 3), np.float32), Grades(-1, 1), 0.5)
    assert (len(nothing), nothing.values.shape) == (0, (0, 1))
