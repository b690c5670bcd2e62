"""The table of word vectors."""

from __future__ import annotations

import keras
import numpy as np
from keras import ops


@keras.saving.register_keras_serializable(package="abcnn")
class WordVectors(keras.layers.Embedding):
    """Keras's `Embedding`, with one gradient a word however often the word stands in a batch.

    TensorFlow gives the gradient of a look-up as a list with an entry an occurrence, and Keras's
    adaptive optimisers (3.15) square the entries of a repeated word one by one instead of their
    sum: its vector moves up to twice too far. Arguments, call and result are those of `Embedding`.

    `train_only` says which words' vectors are trained, all unless it was called. It is a matter of
    one training and not in the config.
    """

    _trained = None

    def train_only(self, words: np.ndarray) -> None:
        """Have the vectors of some words trained, bool `(input_dim,)`, and the others stay.

        To be called before the layer is trained or compiled. An optimiser that has weights decay
        must leave these out (`partly_trained`). Raises ValueError for another shape.
        """
        words = np.asarray(words, dtype=bool)
        if words.shape != (self.input_dim,):
            raise ValueError(
                f"`words` must be of shape ({self.input_dim},). Received: shape {words.shape}"
            )
        self._trained = words

    @property
    def partly_trained(self) -> bool:
        """Whether the layer is trained, but not all of its vectors."""
        return self.trainable and self._trained is not None

    def call(self, inputs):
        if not self.trainable:
            return super().call(inputs)
        # The product has a dense gradient, in which the occurrences are added up.
        table = self.embeddings * ops.ones((), self.embeddings.dtype)
        if self._trained is not None:
            # A gradient of exactly 0, by which no optimiser moves a vector.
            trained = ops.convert_to_tensor(self._trained[:, None])
            table = ops.where(trained, table, ops.stop_gradient(table))
        vectors = ops.take(table, inputs, axis=0)
        return ops.cast(vectors, self.compute_dtype)
