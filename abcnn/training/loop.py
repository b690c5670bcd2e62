"""Epochs: batches in, a better network out, the best one on dev kept."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import keras
import numpy as np

from abcnn.errors import TrainingError
from abcnn.text.batches import (
    EncodedPairs,
    group_batches,
    mixed_groups,
    shuffled_batches,
)
from abcnn.training.checkpoint import Checkpoint, read_state, variables_of, write_state
from abcnn.training.losses import LOSSES
from abcnn.training.options import RANKING_LOSSES, TrainingOptions
from abcnn.training.progress import SILENT, Epoch, Progress


@dataclass(frozen=True)
class Run:
    """What came of training: the epochs, and whether the user ended it."""

    epochs: tuple[Epoch, ...]
    interrupted: bool


def train_network(
    network: keras.Model,
    pairs: EncodedPairs,
    measure_dev: Callable[[], float],
    options: TrainingOptions,
    *,
    label_weights: np.ndarray | None = None,
    checkpoint_file: Path | None = None,
    resume_from: Checkpoint | None = None,
    fingerprint: str = "",
    progress: Progress = SILENT,
) -> Run:
    """Train until `options.epochs`, or until dev has not improved for `options.patience` epochs.

    `pairs` have labels and groups; `measure_dev()` measures the network as it is, higher is
    better; `label_weights` float `(labels,)` weigh the pairs of each label. After every epoch the
    state is written to `checkpoint_file`; a run that goes on from it ends with the same weights as
    one that was never interrupted. At the end, and after Ctrl-C, the network holds the weights of
    the best epoch.

    Raises TrainingError when the loss or a weight is not finite, or Ctrl-C comes before the first
    epoch's end.
    """
    variables = variables_of(network)
    optimizer = _optimizer(options)
    # Batches of whole questions have many sizes, and XLA would compile again for each; JAX must.
    free_sizes = options.loss in RANKING_LOSSES and keras.backend.backend() == "tensorflow"
    network.compile(
        optimizer=optimizer,
        loss=LOSSES[options.loss or "pointwise"],
        jit_compile=False if free_sizes else "auto",
    )
    optimizer.build(network.trainable_variables)
    state = resume_from or Checkpoint(fingerprint, (), (), ())
    if resume_from is not None:
        write_state(variables, resume_from.network)
        write_state(optimizer.variables, resume_from.optimizer)

    interrupted = False
    try:
        while not _finished(state.epochs, options):
            number = len(state.epochs) + 1
            start = time.perf_counter()
            loss = _epoch(network, pairs, options, number, label_weights, progress)
            values = read_state(variables)
            if not all(np.isfinite(value).all() for value in values):
                raise TrainingError(
                    f"the weights are not finite after epoch {number}: {_hint(options)}"
                )
            dev = measure_dev()
            best = all(dev > epoch.dev for epoch in state.epochs)
            epoch = Epoch(number, loss, dev, best, time.perf_counter() - start)
            state = replace(
                state,
                network=values,
                optimizer=read_state(optimizer.variables),
                best=values if best else state.best,
                epochs=(*state.epochs, epoch),
            )
            if checkpoint_file is not None:
                state.save(checkpoint_file)
            progress.epoch(epoch)
    except KeyboardInterrupt:
        if not state.epochs:
            raise TrainingError(
                "interrupted before the first epoch's end; nothing is kept"
            ) from None
        interrupted = True
    write_state(variables, state.best)
    return Run(state.epochs, interrupted)


def _epoch(
    network: keras.Model,
    pairs: EncodedPairs,
    options: TrainingOptions,
    number: int,
    label_weights: np.ndarray | None,
    progress: Progress,
) -> float:
    """Train on all pairs once, in an order that seed and epoch decide; the mean loss.

    A loss that compares candidates learns nothing from a question whose candidates are all right or
    all wrong: such questions are left out.
    """
    assert pairs.labels is not None
    assert pairs.groups is not None
    generator = np.random.default_rng([options.seed, number])
    if options.loss in RANKING_LOSSES:
        chosen = mixed_groups(pairs.groups, pairs.labels)
        batches = [
            chosen[batch]
            for batch in group_batches(pairs.groups[chosen], options.batch_size, generator)
        ]
    else:
        batches = shuffled_batches(pairs, options.batch_size, generator)
    total = 0.0
    for count, indices in enumerate(batches, start=1):
        labels = pairs.labels[indices]
        # Numbered within the batch: float32 cannot tell large numbers apart.
        groups = np.unique(pairs.groups[indices], return_inverse=True)[1]
        loss = float(
            network.train_on_batch(
                pairs.inputs(indices, options.max_length or 0),
                np.stack([labels, groups], axis=1).astype(np.float32),
                sample_weight=None if label_weights is None else label_weights[labels],
            )
        )
        if not math.isfinite(loss):
            raise TrainingError(
                f"the loss is {loss} in batch {count} of epoch {number}: {_hint(options)}"
            )
        total += loss * len(indices)
        progress.batch(number, count, len(batches))
    return total / sum(map(len, batches))


def _hint(options: TrainingOptions) -> str:
    return (
        f"try a lower --learning-rate than {options.learning_rate}, or look for odd values in the "
        "word vectors"
    )


def _finished(epochs: tuple[Epoch, ...], options: TrainingOptions) -> bool:
    since_best = next((n for n, epoch in enumerate(reversed(epochs)) if epoch.best), 0)
    return len(epochs) >= options.epochs or since_best >= options.patience


def _optimizer(options: TrainingOptions) -> keras.optimizers.Optimizer:
    optimizer = keras.optimizers.get(options.optimizer)
    optimizer.learning_rate = options.learning_rate
    return optimizer
