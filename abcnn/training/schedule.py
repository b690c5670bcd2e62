"""The learning rate over the steps of a training."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil

import keras
from keras import ops

from abcnn.text.batches import EncodedPairs
from abcnn.training.batching import epoch_order
from abcnn.training.options import RANKING_LOSSES, TrainingOptions


@keras.saving.register_keras_serializable(package="abcnn")
class WarmUp(keras.optimizers.schedules.LearningRateSchedule):
    """A learning rate that rises in equal parts to `rate` in the first `steps` steps.

    Step k, from 0, of them has the rate `(k + 1) / steps * rate`; then come the rates of `after`,
    from its step 0 on, or `rate` for good without it.

    Source: Goyal et al. 2017, section 2.2, "Gradual warmup".
    """

    def __init__(
        self,
        rate: float,
        steps: int,
        after: keras.optimizers.schedules.LearningRateSchedule | None = None,
    ) -> None:
        self.rate = rate
        self.steps = steps
        self.after = after

    def __call__(self, step):
        step = ops.cast(step, "float32")
        rising = self.rate * (step + 1.0) / max(self.steps, 1)
        if self.after is None:
            return ops.minimum(rising, self.rate)
        after = self.after(ops.maximum(step - self.steps, 0.0))
        return ops.where(step < self.steps, rising, after)

    def get_config(self):
        after = self.after and keras.optimizers.schedules.serialize(self.after)
        return {"rate": self.rate, "steps": self.steps, "after": after}

    @classmethod
    def from_config(cls, config):
        after = config["after"] and keras.optimizers.schedules.deserialize(config["after"])
        return cls(config["rate"], config["steps"], after)


def learning_rate(
    options: TrainingOptions, count_steps: Callable[[], int]
) -> float | keras.optimizers.schedules.LearningRateSchedule:
    """The learning rate that `options` ask for: a number, or a function of the step from 0 on.

    `count_steps()` is how many steps are planned (`planned_steps`), asked only where it decides. In
    the share `options.warmup` of these, rounded up, the rate rises from 0 to
    `options.learning_rate`. From there on it stays ("constant"), or falls to 0, which the step
    after the last planned one would have: in equal parts ("linear"), or along half a cosine.

    Source of the cosine: Loshchilov and Hutter 2017, equation 5, without restarts.
    """
    assert options.learning_rate is not None
    rate = options.learning_rate
    if not options.scheduled:
        return rate
    steps = count_steps()
    warmup = ceil(options.warmup * steps)
    falling = max(steps - warmup, 1)
    after = {
        "constant": lambda: None,
        "linear": lambda: keras.optimizers.schedules.PolynomialDecay(
            rate, falling, end_learning_rate=0.0
        ),
        "cosine": lambda: keras.optimizers.schedules.CosineDecay(rate, falling),
    }[options.schedule]()
    return WarmUp(rate, warmup, after) if warmup or after is None else after


def planned_steps(pairs: EncodedPairs, options: TrainingOptions) -> int:
    """How many steps `options.epochs` epochs over the pairs have."""
    if options.loss not in RANKING_LOSSES:
        return options.epochs * len(epoch_order(pairs, options, 1))
    # Whole questions do not fill batches up alike in every order.
    return sum(len(epoch_order(pairs, options, n)) for n in range(1, options.epochs + 1))
