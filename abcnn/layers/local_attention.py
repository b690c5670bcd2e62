"""Local attention (Luong et al. 2015, section 3.2)."""

from __future__ import annotations

import keras
from keras import ops

from abcnn.layers._arguments import one_of, positive_integer
from abcnn.layers.cross_attention import CrossAttention
from abcnn.layers.masked_softmax import masked_softmax

ALIGNMENTS = ("monotonic", "predictive")


def predicted_positions(query, length, kernel, vector):
    """`p_t = S sigmoid(v' tanh(W h_t))`: where in the other sentence each unit looks.

    query `(batch, query_length, dim)`, length S float32, broadcasts to `(batch, 1)`, kernel
    `(dim, dim)`, vector `(dim,)` -> `(batch, query_length)`, in units from 0, in (0, S).
    """
    hidden = ops.tanh(ops.matmul(ops.cast(query, "float32"), kernel))
    return length * ops.sigmoid(ops.matmul(hidden, vector))


@keras.saving.register_keras_serializable(package="abcnn")
class LocalAttention(CrossAttention):
    """Each unit of one sentence reads a window of another, of `2 window + 1` units around `p_t`.

    "monotonic": `p_t = t`, and the attention is the softmax over the window. "predictive":
    `p_t = S sigmoid(v' tanh(W q_t))`, S the number of real units, and the softmax over the window
    is multiplied by `exp(-(s - p_t)^2 / (2 sigma^2))` with sigma = window / 2, so that `p_t` has a
    gradient. The whole matrix is computed and then cut: the window saves no time.

    Args:
        window: D, units on each side of `p_t`.
        alignment: "monotonic" or "predictive".
        match_score: the score, one of `abcnn.layers.match_scores`.
        return_attention: whether the attention is returned too.
        regularizer: Keras regulariser of all weights.

    Call: `(query, value, query_mask=None, value_mask=None)` with
    `(batch, query_length, query_dim)`, `(batch, value_length, dim)` and boolean `(batch, length)`
    -> context `(batch, query_length, dim)`, or with `return_attention` `(context, attention)`,
    attention `(batch, query_length, value_length)`. Positions count from 0.

    Masking: the attention is exactly 0 on padding, outside the window and in rows of padded
    queries. A row sums to 1 over the window's real units, "predictive" to at most 1, as in the
    paper; a window without real units (t > S + D) gives 0. The context has the query's mask.
    Precision: float32 under every policy.

    Raises:
        ValueError: `window` below 1; unknown `alignment` or `match_score`; inputs that are not of
            three axes; sizes that differ where the match score needs one size.

    Source: Luong et al. 2015, equations 7, 9 and 10.
    """

    def __init__(
        self,
        window: int,
        alignment: str = "monotonic",
        match_score: str = "dot",
        return_attention: bool = False,
        regularizer=None,
        **kwargs,
    ):
        super().__init__(match_score, return_attention, regularizer, **kwargs)
        self.window = positive_integer("window", window)
        self.alignment = one_of("alignment", alignment, ALIGNMENTS)

    def build(self, query_shape, value_shape):
        super().build(query_shape, value_shape)
        if self.alignment == "predictive":
            dim = query_shape[-1]
            self.kernel = self._position_weight("position_kernel", (dim, dim))
            self.vector = self._position_weight("position_vector", (dim,))

    def _position_weight(self, name: str, shape: tuple[int, ...]):
        return self.add_weight(
            name=name,
            shape=shape,
            initializer="glorot_uniform",
            regularizer=self.regularizer,
            autocast=False,
        )

    def attend(self, query, scores, mask, value_mask, training):
        query_length, value_length = ops.shape(scores)[1:]
        units = ops.cast(ops.arange(value_length), "float32")[None, None, :]
        if self.alignment == "monotonic":
            centres = ops.cast(ops.arange(query_length), "float32")[None, :, None]
        elif value_mask is None:
            centres = self._centres(query, ops.cast(value_length, "float32"))
        else:
            centres = self._centres(query, ops.sum(ops.cast(value_mask, "float32"), 1)[:, None])
        near = ops.abs(units - centres) <= self.window
        attention = masked_softmax(scores, near if mask is None else ops.logical_and(near, mask))
        if self.alignment == "predictive":
            sigma = self.window / 2
            attention = attention * ops.exp(-((units - centres) ** 2) / (2 * sigma**2))
        return attention

    def _centres(self, query, length):
        return predicted_positions(query, length, self.kernel, self.vector)[:, :, None]

    def get_config(self):
        return {**super().get_config(), "window": self.window, "alignment": self.alignment}
