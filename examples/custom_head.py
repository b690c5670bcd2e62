"""A head of your own on one of the paper's models.

    python examples/custom_head.py

The paper's head is a logistic regression on similarity scores. Here the same blocks feed another
one: a degree between 0 and 1 of how much follows from the left sentence, of which the labels of
entailment are three points. A head is a function from the blocks' sentence vectors, and whatever
else it likes, to an output; nothing in the backbone knows of it.
"""

from pathlib import Path

import keras
import numpy as np

from abcnn.layers import PaddingMask, SimilarityScores, WordVectors
from abcnn.models import abcnn2
from abcnn.readers import read_pairs
from abcnn.tasks import TASKS
from abcnn.training.options import TrainingOptions
from abcnn.training.prepare import prepare

SAMPLES = Path(__file__).resolve().parents[1] / "data" / "samples" / "entailment"
DEGREES = {"contradiction": 0.0, "neutral": 0.5, "entailment": 1.0}

# 1. Vocabulary, word vectors and features as `abcnn train` makes them.
keras.utils.set_random_seed(1)
task = TASKS["entailment"]
options = TrainingOptions(dim=32, filters=16, train_vectors=True).for_task(task)
train = read_pairs(str(SAMPLES / "train.tsv")).pairs
prepared = prepare(train, task, options, vectors=None)


def arrays(pairs):
    """What the network reads, and the degree of every pair `(pairs, 1)`."""
    encoded = prepared.encoder(pairs.left, pairs.right)
    inputs = encoded.inputs(np.arange(len(pairs)), prepared.encoder.max_length)
    return inputs, np.array([[DEGREES[label]] for label in pairs.labels], dtype="float32")


# 2. The backbone: word vectors in, the sentence vectors of every block out.
left_ids = keras.Input((None,), dtype="int32", name="left")
right_ids = keras.Input((None,), dtype="int32", name="right")
features = keras.Input((len(prepared.encoder.features.names),), name="features")
embed, mask = WordVectors(*prepared.vectors.shape, name="vectors"), PaddingMask()
blocks = abcnn2(conv_layers=1, filters=16, width=options.width, max_length=options.max_length)
comparison = blocks(embed(left_ids), embed(right_ids), mask(left_ids), mask(right_ids))


# 3. The head.
def degree_head(sentence_vectors, features):
    """Degrees `(batch, 1)` in (0, 1), from a hidden layer over scores and features."""
    compare = SimilarityScores(("cosine", "euclidean", "dot"))
    scores = [compare(left, right) for left, right in sentence_vectors]
    joined = keras.layers.Concatenate()([*scores, features])
    hidden = keras.layers.Dense(16, activation="tanh")(joined)
    return keras.layers.Dense(1, activation="sigmoid", name="degree")(hidden)


inputs = {"left": left_ids, "right": right_ids, "features": features}
model = keras.Model(inputs, degree_head(comparison.pairs, features))
embed.set_weights([prepared.vectors])

# 4. Trained on the squared error, measured by correlation.
model.compile(keras.optimizers.Adam(0.01), loss="mean_squared_error")
model.fit(*arrays(train), epochs=15, verbose=2)
test = read_pairs(str(SAMPLES / "test.tsv")).pairs
inputs, degrees = arrays(test)
found = model.predict_on_batch(inputs)
print(f"test: correlation {np.corrcoef(found[:, 0], degrees[:, 0])[0, 1]:.4f}")
for index in range(3):
    print(f"{found[index, 0]:.2f}  {test.left[index]}  =>  {test.right[index]}")
