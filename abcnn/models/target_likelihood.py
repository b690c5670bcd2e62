"""How probable a sentence is, word by word."""

from __future__ import annotations

import keras
from keras import ops

from abcnn.layers._arguments import positive_integer, rank
from abcnn.text.vocabulary import OOV


@keras.saving.register_keras_serializable(package="abcnn")
class TargetLikelihood(keras.layers.Layer):
    """The mean of `log p(y_t)`, p the softmax over words of `W h_t + b`.

    Args:
        words: how many ids the softmax is over, the first of the vocabulary; a word behind them
            counts as OOV. PAD is the end of the sentence.
        regularizer: Keras regulariser of the kernel.

    Call: `(hidden, ids, mask=None)` with `(batch, length, dim)`, integers and boolean
    `(batch, length)` -> `(batch, 1)`. Weights: kernel `(dim, words)`, bias `(words,)`.

    The result has no gradient. After a call in training `log_likelihood` `(batch,)` is the same
    with one, for the loss: `abcnn.training.losses.with_likelihood`. So a layer serves one call in a
    model.

    Masking: the mean is over real positions, 0 of none. The result has no mask.
    Precision: float32 under every policy.

    Raises:
        ValueError: `words` below 1; hidden vectors that are not of three axes.

    Source: Bahdanau et al. 2015, section 2.1.
    """

    def __init__(self, words: int, regularizer=None, **kwargs):
        super().__init__(**kwargs)
        self.words = positive_integer("words", words)
        self.regularizer = keras.regularizers.get(regularizer)
        self.supports_masking = True
        self.log_likelihood = None

    def build(self, hidden_shape, ids_shape=None):
        self.kernel = self.add_weight(
            name="kernel",
            shape=(hidden_shape[-1], self.words),
            initializer="glorot_uniform",
            regularizer=self.regularizer,
            autocast=False,
        )
        self.bias = self.add_weight(
            name="bias", shape=(self.words,), initializer="zeros", autocast=False
        )

    def call(self, hidden, ids, mask=None, training=None):
        self.compute_output_shape(hidden.shape)  # refuses wrong shapes
        ids = ops.where(ids < self.words, ids, OOV)
        logits = ops.matmul(ops.cast(hidden, "float32"), self.kernel) + self.bias
        each = -keras.losses.sparse_categorical_crossentropy(ids, logits, from_logits=True)
        real = ops.ones_like(each) if mask is None else ops.cast(mask, "float32")
        each = ops.where(real > 0, each, 0.0)
        mean = ops.sum(each, axis=1) / ops.maximum(ops.sum(real, axis=1), 1.0)
        self.log_likelihood = mean if training else None
        return ops.cast(ops.stop_gradient(mean)[:, None], self.compute_dtype)

    def compute_mask(self, hidden, *_masks):
        return None

    def compute_output_shape(self, hidden_shape, ids_shape=None):
        rank("TargetLikelihood", "hidden", hidden_shape, 3)
        return (hidden_shape[0], 1)

    def get_config(self):
        return {
            **super().get_config(),
            "words": self.words,
            "regularizer": keras.regularizers.serialize(self.regularizer),
        }
