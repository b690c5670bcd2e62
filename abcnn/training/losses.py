"""Losses over the logits of a batch.

Targets are float32 `(batch, 2)`: the number of the label, or the grade as a share of the way from
the lowest to the highest; and the number of the group (question)
within the batch, from 0, which the losses that compare candidates need; with a teacher more
columns follow, its probabilities or its grade as such a share. Logits are float32
`(batch, outputs)`. Every loss gives one value a pair, float32 `(batch,)`, so that pairs can be
weighted.
"""

from __future__ import annotations

from collections.abc import Callable

import keras
from keras import ops

from abcnn.models import TargetLikelihood


def pointwise(targets, logits):
    """The negative log-likelihood of each pair's label: logistic for one logit, else softmax."""
    labels = targets[:, 0]
    if logits.shape[-1] == 1:
        return keras.losses.binary_crossentropy(labels[:, None], logits, from_logits=True)
    return keras.losses.sparse_categorical_crossentropy(labels, logits, from_logits=True)


def pairwise(targets, logits):
    """`ln(1 + exp(wrong - right))`, averaged over the wrong candidates of a right one's question.

    The logistic pairwise loss of RankNet (Burges et al. 2005, equation 3). A wrong candidate, and a
    question without wrong candidates, has the loss 0. Time and memory grow with the square of the
    batch.
    """
    labels, groups, logits = _candidates(targets, logits)
    same = ops.cast(ops.equal(groups[:, None], groups[None, :]), "float32")
    rivals = same * (1.0 - labels)[None, :]
    margins = ops.softplus(logits[None, :] - logits[:, None])
    mean = ops.sum(rivals * margins, axis=1) / ops.maximum(ops.sum(rivals, axis=1), 1.0)
    return labels * mean


def listwise(targets, logits):
    """`-ln softmax` of a right candidate among its question's, shared by the right ones.

    The top-one listwise loss of ListNet (Cao et al. 2007, section 4.2) with equal shares for the
    right candidates. A wrong candidate has the loss 0. Time and memory grow with the batch, however
    many candidates a question has.
    """
    labels, groups, logits = _candidates(targets, logits)
    count = ops.shape(logits)[0]

    def of_group(values):
        return ops.take(ops.segment_sum(values, groups, num_segments=count), groups)

    # The largest logit is taken off before the exponential, and cancels out of the gradient.
    largest = ops.segment_max(ops.stop_gradient(logits), groups, num_segments=count)
    shifted = logits - ops.take(largest, groups)
    normaliser = ops.log(of_group(ops.exp(shifted)))
    return labels * (normaliser - shifted) / ops.maximum(of_group(labels), 1.0)


def hard_negative(targets, logits):
    """`ln(1 + exp(wrong - right))` for the wrong candidate of the question with the largest logit.

    `pairwise` with the hardest negative alone; equally hard ones share the gradient. A wrong
    candidate, and a question without wrong candidates, has the loss 0. Time and memory grow with
    the batch.

    Source: the hinge loss of Faghri et al. 2018 (VSE++), equation 6, with the logistic function.
    """
    labels, groups, logits = _candidates(targets, logits)
    count = ops.shape(logits)[0]
    wrong = 1.0 - labels
    # Right candidates are far below; their group has a largest one even so, which counts nothing.
    values = ops.stop_gradient(ops.where(wrong > 0, logits, -1e30))
    largest = ops.take(ops.segment_max(values, groups, num_segments=count), groups)
    hardest = wrong * ops.cast(ops.equal(values, largest), "float32")

    def of_group(weighed):
        return ops.take(ops.segment_sum(weighed, groups, num_segments=count), groups)

    number = of_group(hardest)
    margins = of_group(hardest * logits) / ops.maximum(number, 1.0) - logits
    return labels * ops.cast(number > 0, "float32") * ops.softplus(margins)


def mse(targets, logits):
    """12 times the squared difference between the grade and the logistic function of the one logit.

    Both are shares of the range of grades, so the loss does not depend on the range's width, and no
    score lies outside it. Grades spread evenly have a variance of 1/12: the mean as a constant
    score has a loss of about 1, against which a given L2 regularisation weighs as with other
    losses.
    """
    return 12.0 * ops.square(ops.sigmoid(logits[:, 0]) - targets[:, 0])


def distribution(targets, logits):
    """The Kullback-Leibler divergence of the softmax of the logits, one a whole grade, from the
    distribution over the two grades next to the true one whose mean it is.

    Source: Tai et al. 2015, section 4.2, equation 15, and the sparse target distribution above it.
    """
    last = logits.shape[-1] - 1
    grades = ops.arange(last + 1, dtype="float32")
    target = ops.relu(1.0 - ops.abs(grades[None, :] - last * targets[:, :1]))
    entropy = -ops.sum(target * ops.log(ops.maximum(target, 1e-7)), axis=1)
    return -ops.sum(target * ops.log_softmax(logits, axis=1), axis=1) - entropy


def _candidates(targets, logits):
    """Labels float32, groups int32 and logits float32, each `(batch,)`."""
    return targets[:, 0], ops.cast(targets[:, 1], "int32"), ops.cast(logits[:, 0], "float32")


def with_likelihood(loss: Callable, layer: TargetLikelihood, positive: int) -> Callable:
    """A loss, and for pairs of the label `positive` minus their `layer.log_likelihood`."""

    def both(targets, logits):
        values = loss(targets, logits)
        if layer.log_likelihood is None:  # not in training
            return values
        return values - ops.where(targets[:, 0] == positive, layer.log_likelihood, 0.0)

    return both


def with_teacher(loss: Callable, weight: float) -> Callable:
    """`weight` times the loss against the teacher, and `1 - weight` times that against the labels.

    Against the teacher `pointwise` is the cross-entropy with its probabilities, at the temperature
    1; the losses of grades take its grade for the true one.

    Source: Hinton et al. 2015, section 2.
    """
    soft = _soft_pointwise if loss is pointwise else loss

    def both(targets, logits):
        return weight * soft(targets[:, 2:], logits) + (1.0 - weight) * loss(targets, logits)

    return both


def _soft_pointwise(probabilities, logits):
    """Cross-entropy with probabilities `(batch, outputs)`."""
    if logits.shape[-1] == 1:
        return keras.losses.binary_crossentropy(probabilities, logits, from_logits=True)
    return keras.losses.categorical_crossentropy(probabilities, logits, from_logits=True)


LOSSES: dict[str, Callable] = {
    "pointwise": pointwise,
    "pairwise": pairwise,
    "listwise": listwise,
    "hard-negative": hard_negative,
    "mse": mse,
    "distribution": distribution,
}
