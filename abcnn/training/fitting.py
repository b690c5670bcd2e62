"""A network fitted to pairs: with `layerwise` block after block, otherwise at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import keras
import numpy as np

from abcnn.devices import shared_batches
from abcnn.errors import TrainingInterruptedError
from abcnn.network import NetworkConfig, build_network
from abcnn.scoring.matcher import network_logits
from abcnn.text.batches import EncodedPairs, mean_of_orders, sorted_batches
from abcnn.training.checkpoint import Checkpoint
from abcnn.training.layerwise import stages, take_frozen
from abcnn.training.loop import Run, train_network
from abcnn.training.options import TrainingOptions
from abcnn.training.progress import Progress


@dataclass(frozen=True)
class Fitted:
    """A trained network, its epochs, and how many epochs were best of each network that was
    trained for it: of one block, of two, and so on, with `layerwise`."""

    network: keras.Model
    run: Run
    best_epochs: tuple[int, ...]


def fit(
    config: NetworkConfig,
    vectors: np.ndarray,
    pairs: EncodedPairs,
    dev: EncodedPairs,
    measure: Callable[[np.ndarray], float],
    options: TrainingOptions,
    *,
    label_weights: np.ndarray | None,
    devices: str | None,
    trained_words: np.ndarray | None = None,
    epochs: Sequence[int] | None = None,
    fingerprint: str,
    checkpoint_file: Path | None,
    resume_from: Checkpoint | None,
    progress: Progress,
) -> Fitted:
    """Train a network of the configuration, whose first word vectors are `vectors`, on the pairs.

    Epochs are chosen by `measure(logits of dev)`, or, where there are `epochs`, they are as many
    for the networks of one block, of two and so on, and nothing is measured. The state of the last
    network is kept in `checkpoint_file`; the ones before are trained to the same weights when a run
    resumes. `trained_words` bool `(vocabulary,)` are those whose vectors are trained, all without
    it. The other arguments are those of `abcnn.training.run.train`.

    Raises as `train_network` does, and TrainingInterruptedError before the last block's training.
    """

    def one(
        config: NetworkConfig,
        earlier: keras.Model | None,
        count: int | None,
        file: Path | None = None,
        state: Checkpoint | None = None,
    ) -> tuple[keras.Model, Run]:
        # A network on several devices predicts on each of them: its copy on one is measured.
        single = None if devices is None else build_network(config)
        with shared_batches(devices):
            network = build_network(config, vectors)
            if trained_words is not None:
                network.get_layer("vectors").train_only(trained_words)
            if earlier is not None:
                take_frozen(network, earlier)

            def measure_dev() -> float:
                if single is None:
                    logits = network_logits(network, dev, config.max_length)
                else:
                    single.set_weights(network.get_weights())
                    logits = _plain_logits(single, dev, config.max_length)
                return measure(logits)

            return network, train_network(
                network,
                pairs,
                measure_dev,
                options,
                label_weights=label_weights,
                checkpoint_file=file,
                resume_from=state,
                exactly=count,
                fingerprint=fingerprint,
                progress=progress,
            )

    earlier, best = None, []
    before = stages(config) if options.layerwise else []
    counts = [None] * (len(before) + 1) if epochs is None else list(epochs)
    for stage, count in zip(before, counts, strict=False):
        progress.message(f"layerwise: block {stage.conv_layers} of {config.conv_layers}")
        earlier, run = one(stage, earlier, count)
        if run.interrupted:
            raise TrainingInterruptedError(
                "interrupted before the last block's training; nothing is kept"
            )
        best.append(run.best_epoch)
    network, run = one(config, earlier, counts[-1], checkpoint_file, resume_from)
    return Fitted(network, run, (*best, run.best_epoch))


def _plain_logits(network: keras.Model, pairs: EncodedPairs, max_length: int) -> np.ndarray:
    """As `network_logits` without `predict_on_batch`, which several devices would all run."""

    def of_one_order(pairs: EncodedPairs) -> np.ndarray:
        logits = np.zeros((len(pairs), network.output_shape[-1]), dtype=np.float32)
        for indices in sorted_batches(pairs, 256):
            inputs = pairs.inputs(indices, max_length)
            logits[indices] = keras.ops.convert_to_numpy(network(inputs, training=False))
        return logits

    return mean_of_orders(of_one_order, pairs)
