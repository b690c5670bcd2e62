"""A whole training run: labelled pairs in, a matcher and its history out."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import keras
import numpy as np

from abcnn.errors import InputError, TrainingError, TrainingInterruptedError
from abcnn.features.catalogue import libraries
from abcnn.features.extraction import Extraction
from abcnn.network import NetworkConfig, build_network, named_weights
from abcnn.pairs import PairBatch
from abcnn.scoring.matcher import Matcher
from abcnn.tasks import Task
from abcnn.text.batches import EncodedPairs
from abcnn.text.vector_sets import VectorFiles, vector_files
from abcnn.training.arrays import ArrayStore
from abcnn.training.checkpoint import Checkpoint
from abcnn.training.choosing import adjust_on_dev, dev_measure, tuned_threshold
from abcnn.training.corpus import Corpus
from abcnn.training.facts import facts_of_data, versions
from abcnn.training.fingerprint import fingerprint
from abcnn.training.fitting import Fitted, fit
from abcnn.training.options import TrainingOptions
from abcnn.training.prepare import Prepared, encode_labelled, label_weights, prepare
from abcnn.training.progress import SILENT, Epoch, Progress
from abcnn.training.refit import refit
from abcnn.training.shape import network_config, outputs_of
from abcnn.training.with_dev import state_with_dev, with_dev


@dataclass(frozen=True)
class Trained:
    """What a run gives: the matcher with the weights of the best epoch, every epoch, whether the
    user ended it early, and with `train_on_dev` the logits of dev by which all was chosen, those of
    the first training."""

    matcher: Matcher
    epochs: tuple[Epoch, ...]
    interrupted: bool
    dev_logits: np.ndarray | None = None


TRAINED_ON_DEV = (
    "the network was trained once more, on train and dev, for the epochs that were best on dev; "
    "threshold, calibration and the measures on dev are those of the first training, on train"
)
"""What a bundle says of a network of `train_on_dev`."""


def train(
    task: Task,
    train_pairs: PairBatch | Corpus,
    dev_pairs: PairBatch,
    test_pairs: PairBatch | None = None,
    *,
    options: TrainingOptions | None = None,
    vectors: VectorFiles = None,
    devices: str | None = None,
    store: ArrayStore | None = None,
    checkpoint_file: Path | None = None,
    resume: bool = False,
    extraction: Extraction | None = None,
    prepared: Prepared | None = None,
    progress: Progress = SILENT,
) -> Trained:
    """Train a matcher; epochs and threshold are chosen on dev, test is measured once at the end.

    `vectors` is a file of word vectors, or several, whose vectors of a word are put side by side;
    without one word2vec is trained on the training text. The same seed gives the same matcher on
    the same machine: Keras's global seed is set to it. `devices` as in `shared_batches`. The
    numbers of the training pairs lie in `store`: in memory,
    or in the files of a folder. With `checkpoint_file` the state is kept after each epoch, and
    `resume` goes on from there. `prepared` is what the training pairs were prepared to for another
    run, if its network is to share it: words, their first vectors, features.

    With `options.train_on_dev` the network that is kept is that of a second training, from the same
    seed on train and dev, of as many epochs as were best on dev (with `layerwise` of each block's
    training), its learning rate that of these steps of the planned epochs. Threshold and
    calibration stay as they were chosen for the first network, the measures on dev are the first
    one's, too, since dev does not measure the second. Words, their first vectors and what features
    know of the training pairs (their scale, IDF, antonyms) are the first one's as well: so both
    networks read a pair alike, which the threshold asks for. Weights of labels and `refit` are
    those of train and dev. Ctrl-C in it keeps the first network until it is gone on with.

    Source: Yin et al. 2016, section 5.2, trains last on train and dev.

    Raises InputError for data or options that do not fit, TrainingError when training fails.
    """
    start = time.perf_counter()
    options = (options or TrainingOptions()).for_task(task)
    options = options.with_vectors(bool(vector_files(vectors)))
    prepared = prepared or prepare(
        train_pairs,
        task,
        options,
        vectors,
        store=store,
        on_message=progress.message,
        extraction=extraction,
    )
    dev = encode_labelled(dev_pairs, prepared.scale, prepared.encoder)
    # Dev that cannot be measured is told before the first epoch.
    nothing = np.zeros((len(dev), outputs_of(task, options, prepared)))
    dev_measure(task, dev, nothing, prepared.scale, 0.5)

    config = network_config(task, options, prepared)
    training = _Training(task, options, config, prepared, dev, devices)
    mark = fingerprint(task, options, prepared, dev)
    scorer, first = training.run(
        prepared.pairs,
        prepared.label_weights,
        mark,
        checkpoint_file=checkpoint_file,
        resume_from=Checkpoint.load(checkpoint_file, mark) if resume and checkpoint_file else None,
        progress=progress,
    )
    adjustment = adjust_on_dev(task, options, config, dev, scorer)
    calibration = adjustment.calibration
    matcher = Matcher(
        task=task,
        labels=prepared.labels,
        grades=prepared.grades,
        threshold=0.5,
        encoder=prepared.encoder,
        config=config,
        weights=named_weights(scorer),
        calibration=calibration,
    )
    dev_logits = matcher.logits(dev)
    logits = calibration(dev_logits) if calibration else dev_logits
    matcher = replace(matcher, threshold=tuned_threshold(task, dev, logits))
    metrics = {"dev": measures_of(matcher, dev_pairs)}
    notes = {} if adjustment.note is None else {"calibration": adjustment.note}
    notes |= prepared.notes
    interrupted = first.run.interrupted
    if options.train_on_dev and not interrupted:
        again = training.once_more(
            first, mark, store or ArrayStore(), checkpoint_file, resume, progress
        )
        interrupted = again is None
        if again is not None:
            adjustment.apply(again)
            matcher = replace(matcher, weights=named_weights(again))
            notes = notes | {"train_on_dev": TRAINED_ON_DEV}
    parts = {"dev": dev_pairs} | ({} if test_pairs is None else {"test": test_pairs})
    if test_pairs is not None:
        metrics["test"] = measures_of(matcher, test_pairs)
    about = {
        "data": facts_of_data(prepared, parts, task),
        "options": options.to_dict(),
        "best_epoch": first.run.best_epoch,
        "epochs": len(first.run.epochs),
        "interrupted": interrupted,
        "seconds": round(time.perf_counter() - start, 1),
        "versions": versions() | libraries(prepared.encoder.features.names),
        **notes,
    }
    return Trained(
        replace(matcher, metrics=metrics, about=about),
        first.run.epochs,
        interrupted,
        dev_logits if options.train_on_dev else None,
    )


@dataclass(frozen=True, eq=False)
class _Training:
    """What the trainings of one run have in common."""

    task: Task
    options: TrainingOptions
    config: NetworkConfig
    prepared: Prepared
    dev: EncodedPairs
    devices: str | None

    def run(
        self, pairs: EncodedPairs, weights: np.ndarray | None, mark: str, **state: Any
    ) -> tuple[keras.Model, Fitted]:
        """Train from the seed on; the network is without its optimiser and loss, and in float32:
        measured is what a loaded bundle scores."""
        options = self.options
        _make_deterministic(options.seed)
        fitted = fit(
            self.config,
            self.prepared.vectors,
            pairs,
            self.dev,
            lambda logits: dev_measure(self.task, self.dev, logits, self.prepared.scale, 0.5),
            options,
            label_weights=weights,
            devices=self.devices,
            trained_words=self.prepared.trained_words,
            fingerprint=mark,
            **state,
        )
        policy = keras.config.dtype_policy()
        keras.config.set_dtype_policy("float32")
        scorer = build_network(self.config)
        keras.config.set_dtype_policy(policy)
        scorer.set_weights(fitted.network.get_weights())
        if options.refit != "none":
            refit(
                scorer,
                pairs,
                options.refit,
                max_length=self.config.max_length,
                seed=options.seed,
                label_weights=weights,
            )
        return scorer, fitted

    def once_more(
        self,
        first: Fitted,
        mark: str,
        store: ArrayStore,
        checkpoint_file: Path | None,
        resume: bool,
        progress: Progress,
    ) -> keras.Model | None:
        """The network of the second training, on train and dev; None when the user ended it."""
        state = state_with_dev(checkpoint_file) if checkpoint_file else None
        again = f"{mark} {first.best_epochs}"
        try:
            pairs = with_dev(self.prepared.pairs, self.dev, store)
            progress.message(
                f"once more, on train and dev, {len(pairs):,} pairs: {first.run.best_epoch} epochs"
            )
            scorer, second = self.run(
                pairs,
                label_weights(pairs, self.prepared.labels, self.options),
                again,
                epochs=first.best_epochs,
                checkpoint_file=state,
                resume_from=_begun(state, again) if resume else None,
                progress=replace(progress, epoch=partial(_tell_unmeasured, progress)),
            )
        except (KeyboardInterrupt, TrainingInterruptedError):
            return None
        except TrainingError as error:
            raise TrainingError(
                f"{error}; to keep the first network, --resume without --train-on-dev"
            ) from error
        return None if second.run.interrupted else scorer


def _begun(state: Path | None, mark: str) -> Checkpoint | None:
    """The state of the second training, if there is one that follows from the first."""
    if state is None or not state.is_file():
        return None
    try:
        return Checkpoint.load(state, mark)
    except InputError:
        # The first training went on to another best epoch, so the second one starts anew.
        return None


def _tell_unmeasured(progress: Progress, epoch: Epoch) -> None:
    """Tell of an epoch of the second training as a message: it has no measure on dev to log."""
    progress.message(
        f"once more, epoch {epoch.number}: loss {epoch.loss:.4f}, {epoch.seconds:.1f} s"
    )


def _make_deterministic(seed: int) -> None:
    keras.utils.set_random_seed(seed)
    if keras.backend.backend() == "tensorflow":
        import tensorflow as tf

        tf.config.experimental.enable_op_determinism()


def measures_of(matcher: Matcher, pairs: PairBatch) -> dict[str, Any]:
    """What a bundle's `metrics.json` has of one part of the data."""
    return matcher.record(pairs, matcher.predict(pairs))
