"""Epochs: batches in, a better network out, the best one on dev kept."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import keras
import numpy as np

from abcnn.devices import compiles_shapes, device_count
from abcnn.errors import TrainingError, TrainingInterruptedError
from abcnn.layers import WordVectors
from abcnn.models import TargetLikelihood
from abcnn.text.batches import EncodedPairs
from abcnn.training.batching import BatchShapes, ahead_of_time, epoch_order, training_batch
from abcnn.training.checkpoint import Checkpoint, read_state, variables_of, write_state
from abcnn.training.losses import LOSSES, with_likelihood, with_teacher
from abcnn.training.options import TrainingOptions
from abcnn.training.progress import SILENT, Epoch, Progress
from abcnn.training.schedule import learning_rate, planned_steps
from abcnn.training.step import Step, training_step


@dataclass(frozen=True)
class Run:
    """What came of training: the epochs, and whether the user ended it."""

    epochs: tuple[Epoch, ...]
    interrupted: bool

    @property
    def best_epoch(self) -> int:
        """The number of the epoch whose weights were kept."""
        return next(epoch.number for epoch in reversed(self.epochs) if epoch.best)


def train_network(
    network: keras.Model,
    pairs: EncodedPairs,
    measure_dev: Callable[[], float],
    options: TrainingOptions,
    *,
    label_weights: np.ndarray | None = None,
    checkpoint_file: Path | None = None,
    resume_from: Checkpoint | None = None,
    exactly: int | None = None,
    fingerprint: str = "",
    progress: Progress = SILENT,
) -> Run:
    """Train until `options.epochs`, or until dev has not improved for `options.patience` epochs.

    Or train for `exactly` so many epochs of the planned `options.epochs`, each of which counts as
    better than those before: dev is not measured then, its measure is NaN.

    `pairs` have labels and groups; `measure_dev()` measures the network as it is, higher is
    better; `label_weights` float `(labels,)` weigh the pairs of each label. After every epoch the
    state is written to `checkpoint_file`; a run that goes on from it ends with the same weights as
    one that was never interrupted. At the end, and after Ctrl-C, the network holds the weights of
    the best epoch.

    Raises TrainingError when the loss or a weight is not finite, or Ctrl-C comes before the first
    epoch's end.
    """
    variables = variables_of(network)
    optimizer = keras.optimizers.get(options.optimizer)
    optimizer.learning_rate = learning_rate(options, lambda: planned_steps(pairs, options))
    partly = [
        layer.embeddings
        for layer in network.layers
        if isinstance(layer, WordVectors) and layer.partly_trained
    ]
    if partly:
        optimizer.exclude_from_weight_decay(var_list=partly)
    network.compile(
        optimizer=optimizer,
        loss=_loss(network, options, taught=pairs.teacher is not None),
        jit_compile=compiles_shapes(),
    )
    optimizer.build(network.trainable_variables)
    step = training_step(network, 2 if pairs.teacher is None else 2 + pairs.teacher.shape[1])
    state = resume_from or Checkpoint(fingerprint, (), (), ())
    if resume_from is not None:
        write_state(variables, resume_from.network)
        write_state(optimizer.variables, resume_from.optimizer)

    interrupted = False
    try:
        while not _finished(state.epochs, options, exactly):
            number = len(state.epochs) + 1
            start = time.perf_counter()
            loss = _epoch(step, pairs, options, number, label_weights, progress)
            values = read_state(variables)
            if not all(np.isfinite(value).all() for value in values):
                raise TrainingError(
                    f"the weights are not finite after epoch {number}: {_hint(options)}"
                )
            dev = math.nan if exactly else measure_dev()
            best = bool(exactly) or all(dev > epoch.dev for epoch in state.epochs)
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
            raise TrainingInterruptedError(
                "interrupted before the first epoch's end; nothing is kept"
            ) from None
        interrupted = True
    write_state(variables, state.best)
    return Run(state.epochs, interrupted)


def _loss(network: keras.Model, options: TrainingOptions, *, taught: bool) -> Callable:
    """The loss of the options; what tells how probable sentences are learns from pairs of the last
    label besides."""
    loss = LOSSES[options.loss or "pointwise"]
    if taught:
        loss = with_teacher(loss, options.teacher_weight)
    positive = max(network.output_shape[-1] - 1, 1)
    for layer in network.layers:
        if isinstance(layer, TargetLikelihood):
            loss = with_likelihood(loss, layer, positive)
    return loss


def _epoch(
    step: Step,
    pairs: EncodedPairs,
    options: TrainingOptions,
    number: int,
    label_weights: np.ndarray | None,
    progress: Progress,
) -> float:
    """Train on all pairs once; the mean loss."""
    order = epoch_order(pairs, options, number)
    shapes = _shapes(options)
    batches = (
        training_batch(
            pairs,
            indices,
            options.max_length or 0,
            label_weights,
            shapes,
            options.word_dropout,
            seed=(options.seed, number, count),
        )
        for count, indices in enumerate(order, start=1)
    )
    total, trained = 0.0, 0
    with closing(ahead_of_time(batches)) as ready:
        for count, batch in enumerate(ready, start=1):
            loss = step(batch)
            if not math.isfinite(loss):
                raise TrainingError(
                    f"the loss is {loss} in batch {count} of epoch {number}: {_hint(options)}"
                )
            total += loss * batch.pairs
            trained += batch.pairs
            progress.batch(number, count, len(order))
    return total / trained


def _shapes(options: TrainingOptions) -> BatchShapes:
    devices = device_count()
    if compiles_shapes():
        rows = max(1, options.batch_size // 2)
        return BatchShapes(rows=-(-rows // devices) * devices, units=8)
    return BatchShapes(rows=devices)


def _hint(options: TrainingOptions) -> str:
    return (
        f"try a lower --learning-rate than {options.learning_rate}, or look for odd values in the "
        "word vectors"
    )


def _finished(epochs: tuple[Epoch, ...], options: TrainingOptions, exactly: int | None) -> bool:
    if exactly is not None:
        return len(epochs) >= exactly
    since_best = next((n for n, epoch in enumerate(reversed(epochs)) if epoch.best), 0)
    return len(epochs) >= options.epochs or since_best >= options.patience
