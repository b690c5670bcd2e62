"""One step of training: a batch in, its loss out, the weights moved."""

from __future__ import annotations

from collections.abc import Callable

import keras
import numpy as np

from abcnn.devices import compiles_shapes, device_count
from abcnn.training.batching import TrainingBatch

Step = Callable[[TrainingBatch], float]


def training_step(network: keras.Model, targets: int = 2) -> Step:
    """The step of a compiled network: a function from a batch to its mean loss.
    A pair has `targets` numbers (`abcnn.training.losses`).

    On TensorFlow it is one graph for batches of every shape: Keras's own `train_on_batch` makes a
    graph for the first shape and another, which rounds otherwise, once it has seen a second, so
    that a resumed run would end with other weights. Several devices (`shared_batches`) take equal
    parts of the batch's rows. Elsewhere it is `train_on_batch`.
    """
    if keras.backend.backend() == "tensorflow":
        return _one_graph(network, targets)

    def step(batch: TrainingBatch) -> float:
        return float(
            network.train_on_batch(batch.inputs, batch.targets, sample_weight=batch.weights)
        )

    return step


def _one_graph(network: keras.Model, targets: int) -> Step:
    import tensorflow as tf

    signature = (
        {one.name: tf.TensorSpec(one.shape, one.dtype) for one in network.inputs},
        tf.TensorSpec((None, targets), tf.float32),
        tf.TensorSpec((None,), tf.float32),
    )
    devices = device_count()

    def on_device(inputs, targets, weights):
        if devices > 1:
            number = tf.distribute.get_replica_context().replica_id_in_sync_group
            rows = tf.shape(weights)[0] // devices
            part = slice(number * rows, (number + 1) * rows)
            inputs = {name: values[part] for name, values in inputs.items()}
            targets, weights = targets[part], weights[part]
        with tf.GradientTape() as tape:
            logits = network(inputs, training=True)
            loss = network.compute_loss(inputs, targets, logits, weights)
        variables = network.trainable_variables
        network.optimizer.apply(tape.gradient(loss, variables), variables)
        return loss

    @tf.function(input_signature=signature, jit_compile=compiles_shapes())
    def step(*batch):
        if devices == 1:
            return on_device(*batch)
        strategy = tf.distribute.get_strategy()
        return strategy.reduce("SUM", strategy.run(on_device, batch), axis=None)

    def run(batch: TrainingBatch) -> float:
        weights = batch.weights
        if weights is None:
            weights = np.ones(len(batch.targets), np.float32)
        return float(step(batch.inputs, batch.targets, weights))

    return run
