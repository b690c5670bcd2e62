"""Hard attention: one position each (Xu et al. 2015, section 4.1)."""

from __future__ import annotations

import keras
from keras import ops

from abcnn.layers._arguments import one_of
from abcnn.layers.cross_attention import CrossAttention
from abcnn.layers.masked_softmax import masked_softmax

ESTIMATORS = ("reinforce", "gumbel")
PREDICTIONS = ("argmax", "expectation")


def one_hot_of_highest(scores, mask=None):
    """1 at the highest real entry along the last axis, the first of equal ones, 0 elsewhere.

    A row without a real entry is 0. The shapes are those of `masked_softmax`; no gradient.
    """
    if mask is not None:
        mask = ops.broadcast_to(mask, ops.shape(scores))
        scores = ops.where(mask, scores, -1e9)
    highest = ops.cast(ops.argmax(scores, axis=-1), "int32")[..., None]
    chosen = ops.equal(ops.arange(ops.shape(scores)[-1], dtype="int32"), highest)
    return ops.cast(chosen if mask is None else ops.logical_and(chosen, mask), "float32")


def gumbel_noise(shape, seed):
    """Standard Gumbel numbers: the highest of `scores + noise` is a sample of their softmax."""
    uniform = keras.random.uniform(shape, minval=1e-20, maxval=1.0, dtype="float32", seed=seed)
    return -ops.log(-ops.log(uniform))


def _log(probabilities):
    """The logarithm, and 0 for a probability of 0, with a finite gradient there."""
    return ops.log(ops.where(probabilities > 0, probabilities, 1.0))


@keras.saving.register_keras_serializable(package="abcnn")
class HardAttention(CrossAttention):
    """Each unit of one sentence reads one unit of another.

    With `p_t = softmax_s score(q_t, v_s)`, training samples a position a unit from `p_t`. The
    gradient that a sample has not is estimated: "gumbel" lets it pass to
    `softmax((score + noise) / temperature)`, straight through; "reinforce" needs the value of the
    loss, so compile the model with `abcnn.layers.reinforce(loss, layer)`; without it the scores
    learn nothing.

    Args:
        match_score: the score, one of `abcnn.layers.match_scores`.
        estimator: "reinforce" or "gumbel".
        prediction: outside training, "argmax" of `p_t`, or its "expectation", which is soft
            attention. The value of "argmax" is one position's; its gradient is that of `p_t`.
        temperature: of "gumbel"; lower is nearer to the sample, with a gradient that varies more.
        seed: of the samples.
        return_attention: whether the attention is returned too.
        regularizer: Keras regulariser of the match score's weights.

    Call: `(query, value, query_mask=None, value_mask=None, training=None)` with
    `(batch, query_length, query_dim)`, `(batch, value_length, dim)` and boolean `(batch, length)`
    -> context `(batch, query_length, dim)`, or with `return_attention` `(context, attention)`,
    attention `(batch, query_length, value_length)`.

    After a call in training with "reinforce", `log_probability` and `entropy` `(batch,)` are those
    of its sample, summed over the query's units; otherwise they are None. So a layer serves one
    call in a model; both directions take two layers.

    Masking: padding is never chosen. The row of a padded query, or of a sentence without real
    units, is 0, and so is its context. The context has the query's mask.
    Precision: float32 under every policy.

    Raises:
        ValueError: unknown `match_score`, `estimator` or `prediction`; `temperature` not above 0;
            inputs that are not of three axes; sizes that differ where the score needs one size.

    Source: Xu et al. 2015, section 4.1; straight-through Gumbel-softmax: Jang et al. 2017, section
    2.2.
    """

    def __init__(
        self,
        match_score: str = "dot",
        estimator: str = "reinforce",
        prediction: str = "argmax",
        temperature: float = 1.0,
        seed: int | None = None,
        return_attention: bool = False,
        regularizer=None,
        **kwargs,
    ):
        super().__init__(match_score, return_attention, regularizer, **kwargs)
        self.estimator = one_of("estimator", estimator, ESTIMATORS)
        self.prediction = one_of("prediction", prediction, PREDICTIONS)
        if not temperature > 0:
            raise ValueError(f"`temperature` must be above 0. Received: {temperature!r}")
        self.temperature = temperature
        self.seed = seed
        self.seed_generator = keras.random.SeedGenerator(seed)
        self.log_probability = self.entropy = None

    def build(self, query_shape, value_shape):
        super().build(query_shape, value_shape)
        # The moving average of the reward, kept here to be saved with the model.
        self.baseline = self.add_weight(
            name="baseline", shape=(), initializer="zeros", trainable=False, autocast=False
        )

    def attend(self, query, scores, mask, value_mask, training):
        self.log_probability = self.entropy = None
        soft = masked_softmax(scores, mask)
        if not training:
            if self.prediction == "expectation":
                return soft
            return straight_through(one_hot_of_highest(scores, mask), soft)
        noisy = scores + gumbel_noise(ops.shape(scores), self.seed_generator)
        sample = one_hot_of_highest(noisy, mask)
        if self.estimator == "gumbel":
            return straight_through(sample, masked_softmax(noisy / self.temperature, mask))
        log = _log(soft)
        self.log_probability = ops.sum(sample * log, axis=(1, 2))
        self.entropy = -ops.sum(soft * log, axis=(1, 2))
        return sample

    def get_config(self):
        return {
            **super().get_config(),
            "estimator": self.estimator,
            "prediction": self.prediction,
            "temperature": self.temperature,
            "seed": self.seed,
        }


def straight_through(value, slope):
    """`value`, with the gradient of `slope`."""
    return value + (slope - ops.stop_gradient(slope))
