"""The layers in a functional Keras model of your own.

    python examples/layers_in_your_model.py

Two sentences go through one convolution; each sentence's vector is the mean of its phrases, a
phrase counting as much as it matches the other sentence. That is ABCNN-2's idea in a model that is
none of the paper's. It is trained on the paraphrases of `data/samples`, saved, and loaded again.
"""

import tempfile
from pathlib import Path

import keras
import numpy as np
from keras import ops

from abcnn.layers import (
    AllPooling,
    AttentionMatrix,
    PaddingMask,
    SimilarityScores,
    WideConvolution,
    phrase_mask,
)
from abcnn.readers import read_pairs
from abcnn.text.tokenizer import Tokenizer

SAMPLES = Path(__file__).resolve().parents[1] / "data" / "samples" / "paraphrase"
WIDTH = 3

# 1. Text to numbers. Any way will do, as long as 0 is padding: that is what PaddingMask tells.
keras.utils.set_random_seed(1)
train = read_pairs(str(SAMPLES / "train.tsv")).pairs
dev = read_pairs(str(SAMPLES / "dev.tsv")).pairs
tokenize = Tokenizer("word", lowercase=True)
words = sorted({word for text in (*train.left, *train.right) for word in tokenize(text)})
ids = {word: number for number, word in enumerate(words, start=2)}  # 1 is any other word


def padded(sentences):
    """Word ids `(sentences, length)`, 0 behind each sentence's end."""
    rows = [[ids.get(word, 1) for word in tokenize(sentence)] for sentence in sentences]
    length = max(map(len, rows))
    return np.array([row + [0] * (length - len(row)) for row in rows], dtype="int32")


def inputs(pairs):
    return {"left": padded(pairs.left), "right": padded(pairs.right)}


def labels(pairs):
    return np.array(pairs.labels, dtype="float32")


# 2. The model. The two sentences may have different lengths, and no length is fixed.
left_ids = keras.Input((None,), dtype="int32", name="left")
right_ids = keras.Input((None,), dtype="int32", name="right")
embed = keras.layers.Embedding(len(words) + 2, 32)
convolve = WideConvolution(filters=32, width=WIDTH)
mask, pool = PaddingMask(), AllPooling()

left_mask, right_mask = mask(left_ids), mask(right_ids)
left = convolve(embed(left_ids), left_mask)
right = convolve(embed(right_ids), right_mask)

# A phrase is real where one of its words is: masks of words become masks of phrases.
left_mask, right_mask = phrase_mask(left_mask, WIDTH), phrase_mask(right_mask, WIDTH)
attention = AttentionMatrix("euclidean")(left, right, left_mask, right_mask)
left_vector = pool(left, weights=ops.sum(attention, axis=2), mask=left_mask)
right_vector = pool(right, weights=ops.sum(attention, axis=1), mask=right_mask)

scores = SimilarityScores(("cosine", "euclidean"))(left_vector, right_vector)
apart = ops.abs(left_vector - right_vector)
joined = keras.layers.Concatenate()([scores, apart])
answer = keras.layers.Dense(1, activation="sigmoid", name="paraphrase")(joined)
model = keras.Model({"left": left_ids, "right": right_ids}, answer)

# 3. From here on it is a Keras model as any other.
model.compile(keras.optimizers.Adam(0.005), loss="binary_crossentropy", metrics=["accuracy"])
model.fit(
    inputs(train), labels(train), validation_data=(inputs(dev), labels(dev)), epochs=4, verbose=2
)

# `import abcnn` is all that Keras needs to find the layers of a saved model.
with tempfile.TemporaryDirectory() as folder:
    file = Path(folder) / "model.keras"
    model.save(file)
    again = keras.models.load_model(file)
before, after = (m.predict_on_batch(inputs(dev)) for m in (model, again))
print(f"largest change of a score by saving and loading: {np.abs(before - after).max():.1e}")
