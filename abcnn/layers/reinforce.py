"""The REINFORCE estimate of hard attention's gradient (Xu et al. 2015, section 4.1)."""

from __future__ import annotations

from collections.abc import Callable

from keras import ops

from abcnn.layers.hard_attention import HardAttention


def reinforce(
    loss: Callable,
    layer: HardAttention,
    *,
    weight: float = 1.0,
    entropy_weight: float = 0.0,
    decay: float = 0.9,
) -> Callable:
    """A loss from which the scores of a `HardAttention(estimator="reinforce")` learn.

    Its value is that of `loss`. Its gradient is that of the Monte Carlo estimate of the lower bound
    `sum_s p(s) log p(y | s)` with one sample a pair,

        d log p(y|s)/dW + weight (log p(y|s) - b) d log p(s)/dW + entropy_weight d H(s)/dW

    (with a minus sign), where the reward `log p(y | s)` is minus the pair's loss, and the baseline
    `b = decay b + (1 - decay) mean reward` is a moving average over batches. Outside training it is
    `loss` itself.

    loss: `(targets, outputs)` -> `(batch,)`, a value a pair, such as
    `keras.losses.binary_crossentropy` or one of `abcnn.training.losses`. A loss that compares the
    pairs of a batch rewards each for its own value alone. A model compiled with it is saved as any
    other; load it with `compile=False`.

    Source: Xu et al. 2015, equations 10 to 12 and the gradient below them; without their second
    trick, which sets half of the samples to the expectation.
    """

    def with_estimate(targets, outputs):
        values = loss(targets, outputs)
        if layer.log_probability is None:
            return values
        reward = -ops.stop_gradient(ops.cast(values, "float32"))
        baseline = ops.convert_to_tensor(layer.baseline)
        signal = weight * (reward - baseline) * layer.log_probability
        signal = signal + entropy_weight * layer.entropy
        layer.baseline.assign(decay * baseline + (1.0 - decay) * ops.mean(reward))
        return values - (signal - ops.stop_gradient(signal))

    return with_estimate
