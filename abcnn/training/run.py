"""A whole training run: labelled pairs in, a matcher and its history out."""

from __future__ import annotations

import hashlib
import json
import platform
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import keras
import numpy as np

from abcnn.devices import shared_batches
from abcnn.errors import TrainingInterruptedError
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
from abcnn.scoring.calibration import Calibration
from abcnn.scoring.matcher import Matcher, network_logits
from abcnn.scoring.predictions import decide
from abcnn.tasks import Task
from abcnn.text.batches import EncodedPairs, mean_of_orders, sorted_batches
from abcnn.text.vector_sets import VectorFiles, vector_files
from abcnn.training.arrays import ArrayStore
from abcnn.training.calibration import (
    calibrate,
    divide_logits,
    even_odds,
    isotonic,
    temperature,
)
from abcnn.training.checkpoint import Checkpoint
from abcnn.training.corpus import Corpus
from abcnn.training.layerwise import stages, take_frozen
from abcnn.training.loop import Run, train_network
from abcnn.training.options import RANKING_LOSSES, TrainingOptions, model_match_score
from abcnn.training.prepare import Prepared, encode_labelled, prepare
from abcnn.training.progress import SILENT, Epoch, Progress
from abcnn.training.refit import refit


@dataclass(frozen=True)
class Trained:
    """What a run gives: the matcher with the weights of the best epoch, every epoch, and whether
    the user ended it early."""

    matcher: Matcher
    epochs: tuple[Epoch, ...]
    interrupted: bool


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

    Raises InputError for data or options that do not fit, TrainingError when training fails.
    """
    start = time.perf_counter()
    options = (options or TrainingOptions()).for_task(task)
    if options.train_vectors is None:
        options = replace(options, train_vectors=not vector_files(vectors))
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

    _make_deterministic(options.seed)
    config = _network_config(task, options, prepared)
    mark = _fingerprint(task, options, prepared, dev)

    def fit(
        config: NetworkConfig, earlier: keras.Model | None, **state: Any
    ) -> tuple[keras.Model, Run]:
        # A network on several devices predicts on each of them: its copy on one is measured.
        single = None if devices is None else build_network(config)
        with shared_batches(devices):
            network = build_network(config, prepared.vectors)
            if earlier is not None:
                take_frozen(network, earlier)

            def measure_dev() -> float:
                if single is None:
                    logits = network_logits(network, dev, config.max_length)
                else:
                    single.set_weights(network.get_weights())
                    logits = _plain_logits(single, dev, config.max_length)
                return _measure(task, dev, logits, prepared.scale, 0.5)

            return network, train_network(
                network,
                prepared.pairs,
                measure_dev,
                options,
                label_weights=prepared.label_weights,
                fingerprint=mark,
                progress=progress,
                **state,
            )

    earlier = None
    for stage in stages(config) if options.layerwise else ():
        # Without a checkpoint: the same seed trains them to the same weights when a run resumes.
        progress.message(f"layerwise: block {stage.conv_layers} of {config.conv_layers}")
        earlier, run = fit(stage, earlier)
        if run.interrupted:
            raise TrainingInterruptedError(
                "interrupted before the last block's training; nothing is kept"
            )
    network, run = fit(
        config,
        earlier,
        checkpoint_file=checkpoint_file,
        resume_from=Checkpoint.load(checkpoint_file, mark) if resume and checkpoint_file else None,
    )

    # Without the optimiser and the loss, and in float32: measured is what a loaded bundle scores.
    policy = keras.config.dtype_policy()
    keras.config.set_dtype_policy("float32")
    scorer = build_network(config)
    keras.config.set_dtype_policy(policy)
    scorer.set_weights(network.get_weights())
    if options.refit != "none":
        refit(
            scorer,
            prepared.pairs,
            options.refit,
            max_length=config.max_length,
            seed=options.seed,
            label_weights=prepared.label_weights,
        )
    if options.loss in RANKING_LOSSES or (options.refit == "svm" and task.two_labels):
        calibrate(scorer, network_logits(scorer, dev, config.max_length), np.asarray(dev.labels))
    calibration, calibrated = _calibrate(options, scorer, dev, config)
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
    logits = matcher.logits(dev)
    logits = calibration(logits) if calibration else logits
    matcher = replace(matcher, threshold=tuned_threshold(task, dev, logits))
    parts = {"dev": dev_pairs} | ({} if test_pairs is None else {"test": test_pairs})
    metrics = {name: measures_of(matcher, pairs) for name, pairs in parts.items()}
    about = {
        "data": {
            "train": _data_facts(prepared.source, _train_counts(prepared)),
            **{
                name: _data_facts(pairs.source, _counts(pairs, task))
                for name, pairs in parts.items()
            },
        },
        "options": options.to_dict(),
        "best_epoch": next(epoch.number for epoch in reversed(run.epochs) if epoch.best),
        "epochs": len(run.epochs),
        "interrupted": run.interrupted,
        "seconds": round(time.perf_counter() - start, 1),
        "versions": versions() | libraries(prepared.encoder.features.names),
        **calibrated,
        **prepared.notes,
    }
    return Trained(replace(matcher, metrics=metrics, about=about), run.epochs, run.interrupted)


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


def _plain_logits(network: keras.Model, pairs: EncodedPairs, max_length: int) -> np.ndarray:
    """As `network_logits` without `predict_on_batch`, which several devices would all run."""

    def of_one_order(pairs: EncodedPairs) -> np.ndarray:
        logits = np.zeros((len(pairs), network.output_shape[-1]), dtype=np.float32)
        for indices in sorted_batches(pairs, 256):
            inputs = pairs.inputs(indices, max_length)
            logits[indices] = keras.ops.convert_to_numpy(network(inputs, training=False))
        return logits

    return mean_of_orders(of_one_order, pairs)


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


def _calibrate(
    options: TrainingOptions, scorer: keras.Model, dev: EncodedPairs, config: NetworkConfig
) -> tuple[Calibration | None, dict[str, Any]]:
    """Calibrate on dev as the options say: the map, if it is no change of weights, and a note."""
    assert dev.labels is not None
    if options.calibrate == "none":
        return None, {}
    logits = network_logits(scorer, dev, config.max_length)
    if options.calibrate == "isotonic":
        found = isotonic(logits, dev.labels)
        return found, {"calibration": "isotonic" if found else "none: a label is not on dev"}
    by = temperature(logits, dev.labels)
    divide_logits(scorer, by)
    return None, {"calibration": f"temperature {by:.4f}"}


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
    decisive = options.to_dict() | {"patience": None, "calibrate": None}
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
