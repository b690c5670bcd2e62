"""The gate on the context, beta (Xu et al. 2015, section 4.2.1)."""

from __future__ import annotations

import keras
from keras import ops

from abcnn.layers._arguments import rank


@keras.saving.register_keras_serializable(package="abcnn")
class ContextGate(keras.layers.Layer):
    """How much each unit takes of what it has read: `beta_t c_t`, `beta_t = sigmoid(w' q_t + b)`.

    Args:
        regularizer: Keras regulariser of the kernel.

    Call: `(context, query)` with `(batch, length, dim)`, `(batch, length, query_dim)` ->
    `(batch, length, dim)`. Weights: kernel `(query_dim,)`, bias a number.

    Masking: none needed, since the context of a padded unit is 0. The result has the context's
    mask.

    Raises:
        ValueError: inputs that are not of three axes.

    Source: Xu et al. 2015, section 4.2.1, `beta_t = sigma(f_beta(h_(t-1)))` with a linear f.
    """

    def __init__(self, regularizer=None, **kwargs):
        super().__init__(**kwargs)
        self.regularizer = keras.regularizers.get(regularizer)
        self.supports_masking = True

    def build(self, context_shape, query_shape):
        self.kernel = self.add_weight(
            name="kernel",
            shape=(query_shape[-1],),
            initializer=keras.initializers.RandomNormal(stddev=0.05),
            regularizer=self.regularizer,
        )
        self.bias = self.add_weight(name="bias", shape=(), initializer="zeros")

    def call(self, context, query):
        self.compute_output_shape(context.shape, query.shape)  # refuses wrong shapes
        beta = ops.sigmoid(ops.matmul(query, self.kernel) + self.bias)
        return context * beta[..., None]

    def compute_mask(self, context, mask=None):
        return mask

    def compute_output_shape(self, context_shape, query_shape):
        rank("ContextGate", "context", context_shape, 3)
        rank("ContextGate", "query", query_shape, 3)
        return tuple(context_shape)

    def get_config(self):
        return {
            **super().get_config(),
            "regularizer": keras.regularizers.serialize(self.regularizer),
        }
