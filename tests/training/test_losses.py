"""The losses against values worked out by hand; their gradients."""

import math

import keras
import numpy as np
import pytest
from keras import ops

from abcnn.training.losses import (
    LOSSES,
    distribution,
    hard_negative,
    listwise,
    mse,
    pairwise,
    pointwise,
    with_teacher,
)
from abcnn.training.options import RANKING_LOSSES
from tests.contracts import gradients

pytestmark = pytest.mark.backend


def values(loss, labels: list[int], logits: list, groups: list[int] | None = None) -> np.ndarray:
    """The loss of every pair, from the arguments as the training loop gives them."""
    targets = np.stack([labels, groups or [0] * len(labels)], axis=1).astype(np.float32)
    logits = np.array(logits, np.float32).reshape(len(labels), -1)
    result = loss(ops.convert_to_tensor(targets), ops.convert_to_tensor(logits))
    return np.asarray(ops.convert_to_numpy(result))


def softplus(value: float) -> float:
    return math.log1p(math.exp(value))


def test_pointwise_of_one_logit_is_logistic():
    np.testing.assert_allclose(
        values(pointwise, [1, 0, 1, 0], [2, 2, -1, 0]),
        [softplus(-2), softplus(2), softplus(1), math.log(2)],
        rtol=1e-5,
    )


def test_pointwise_of_three_logits_is_softmax():
    logits = [[1, 2, 3], [0, 0, 0]]
    total = math.exp(1) + math.exp(2) + math.exp(3)
    np.testing.assert_allclose(
        values(pointwise, [1, 2], logits), [math.log(total) - 2, math.log(3)], rtol=1e-5
    )


# Two questions, their candidates mixed: the first has right logits 2 and 0, wrong 1 and -1;
# the second right 5, wrong 3.
LABELS, LOGITS, GROUPS = [1, 0, 1, 0, 0, 1], [2, 1, 0, 3, -1, 5], [3, 3, 3, 0, 3, 0]


def test_pairwise_averages_over_the_wrong_candidates_of_the_question():
    np.testing.assert_allclose(
        values(pairwise, LABELS, LOGITS, GROUPS),
        [
            (softplus(-1) + softplus(-3)) / 2,
            0,
            (softplus(1) + softplus(-1)) / 2,
            0,
            0,
            softplus(-2),
        ],
        rtol=1e-5,
    )


def test_hard_negative_is_of_the_wrong_candidate_that_seems_most_right():
    np.testing.assert_allclose(
        values(hard_negative, LABELS, LOGITS, GROUPS),
        [softplus(-1), 0, softplus(1), 0, 0, softplus(-2)],
        rtol=1e-5,
    )
    # Without wrong candidates; without right ones; two equally hard.
    sided = values(hard_negative, [1, 1, 0, 1, 0, 0], [3, 2, 1, 0, 2, 2], [0, 0, 1, 2, 2, 2])
    np.testing.assert_allclose(sided, [0, 0, 0, softplus(2), 0, 0], rtol=1e-5)


def test_listwise_shares_the_softmax_among_the_right_candidates():
    first = math.log(math.exp(2) + math.exp(1) + 1 + math.exp(-1))
    second = math.log(math.exp(5) + math.exp(3))
    np.testing.assert_allclose(
        values(listwise, LABELS, LOGITS, GROUPS),
        [(first - 2) / 2, 0, first / 2, 0, 0, second - 5],
        rtol=1e-5,
    )


# Groups 0: wrong candidates only; 1: right ones only; 2: a single right one.
ONE_SIDED = {"labels": [0, 0, 1, 1, 1], "logits": [3, -2, 1, -4, 2], "groups": [0, 0, 1, 1, 2]}


def test_pairwise_of_questions_without_right_or_wrong_candidates_is_zero():
    np.testing.assert_array_equal(values(pairwise, **ONE_SIDED), np.zeros(5))


def test_listwise_of_questions_without_right_candidates_is_zero():
    result = values(listwise, **ONE_SIDED)
    np.testing.assert_array_equal(result[:2], [0, 0])
    total = math.log(math.exp(1) + math.exp(-4))
    np.testing.assert_allclose(result[2:4], [(total - 1) / 2, (total + 4) / 2], rtol=1e-5)
    assert result[4] == pytest.approx(0, abs=1e-6)  # a single candidate is surely the first


class LossOf(keras.layers.Layer):
    """A loss as a layer with no weight of its own but a bias, so that `gradients` can run it."""

    def __init__(self, loss, targets):
        super().__init__()
        self.loss, self.targets = loss, targets

    def build(self, shape):
        self.bias = self.add_weight(shape=(1,), initializer="zeros")

    def call(self, logits):
        return self.loss(ops.convert_to_tensor(self.targets), logits + self.bias)


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("size", [1.0, 1e4])
def test_gradients_are_finite(name, size):
    """For questions with right or wrong candidates only, equal logits, and enormous ones."""
    logits = np.array([3, -2, 1, -4, 2, 1, 1, 0], np.float32)[:, None] * np.float32(size)
    labels, groups = [0, 0, 1, 1, 1, 0, 1, 0], [0, 0, 1, 1, 2, 3, 3, 3]
    targets = np.stack([labels, groups], axis=1).astype(np.float32)
    if name == "distribution":  # One logit a grade: of a single grade there is nothing to learn.
        logits = np.concatenate([logits, -logits], axis=1)
    layer = LossOf(LOSSES[name], targets)
    layer.build(logits.shape)
    by_input, by_weight = gradients(layer, {"logits": logits}, {})
    assert np.isfinite(by_input["logits"]).all()
    assert np.isfinite(by_weight[0]).all()
    assert by_input["logits"].any()
    if name in RANKING_LOSSES:
        np.testing.assert_allclose(by_input["logits"][[0, 1, 4]], 0, atol=1e-6)


def test_mse_is_12_squared_differences_of_shares_by_hand():
    sigmoid = [1 / (1 + math.exp(-logit)) for logit in (2, -1, 0)]
    np.testing.assert_allclose(
        values(mse, [1, 0, 0.5], [2, -1, 0]),
        [12 * (sigmoid[0] - 1) ** 2, 12 * sigmoid[1] ** 2, 0],
        rtol=1e-5,
    )


def test_distribution_is_the_divergence_from_the_two_nearest_grades():
    """Grades 1 to 5; 3.6 is .4 of 3 and .6 of 4 (Tai et al. 2015, section 4.2)."""
    logits = np.array([[0.3, -1, 2, 0.5, 1], [1, 2, 3, 4, 5], [0, 0, 0, 0, 0]])
    log_p = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    grades = np.array([3.6, 5, 1])
    expected = [
        0.4 * (math.log(0.4) - log_p[0, 2]) + 0.6 * (math.log(0.6) - log_p[0, 3]),
        -log_p[1, 4],
        -log_p[2, 0],
    ]
    found = values(distribution, ((grades - 1) / 4).tolist(), logits.tolist())
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_distribution_is_0_where_the_softmax_is_the_target():
    target = np.log([1e-30, 0.25, 0.75, 1e-30])
    assert values(distribution, [1.75 / 3], [target.tolist()])[0] == pytest.approx(0, abs=1e-5)


def taught(loss, weight: float, targets: list, logits: list) -> np.ndarray:
    both = with_teacher(loss, weight)
    result = both(*(ops.convert_to_tensor(np.array(one, np.float32)) for one in (targets, logits)))
    return np.asarray(ops.convert_to_numpy(result))


def test_a_teacher_of_one_logit_shares_the_logistic_loss():
    # Label 1, teacher 0.25, logit 2; the label weighs 0.75.
    soft = 0.25 * softplus(-2) + 0.75 * softplus(2)
    np.testing.assert_allclose(
        taught(pointwise, 0.25, [[1, 0, 0.25]], [[2]]),
        [0.25 * soft + 0.75 * softplus(-2)],
        rtol=1e-5,
    )


def test_a_teacher_of_three_logits_shares_the_softmax_loss():
    total = math.log(math.exp(1) + math.exp(2) + math.exp(3))
    soft = total - (0.5 * 1 + 0.2 * 2 + 0.3 * 3)
    np.testing.assert_allclose(
        taught(pointwise, 0.75, [[2, 0, 0.5, 0.2, 0.3]], [[1, 2, 3]]),
        [0.75 * soft + 0.25 * (total - 3)],
        rtol=1e-5,
    )


@pytest.mark.parametrize(("loss", "logits"), [(mse, [[0.3]]), (distribution, [[0.1, 0.9, -0.4]])])
def test_a_teachers_grade_is_a_second_target(loss, logits):
    label, teacher = (values(loss, [share], logits) for share in (0.75, 0.3))
    np.testing.assert_allclose(
        taught(loss, 0.4, [[0.75, 0, 0.3]], logits), 0.4 * teacher + 0.6 * label, rtol=1e-5
    )


@pytest.mark.parametrize("size", [1.0, 1e4])
def test_gradients_with_a_teacher_are_finite(size):
    logits = np.array([[3], [-2], [0]], np.float32) * np.float32(size)
    targets = np.array([[1, 0, 0], [0, 0, 1], [1, 1, 0.3]], np.float32)
    layer = LossOf(with_teacher(pointwise, 0.5), targets)
    layer.build(logits.shape)
    by_input, by_weight = gradients(layer, {"logits": logits}, {})
    assert np.isfinite(by_input["logits"]).all()
    assert np.isfinite(by_weight[0]).all()
    assert by_input["logits"].any()
