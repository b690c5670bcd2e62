"""The table of word vectors."""

from __future__ import annotations

import keras
from keras import ops


@keras.saving.register_keras_serializable(package="abcnn")
class WordVectors(keras.layers.Embedding):
    """Keras's `Embedding`, with one gradient a word however often the word stands in a batch.

    TensorFlow gives the gradient of a look-up as a list with an entry an occurrence, and Keras's
    adaptive optimisers (3.15) square the entries of a repeated word one by one instead of their
    sum: its vector moves up to twice too far. Arguments, call and result are those of `Embedding`.
    """

    def call(self, inputs):
        if not self.trainable:
            return super().call(inputs)
        # The product has a dense gradient, in which the occurrences are added up.
        vectors = ops.take(self.embeddings * ops.ones((), self.embeddings.dtype), inputs, axis=0)
        return ops.cast(vectors, self.compute_dtype)
