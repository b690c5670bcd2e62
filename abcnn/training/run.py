"""A whole training run: labelled pairs in, a matcher and its history out."""

from __future__ import annotations

import hashlib
import json
import platform
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import keras
import numpy as np

from abcnn.errors import InputError, TrainingInterruptedError
from abcnn.evaluation.classification import best_threshold, classification_measures
from abcnn.evaluation.grading import pearson
from abcnn.evaluation.ranking import ranking_measures
from abcnn.features.catalogue import libraries
from abcnn.features.extraction import Extraction
from abcnn.models import MODELS
from abcnn.models.hierarchical import SENTENCE_ENDS
from abcnn.network import NetworkConfig, build_network, named_weights
from abcnn.pairs import PairBatch
from abcnn.readers.grades import Grades, Scale, grade_bins, grade_values
from abcnn.scoring.matcher import Matcher, network_logits
from abcnn.scoring.predictions import decide
from abcnn.tasks import Task
from abcnn.text.batches import EncodedPairs
from abcnn.text.vector_sets import VectorFiles, vector_files
from abcnn.training.arrays import ArrayStore
from abcnn.training.calibration import (
    Adjustment,
    divide_logits,
    even_odds,
    isotonic,
    platt,
    scale_logits,
    temperature,
)
from abcnn.training.checkpoint import Checkpoint
from abcnn.training.corpus import Corpus
from abcnn.training.fitting import Fitted, fit
from abcnn.training.options import RANKING_LOSSES, TrainingOptions, model_match_score
from abcnn.training.prepare import Prepared, encode_labelled, label_weights, prepare
from abcnn.training.progress import SILENT, Epoch, Progress
from abcnn.training.refit import refit
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
    outputs = _outputs(task, options, prepared)
    _measure(task, dev, np.zeros((len(dev), outputs)), prepared.scale, 0.5)

    config = _network_config(task, options, prepared)
    adjust = partial(_adjustment, task, options, config, dev)

    def trained(
        pairs: EncodedPairs, weights: np.ndarray | None, mark: str, **state: Any
    ) -> tuple[keras.Model, Fitted]:
        """Train from the seed on; the network is without its optimiser and loss, and in float32:
        measured is what a loaded bundle scores."""
        _make_deterministic(options.seed)
        fitted = fit(
            config,
            prepared.vectors,
            pairs,
            dev,
            lambda logits: _measure(task, dev, logits, prepared.scale, 0.5),
            options,
            label_weights=weights,
            devices=devices,
            trained_words=prepared.trained_words,
            fingerprint=mark,
            **state,
        )
        policy = keras.config.dtype_policy()
        keras.config.set_dtype_policy("float32")
        scorer = build_network(config)
        keras.config.set_dtype_policy(policy)
        scorer.set_weights(fitted.network.get_weights())
        if options.refit != "none":
            refit(
                scorer,
                pairs,
                options.refit,
                max_length=config.max_length,
                seed=options.seed,
                label_weights=weights,
            )
        return scorer, fitted

    mark = _fingerprint(task, options, prepared, dev)
    scorer, first = trained(
        prepared.pairs,
        prepared.label_weights,
        mark,
        checkpoint_file=checkpoint_file,
        resume_from=Checkpoint.load(checkpoint_file, mark) if resume and checkpoint_file else None,
        progress=progress,
    )
    run = first.run
    adjustment = adjust(scorer)
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
    interrupted = run.interrupted
    if options.train_on_dev and not interrupted:
        pairs = with_dev(prepared.pairs, dev, store or ArrayStore())
        progress.message(
            f"once more, on train and dev, {len(pairs):,} pairs: {run.best_epoch} epochs"
        )
        state = state_with_dev(checkpoint_file) if checkpoint_file else None
        again = f"{mark} {first.best_epochs}"
        try:
            scorer, second = trained(
                pairs,
                label_weights(pairs, prepared.labels, options),
                again,
                epochs=first.best_epochs,
                checkpoint_file=state,
                resume_from=_begun(state, again) if resume else None,
                progress=replace(progress, epoch=partial(_tell_unmeasured, progress)),
            )
            interrupted = second.run.interrupted
        except TrainingInterruptedError:
            interrupted = True
        if not interrupted:
            adjustment.apply(scorer)
            matcher = replace(matcher, weights=named_weights(scorer))
            notes = notes | {"train_on_dev": TRAINED_ON_DEV}
    parts = {"dev": dev_pairs} | ({} if test_pairs is None else {"test": test_pairs})
    if test_pairs is not None:
        metrics["test"] = measures_of(matcher, test_pairs)
    about = {
        "data": {
            "train": _data_facts(prepared.source, _train_counts(prepared)),
            **{
                name: _data_facts(pairs.source, _counts(pairs, task))
                for name, pairs in parts.items()
            },
        },
        "options": options.to_dict(),
        "best_epoch": run.best_epoch,
        "epochs": len(run.epochs),
        "interrupted": interrupted,
        "seconds": round(time.perf_counter() - start, 1),
        "versions": versions() | libraries(prepared.encoder.features.names),
        **notes,
    }
    return Trained(
        replace(matcher, metrics=metrics, about=about),
        run.epochs,
        interrupted,
        dev_logits if options.train_on_dev else None,
    )


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


def versions() -> dict[str, str]:
    """The versions that decide a run's figures."""
    names = ("abcnn", "keras", keras.backend.backend(), "numpy", "scikit-learn", "gensim")
    found = {}
    for name in names:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed as a package"
    return {"python": platform.python_version(), "backend": keras.backend.backend(), **found}


def _outputs(task: Task, options: TrainingOptions, prepared: Prepared) -> int:
    if prepared.grades is not None:
        return len(prepared.grades.whole) if options.loss == "distribution" else 1
    return 1 if task.two_labels else len(prepared.labels)


def _network_config(task: Task, options: TrainingOptions, prepared: Prepared) -> NetworkConfig:
    return NetworkConfig(
        vocabulary=prepared.vectors.shape[0],
        dim=prepared.vectors.shape[1],
        features=len(prepared.encoder.features.names),
        outputs=_outputs(task, options, prepared),
        scores=options.scores or task.scores,
        comparison=options.comparison,
        model=options.model,
        conv_layers=options.conv_layers,
        filters=options.filters,
        width=task.width if options.width is None else options.width,
        max_length=prepared.encoder.max_length,
        hidden_dim=options.hidden_dim,
        heads=options.heads,
        depth=options.depth,
        joint=options.joint,
        cell=options.cell,
        both_directions=options.both_directions,
        attention=options.attention,
        window=options.window,
        max_sentences=options.max_sentences,
        target_words=options.target_words,
        sentence_ends=_sentence_ends(options, prepared),
        match_score=options.match_score or model_match_score(options.model),
        share_weights=options.share_weights,
        weight_all_pooling=options.weight_all_pooling,
        pooled_attention=options.pooled_attention,
        rest_network=options.rest_network,
        train_vectors=bool(options.train_vectors),
        vector_dropout=options.vector_dropout,
        score_dropout=options.score_dropout,
        l2=options.l2,
    )


def _sentence_ends(options: TrainingOptions, prepared: Prepared) -> tuple[int, ...]:
    """The ids of the words that end a sentence, for a model that asks for them."""
    if "sentence_ends" not in MODELS[options.model].options:
        return ()
    vocabulary = prepared.encoder.vocabulary
    return tuple(vocabulary.lookup(word) for word in SENTENCE_ENDS if word in vocabulary)


def _make_deterministic(seed: int) -> None:
    keras.utils.set_random_seed(seed)
    if keras.backend.backend() == "tensorflow":
        import tensorflow as tf

        tf.config.experimental.enable_op_determinism()


def _measure(
    task: Task, pairs: EncodedPairs, logits: np.ndarray, scale: Scale, threshold: float
) -> float:
    """The task's dev measure of some logits."""
    predictions = decide(logits, scale, threshold)
    assert pairs.labels is not None
    assert pairs.groups is not None
    if isinstance(scale, Grades):
        return pearson(pairs.labels, predictions.scores)
    if task.ranks:
        return ranking_measures(pairs.groups.tolist(), pairs.labels, predictions.scores).map
    return classification_measures(pairs.labels, predictions.labels, scale).accuracy


def tuned_threshold(task: Task, dev: EncodedPairs, logits: np.ndarray) -> float:
    """The probability from which the positive label is decided for, tuned on dev.

    For accuracy; but for F1 where candidates are ranked, since right answers are few and accuracy
    would say no to all.
    """
    if not task.two_labels:
        return 0.5
    assert dev.labels is not None
    if not task.ranks:
        return even_odds(logits, dev.labels)
    probabilities = decide(logits, ("", ""), 0.5).probabilities[:, 1]
    return best_threshold(probabilities, dev.labels == 1, "f1")


def _adjustment(
    task: Task,
    options: TrainingOptions,
    config: NetworkConfig,
    dev: EncodedPairs,
    scorer: keras.Model,
) -> Adjustment:
    """Calibrate a network on dev as loss, refit and options ask for; what was done."""
    assert dev.labels is not None
    labels = np.asarray(dev.labels)
    done = Adjustment()
    if options.loss in RANKING_LOSSES or (options.refit == "svm" and task.two_labels):
        scale, shift = platt(network_logits(scorer, dev, config.max_length), labels)
        scale_logits(scorer, scale, shift)
        done = replace(done, scale=scale, shift=shift)
    if options.calibrate == "none":
        return done
    logits = network_logits(scorer, dev, config.max_length)
    if options.calibrate == "isotonic":
        found = isotonic(logits, labels)
        note = "isotonic" if found else "none: a label is not on dev"
        return replace(done, calibration=found, note=note)
    by = temperature(logits, labels)
    divide_logits(scorer, by)
    return replace(done, temperature=by, note=f"temperature {by:.4f}")


def measures_of(matcher: Matcher, pairs: PairBatch) -> dict[str, Any]:
    """What a bundle's `metrics.json` has of one part of the data."""
    return matcher.record(pairs, matcher.predict(pairs))


def _train_counts(prepared: Prepared) -> Mapping[str, int]:
    """How many training pairs have each label, or a grade in each part of the range."""
    labels = np.asarray(prepared.pairs.labels)[: prepared.given]
    if prepared.grades is not None:
        return Counter(grade_bins(prepared.grades.grades(labels)))
    return dict(zip(prepared.labels, np.bincount(labels).tolist(), strict=True))


def _counts(pairs: PairBatch, task: Task) -> Mapping[str, int]:
    """How many pairs have each label, or a grade in each part of the range."""
    return Counter(grade_bins(grade_values(pairs)) if task.graded else pairs.labels or ())


def _data_facts(source: str, labels: Mapping[str, int]) -> dict[str, Any]:
    return {
        "file": Path(source).name,
        "pairs": sum(labels.values()),
        "labels": dict(sorted(labels.items())),
    }


def _fingerprint(
    task: Task, options: TrainingOptions, prepared: Prepared, dev: EncodedPairs
) -> str:
    """A checksum of all that decides the weights after an epoch, and which epoch is best.

    How long to go on does not, nor what follows the last epoch, so an interrupted run may be given
    more epochs; unless the learning rate falls over all of them.
    """
    digest = hashlib.sha256()
    later = {"patience": None, "calibrate": None, "train_on_dev": None}
    decisive = options.to_dict() | later
    if not options.scheduled:
        decisive["epochs"] = None
    digest.update(
        json.dumps(
            [task.name, decisive, keras.config.dtype_policy().name, keras.backend.backend()]
        ).encode()
    )
    digest.update(np.ascontiguousarray(prepared.vectors).tobytes())
    for pairs in (prepared.pairs, dev):
        for array in (
            *(pairs.left.ids, pairs.left.offsets, pairs.right.ids, pairs.right.offsets),
            *(pairs.features, pairs.labels, pairs.groups),
            *(part for rest in pairs.rests for part in (rest.ids, rest.offsets)),
        ):
            digest.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    if prepared.pairs.teacher is not None:
        digest.update(prepared.pairs.teacher.tobytes())
    return digest.hexdigest()
