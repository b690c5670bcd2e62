"""Attention word by word, each step knowing what was read before (Rocktaeschel et al. 2016)."""

from __future__ import annotations

import keras
from keras import ops

from abcnn.layers._arguments import one_of, positive_integer, rank
from abcnn.layers.attention_map import AttentionMap
from abcnn.layers.attention_matrix import AttentionMatrix
from abcnn.layers.hard_attention import gumbel_noise, one_hot_of_highest, straight_through
from abcnn.layers.local_attention import predicted_positions
from abcnn.layers.masked_softmax import masked_softmax

ATTENTIONS = ("soft", "local-monotonic", "local-predictive", "hard")


@keras.saving.register_keras_serializable(package="abcnn")
class WordByWordAttention(keras.layers.Layer):
    """Reads one sentence at every unit of another, and carries what it has read.

    `q_t = W_h h_t + W_r r_{t-1}`, `a_t = attention_s(score(q_t, y_s))`,
    `r_t = sum_s a_ts y_s + tanh(W_t r_{t-1})`, `r_0 = 0`; the result is the last r. With the score
    "additive", that is the paper's but for a matrix before `q_t`, which W_h and W_r may absorb.

    Args:
        match_score: the score, one of `abcnn.layers.match_scores`.
        attention: "soft", the softmax over all s; "local-monotonic" and "local-predictive", over a
            window, see `LocalAttention`, `p_t` predicted from `h_t`; "hard", one s, in training a
            sample with the straight-through Gumbel-softmax, else the arg max, see `HardAttention`.
        window: units on each side of `p_t`, for the local ones.
        seed: of the samples.
        return_attention: whether the attention is returned too.
        regularizer: Keras regulariser of all weights.

    Call: `(query, value, query_mask=None, value_mask=None, training=None)` with
    `(batch, query_length, query_dim)`, `(batch, value_length, dim)` and boolean `(batch, length)`
    -> `(batch, dim)`, or with `return_attention` `(result, attention)`, attention
    `(batch, query_length, value_length)`. Weights: query kernel `(query_dim, dim)`, recurrent and
    transfer kernel `(dim, dim)`, those of the match score, and for "local-predictive" position
    kernel `(query_dim, query_dim)` and vector `(query_dim,)`.

    Masking: a padded unit of the query leaves r as it was, and its row of the attention is 0;
    padding of the value is never read. No real query gives 0. The result has no mask.
    Precision: float32 under every policy.

    Raises:
        ValueError: unknown `match_score` or `attention`; `window` below 1; inputs that are not of
            three axes.

    Source: Rocktaeschel et al. 2016, section 2.4, equations 11 to 14; the attentions: Luong et al.
    2015, section 3; Xu et al. 2015, section 4.1.
    """

    def __init__(
        self,
        match_score: str = "additive",
        attention: str = "soft",
        window: int = 3,
        seed: int | None = None,
        return_attention: bool = False,
        regularizer=None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.match_score = match_score
        self.attention = one_of("attention", attention, ATTENTIONS)
        self.window = positive_integer("window", window)
        self.seed = seed
        self.return_attention = return_attention
        self.regularizer = keras.regularizers.get(regularizer)
        self.supports_masking = True
        self.scores = AttentionMatrix(match_score, regularizer, dtype="float32")
        self.seed_generator = keras.random.SeedGenerator(seed)

    def build(self, query_shape, value_shape):
        query_dim, dim = query_shape[-1], value_shape[-1]
        self.query_kernel = self._weight("query_kernel", (query_dim, dim))
        self.recurrent_kernel = self._weight("recurrent_kernel", (dim, dim))
        self.transfer_kernel = self._weight("transfer_kernel", (dim, dim))
        if self.attention == "local-predictive":
            self.position_kernel = self._weight("position_kernel", (query_dim, query_dim))
            self.position_vector = self._weight("position_vector", (query_dim,))
        self.scores.build((query_shape[0], 1, dim), value_shape)

    def _weight(self, name: str, shape: tuple[int, ...]):
        return self.add_weight(
            name=name,
            shape=shape,
            initializer="glorot_uniform",
            regularizer=self.regularizer,
            autocast=False,
        )

    def call(self, query, value, query_mask=None, value_mask=None, training=None):
        read, attention = self._read(query, value, query_mask, value_mask, training)
        read = ops.cast(read, self.compute_dtype)
        if self.return_attention:
            return read, ops.cast(attention, self.compute_dtype)
        return read

    def attentions(
        self, query, value, query_mask=None, value_mask=None, training=None
    ) -> tuple[AttentionMap, ...]:
        """The attention that `call` uses, under the layer's name."""
        _, attention = self._read(query, value, query_mask, value_mask, training)
        return (AttentionMap(self.name, attention, rows="own", columns="other"),)

    def _read(self, query, value, query_mask, value_mask, training):
        self.compute_output_shape(query.shape, value.shape)  # refuses wrong shapes
        query, value = ops.cast(query, "float32"), ops.cast(value, "float32")
        query_mask = _mask_of(query, query_mask)
        value_mask = _mask_of(value, value_mask)
        value = ops.where(value_mask[..., None], value, 0.0)
        query = ops.where(query_mask[..., None], query, 0.0)
        tables = self._tables(query, query_mask, value_mask, training)
        projected, real = ops.matmul(query, self.query_kernel), ops.cast(query_mask, "float32")
        # In one array: Keras's scan on TensorFlow takes several only of a known length.
        steps = ops.concatenate([projected, real[..., None], *tables], axis=2)
        recurrent, transfer = map(
            ops.convert_to_tensor, (self.recurrent_kernel, self.transfer_kernel)
        )
        score = self._score_with(value)
        dim, value_length = value.shape[2], ops.shape(value)[1]

        def step(carried, now):
            read, _ = carried
            asked = now[:, :dim] + ops.matmul(read, recurrent)
            rows = ops.reshape(now[:, dim + 1 :], (-1, len(tables), value_length))
            attention = self._attend(score(asked), rows, training)
            new = ops.sum(attention[..., None] * value, axis=1)
            new = new + ops.tanh(ops.matmul(read, transfer))
            read = ops.where(now[:, dim : dim + 1] > 0, new, read)
            return (read, attention), (read, attention)

        first = (ops.zeros_like(value[:, 0]), ops.zeros_like(value[:, :, 0]))
        (read, _), (_, attention) = ops.scan(step, first, ops.swapaxes(steps, 0, 1))
        return read, ops.swapaxes(attention, 0, 1)

    def _score_with(self, value):
        """A function from what is asked, `(batch, dim)`, to its scores `(batch, value_length)`."""
        if self.match_score != "additive":
            return lambda asked: self.scores(asked[:, None], value)[:, 0]
        first, second, vector = map(ops.convert_to_tensor, self.scores.match_weights)
        keys = ops.matmul(value, second)  # once, not at every step
        return lambda asked: ops.matmul(ops.tanh(ops.matmul(asked, first)[:, None] + keys), vector)

    def _tables(self, query, query_mask, value_mask, training):
        """What is known before the first step, each `(batch, query_length, value_length)`.

        First 1 where a unit may be read, then the Gaussian of "local-predictive", or the noise.
        """
        allowed = ops.logical_and(query_mask[:, :, None], value_mask[:, None, :])
        if self.attention == "soft" or (self.attention == "hard" and not training):
            return [ops.cast(allowed, "float32")]
        if self.attention == "hard":
            noise = gumbel_noise(ops.shape(allowed), self.seed_generator)
            return [ops.cast(allowed, "float32"), noise]
        units = ops.cast(ops.arange(ops.shape(allowed)[2]), "float32")[None, None, :]
        if self.attention == "local-monotonic":
            centres = ops.cast(ops.arange(ops.shape(allowed)[1]), "float32")[None, :, None]
        else:
            length = ops.sum(ops.cast(value_mask, "float32"), axis=1)[:, None]
            weights = (self.position_kernel, self.position_vector)
            centres = predicted_positions(query, length, *weights)[:, :, None]
        near = ops.logical_and(allowed, ops.abs(units - centres) <= self.window)
        tables = [ops.cast(near, "float32")]
        if self.attention == "local-predictive":
            tables.append(ops.exp(-((units - centres) ** 2) / (2 * (self.window / 2) ** 2)))
        return tables

    def _attend(self, scores, rows, training):
        """The attention of one step, `(batch, value_length)`."""
        allowed = rows[:, 0] > 0
        soft = masked_softmax(scores, allowed)
        if self.attention == "local-predictive":
            return soft * rows[:, 1]
        if self.attention != "hard":
            return soft
        if not training:
            return straight_through(one_hot_of_highest(scores, allowed), soft)
        noisy = scores + rows[:, 1]
        sample = one_hot_of_highest(noisy, allowed)
        return straight_through(sample, masked_softmax(noisy, allowed))

    def compute_mask(self, query, *_masks):
        return None

    def compute_output_shape(self, query_shape, value_shape):
        rank("WordByWordAttention", "query", query_shape, 3)
        rank("WordByWordAttention", "value", value_shape, 3)
        result = (value_shape[0], value_shape[2])
        attention = (*query_shape[:2], value_shape[1])
        return (result, attention) if self.return_attention else result

    def get_config(self):
        return {
            **super().get_config(),
            "match_score": self.match_score,
            "attention": self.attention,
            "window": self.window,
            "seed": self.seed,
            "return_attention": self.return_attention,
            "regularizer": keras.regularizers.serialize(self.regularizer),
        }


def _mask_of(units, mask):
    if mask is None:
        return ops.ones(ops.shape(units)[:2], "bool")
    return ops.cast(mask, "bool")
