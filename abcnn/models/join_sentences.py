"""Two sentences as one."""

from __future__ import annotations

import keras
from keras import ops

from abcnn.layers._arguments import rank


@keras.saving.register_keras_serializable(package="abcnn")
class JoinSentences(keras.layers.Layer):
    """`left [SEP] right`: one sequence, each unit with the learnt vector of its sentence added.

    Args:
        regularizer: Keras regulariser of all weights.

    Call: `(left, right, left_mask, right_mask)` with `(batch, left_length, dim)`,
    `(batch, right_length, dim)` and boolean `(batch, length)` ->
    `(units, mask, left_part, right_part)`: `(batch, left_length + 1 + right_length, dim)`, and of
    its first two axes which units are real, which are real and of the left, which of the right.
    Weights: separator `(dim,)`, sides `(2, dim)`.

    Masking: padding stays where it was, so in the middle too; the separator is always real.

    Raises:
        ValueError: inputs that are not of three axes.

    Source: Devlin et al. 2019, section 3 and figure 2.
    """

    def __init__(self, regularizer=None, **kwargs):
        super().__init__(**kwargs)
        self.regularizer = keras.regularizers.get(regularizer)

    def build(self, left_shape, right_shape):
        dim = left_shape[-1]
        self.separator, self.sides = (
            self.add_weight(
                name=name,
                shape=shape,
                initializer=keras.initializers.RandomNormal(stddev=0.02),
                regularizer=self.regularizer,
            )
            for name, shape in (("separator", (dim,)), ("sides", (2, dim)))
        )

    def call(self, left, right, left_mask, right_mask):
        self.compute_output_shape(left.shape, right.shape)  # refuses wrong shapes
        left_mask, right_mask = ops.cast(left_mask, "bool"), ops.cast(right_mask, "bool")
        sides = ops.convert_to_tensor(self.sides)
        no_left, no_right = ops.zeros_like(left_mask), ops.zeros_like(right_mask)
        single = ops.zeros_like(left[:, :1])
        never = ops.cast(single[:, :, 0], "bool")
        separator = single + ops.convert_to_tensor(self.separator)
        return (
            ops.concatenate([left + sides[0], separator, right + sides[1]], axis=1),
            ops.concatenate([left_mask, ops.logical_not(never), right_mask], axis=1),
            ops.concatenate([left_mask, never, no_right], axis=1),
            ops.concatenate([no_left, never, right_mask], axis=1),
        )

    @property
    def sentence(self) -> str:
        """Whose units these are, for explanations."""
        return "joined"

    def compute_output_spec(self, left, right, left_mask, right_mask):
        shape = self.compute_output_shape(left.shape, right.shape)
        masks = (keras.KerasTensor(one, dtype="bool") for one in shape[1:])
        return (keras.KerasTensor(shape[0], dtype=self.compute_dtype), *masks)

    def compute_output_shape(self, left_shape, right_shape):
        rank("JoinSentences", "left", left_shape, 3)
        rank("JoinSentences", "right", right_shape, 3)
        known = None not in (left_shape[1], right_shape[1])
        length = left_shape[1] + 1 + right_shape[1] if known else None
        mask = (left_shape[0], length)
        return (*mask, left_shape[2]), mask, mask, mask

    def get_config(self):
        regularizer = keras.regularizers.serialize(self.regularizer)
        return {**super().get_config(), "regularizer": regularizer}
