"""The decomposable attention model (Parikh et al. 2016)."""

from __future__ import annotations

from collections.abc import Callable

import keras
from keras import ops

from abcnn.layers import AttentionMap
from abcnn.layers._arguments import positive_integer, rank
from abcnn.layers.masked_softmax import context_of, masked_softmax, pair_mask
from abcnn.layers.match_scores import dot_match_score
from abcnn.models.comparison import Comparison


def decomposable(*, hidden_dim: int, regularizer=None) -> Callable[..., Comparison]:
    """Attend, compare, aggregate; the last, `H`, is a hidden layer of two before the output layer.

    Source: Parikh et al. 2016, section 3. Its dropout is left to the options of the network.
    """
    attend_compare = AttendCompare(hidden_dim, regularizer, name="attend_compare")
    join = keras.layers.Concatenate(name="both_sentences")
    aggregate = _hidden_layers("aggregate", hidden_dim, regularizer)

    def apply(left, right, left_mask, right_mask):
        joined = join(attend_compare(left, right, left_mask, right_mask))
        for layer in aggregate:
            joined = layer(joined)
        return Comparison(vectors=[joined])

    return apply


def _hidden_layers(name: str, hidden_dim: int, regularizer, **options):
    return [
        keras.layers.Dense(
            hidden_dim, "relu", kernel_regularizer=regularizer, name=f"{name}_{number}", **options
        )
        for number in (1, 2)
    ]


@keras.saving.register_keras_serializable(package="abcnn")
class AttendCompare(keras.layers.Layer):
    """Each unit is compared with what it attends to in the other sentence, then all are summed.

    After a projection of the units, with hidden layers F and G of two each:
    `e_ij = F(a_i) . F(b_j)`, `beta_i = sum_j softmax_j(e_ij) b_j`, `alpha_j` the same from the
    other side, `v_1 = sum_i G([a_i, beta_i])`, `v_2 = sum_j G([b_j, alpha_j])`.

    Args:
        hidden_dim: size of the projection and of every hidden layer.
        regularizer: Keras regulariser of the kernels.

    Call: `(left, right, left_mask=None, right_mask=None)` with `(batch, left_length, dim)`,
    `(batch, right_length, dim)` and boolean `(batch, length)` -> `(left_vector, right_vector)`,
    each `(batch, hidden_dim)`.

    Masking: padding changes nothing; a sentence without real units gives 0.
    Precision: softmax and sums are float32 under every policy.

    Raises:
        ValueError: `hidden_dim` below 1; inputs that are not of three axes.

    Source: Parikh et al. 2016, equations 1 to 4.
    """

    def __init__(self, hidden_dim: int, regularizer=None, **kwargs):
        super().__init__(**kwargs)
        self.hidden_dim = positive_integer("hidden_dim", hidden_dim)
        self.regularizer = keras.regularizers.get(regularizer)
        self.project = keras.layers.Dense(
            hidden_dim,
            use_bias=False,
            kernel_regularizer=self.regularizer,
            dtype=self.dtype_policy,
        )
        self.attend_layers, self.compare_layers = (
            _hidden_layers(name, hidden_dim, self.regularizer, dtype=self.dtype_policy)
            for name in ("attend", "compare")
        )

    def build(self, left_shape, right_shape):
        self.project.build(left_shape)
        for layers, dim in (
            (self.attend_layers, self.hidden_dim),
            (self.compare_layers, 2 * self.hidden_dim),
        ):
            for layer in layers:
                layer.build((None, None, dim))
                dim = self.hidden_dim

    def call(self, left, right, left_mask=None, right_mask=None):
        self.compute_output_shape(left.shape, right.shape)  # refuses wrong shapes
        left, right = self.project(left), self.project(right)
        of_left, of_right = self._attend(left, right, left_mask, right_mask)
        return (
            self._compare(left, right, of_left, left_mask, right_mask),
            self._compare(right, left, of_right, right_mask, left_mask),
        )

    def attentions(self, left, right, left_mask=None, right_mask=None) -> tuple[AttentionMap, ...]:
        """Each sentence's softmax over the other one: the weights of beta, then those of alpha."""
        left, right = self.project(left), self.project(right)
        of_left, of_right = self._attend(left, right, left_mask, right_mask)
        return (
            AttentionMap(self.name, of_left),
            AttentionMap(self.name, of_right, rows="right", columns="left"),
        )

    def _attend(self, left, right, left_mask, right_mask):
        scores = dot_match_score(
            _through(left, self.attend_layers), _through(right, self.attend_layers)
        )
        return (
            masked_softmax(scores, pair_mask(left_mask, right_mask)),
            masked_softmax(ops.transpose(scores, (0, 2, 1)), pair_mask(right_mask, left_mask)),
        )

    def _compare(self, units, others, attention, mask, other_mask):
        context = ops.cast(context_of(attention, others, other_mask), units.dtype)
        compared = _through(ops.concatenate([units, context], axis=-1), self.compare_layers)
        compared = ops.cast(compared, "float32")
        if mask is not None:
            compared = ops.where(ops.expand_dims(ops.cast(mask, "bool"), -1), compared, 0.0)
        return ops.cast(ops.sum(compared, axis=1), self.compute_dtype)

    def compute_output_shape(self, left_shape, right_shape):
        rank("AttendCompare", "left", left_shape, 3)
        rank("AttendCompare", "right", right_shape, 3)
        return (left_shape[0], self.hidden_dim), (right_shape[0], self.hidden_dim)

    def get_config(self):
        return {
            **super().get_config(),
            "hidden_dim": self.hidden_dim,
            "regularizer": keras.regularizers.serialize(self.regularizer),
        }


def _through(units, layers):
    for layer in layers:
        units = layer(units)
    return units
