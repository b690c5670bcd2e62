"""A trained backbone on another task.

    abcnn train paraphrase --train data/samples/paraphrase/train.tsv --out runs/paraphrase
    python examples/fine_tune.py runs/paraphrase

What a model has learnt of words and phrases is the start for a second task: here the one that tells
paraphrases learns entailment. Its blocks and the vectors of the words it knows are carried over;
new words and a new head with three labels are learnt first, then all of it.
"""

import sys
from dataclasses import replace
from pathlib import Path

import keras
import numpy as np

import abcnn
from abcnn.network import build_network
from abcnn.readers import label_ids, read_pairs
from abcnn.tasks import TASKS
from abcnn.training.options import TrainingOptions
from abcnn.training.prepare import prepare

SAMPLES = Path(__file__).resolve().parents[1] / "data" / "samples" / "entailment"

# 1. The new task's words and features. What the old blocks depend on stays as it was.
keras.utils.set_random_seed(1)
old = abcnn.load(sys.argv[1])
task = TASKS["entailment"]
options = TrainingOptions(
    dim=old.config.dim, max_length=old.config.max_length, train_vectors=True
).for_task(task)
train = read_pairs(str(SAMPLES / "train.tsv")).pairs
new = prepare(train, task, options, vectors=None)


def arrays(pairs):
    """What the network reads, and the labels as places in `new.labels`."""
    encoded = new.encoder(pairs.left, pairs.right)
    inputs = encoded.inputs(np.arange(len(pairs)), new.encoder.max_length)
    return inputs, np.array(label_ids(pairs, new.labels))


# 2. The vectors of the words that both tasks know are the old ones.
vectors = new.vectors.copy()
old_vectors = old.network.get_layer("vectors").get_weights()[0]
known = [word for word in new.encoder.vocabulary.words if word in old.encoder.vocabulary]
for word in known:
    vectors[new.encoder.vocabulary.lookup(word)] = old_vectors[old.encoder.vocabulary.lookup(word)]

# 3. The same network with the new head, and the old blocks in it.
config = replace(
    old.config,
    vocabulary=len(vectors),
    features=len(new.encoder.features.names),
    outputs=len(new.labels),
    train_vectors=True,
)
network = build_network(config, vectors)
blocks = [layer for layer in network.layers if layer.name.startswith("block_")]
for block in blocks:
    block.set_weights(old.network.get_layer(block.name).get_weights())
print(f"carried over: {len(blocks)} block, vectors of {len(known)} of {len(vectors) - 2} words")


def fit(rate, epochs, blocks_learn):
    """Train; what may change is told before `compile`."""
    for block in blocks:
        block.trainable = blocks_learn
    network.compile(
        keras.optimizers.Adam(rate),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    network.fit(*arrays(train), epochs=epochs, verbose=2)


# 4. The new parts first, lest their first large errors spoil the old ones; then everything.
fit(rate=0.005, epochs=8, blocks_learn=False)
fit(rate=0.01, epochs=15, blocks_learn=True)
inputs, labels = arrays(read_pairs(str(SAMPLES / "test.tsv")).pairs)
found = network.predict_on_batch(inputs).argmax(axis=1)
print(f"test: accuracy {(found == labels).mean():.4f} ({', '.join(new.labels)})")
