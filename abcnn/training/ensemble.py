"""Several networks that differ in their seed, and the one matcher whose logits are their mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from abcnn.errors import InputError, TrainingInterruptedError
from abcnn.network import named_weights
from abcnn.pairs import PairBatch
from abcnn.scoring.matcher import Matcher
from abcnn.scoring.predictions import mean_logits
from abcnn.tasks import Task
from abcnn.text.vector_sets import VectorFiles, vector_files
from abcnn.training.choosing import adjustment, tuned_threshold
from abcnn.training.many_runs import many_networks
from abcnn.training.options import TrainingOptions
from abcnn.training.prepare import encode_labelled, prepare
from abcnn.training.progress import SILENT, Epoch, Progress
from abcnn.training.run import Trained, measures_of, train

if TYPE_CHECKING:
    from abcnn.features.extraction import Extraction

_VECTORS = "vectors/embeddings"


def train_ensemble(
    task: Task,
    train_pairs: PairBatch,
    dev_pairs: PairBatch,
    test_pairs: PairBatch | None = None,
    *,
    members: int,
    options: TrainingOptions | None = None,
    vectors: VectorFiles = None,
    extraction: Extraction | None = None,
    progress: Progress = SILENT,
) -> Trained:
    """Train `members` networks with the seeds from `options.seed` on, and join them (`join`).

    They share words, first word vectors and features; the epochs are those of one after the other.
    The other arguments are those of `abcnn.training.run.train`.

    Raises as `train` does, and TrainingInterruptedError when one was interrupted.
    """
    options = resolved(options or TrainingOptions(), task, vectors)
    shared = prepare(
        train_pairs,
        task,
        options,
        vectors,
        on_message=progress.message,
        extraction=extraction,
    )
    matchers: list[Matcher] = []
    epochs: list[Epoch] = []
    dev_logits: list[np.ndarray] = []
    for one in member_options(options, members):
        with many_networks():
            trained = train(
                task,
                train_pairs,
                dev_pairs,
                test_pairs,
                options=one,
                vectors=vectors,
                prepared=shared,
                progress=progress,
            )
        if trained.interrupted:
            raise TrainingInterruptedError(
                f"interrupted in the training of network {len(matchers) + 1} of {members}; "
                "nothing is kept"
            )
        matchers.append(trained.matcher)
        epochs += trained.epochs
        if trained.dev_logits is not None:
            dev_logits.append(trained.dev_logits)
    matcher = join(matchers, dev_pairs, test_pairs, options=options, dev_logits=dev_logits)
    return Trained(matcher, tuple(epochs), interrupted=False)


def resolved(options: TrainingOptions, task: Task, vectors: VectorFiles) -> TrainingOptions:
    """The checked options with the task's defaults, and whether word vectors are trained."""
    return options.for_task(task).with_vectors(bool(vector_files(vectors)))


def member_options(options: TrainingOptions, members: int) -> list[TrainingOptions]:
    """The options of each network: the seeds from `options.seed` on, calibrated only together.

    Raises InputError for fewer than two.
    """
    if members < 2:
        raise InputError(f"`ensemble` must have at least 2 networks. Received: {members}")
    return [
        replace(options, seed=options.seed + number, calibrate="none") for number in range(members)
    ]


def join(
    members: Sequence[Matcher],
    dev_pairs: PairBatch,
    test_pairs: PairBatch | None,
    *,
    options: TrainingOptions,
    dev_logits: Sequence[np.ndarray] = (),
) -> Matcher:
    """The ensemble of matchers that were trained alike: its logits are the mean of theirs.

    After a ranking loss each member's logits are brought to one scale by Platt's method on dev
    before this (`abcnn.training.run.train`); here their mean is, once more, since networks that
    differ are together less sure than each. The calibration that `options` ask for, and the
    threshold, are found on dev for the mean. What changes a scale changes the weights of each
    output layer. `about` has a record of each member under `members`.

    members: of one task, labels, configuration and encoder; the first's is kept.
    dev_logits: what all is found by in place of the members' own logits of dev, and dev measured:
        with `options.train_on_dev`, where the members have learnt from dev, those of each one's
        first training (`abcnn.training.run.Trained`).
    """
    first = members[0]
    dev = encode_labelled(dev_pairs, first.scale, first.encoder)
    assert dev.labels is not None
    shared = {} if first.config.train_vectors else {_VECTORS: first.weights[_VECTORS]}
    mean = replace(
        first,
        others=tuple({**member.weights, **shared} for member in members[1:]),
        calibration=None,
        threshold=0.5,
    )
    logits = mean_logits(list(dev_logits)) if dev_logits else mean.logits(dev)
    found = adjustment(first.task, options, logits, np.asarray(dev.labels))
    if found.of_weights:
        for network in mean.networks:
            found.apply(network)
        mean = _with_weights(mean, shared)
        logits = found.logits(logits) if dev_logits else mean.logits(dev)
    mean = replace(mean, calibration=found.calibration)
    stated = logits if dev_logits else None
    logits = found.calibration(logits) if found.calibration else logits
    mean = replace(mean, threshold=tuned_threshold(first.task, dev, logits))
    parts = {"dev": dev_pairs} | ({} if test_pairs is None else {"test": test_pairs})
    own = ("best_epoch", "epochs", "seconds")
    records = [
        {"seed": member.about["options"]["seed"]}
        | {name: member.about[name] for name in own}
        | {"metrics": member.metrics}
        for member in members
    ]
    about = {name: value for name, value in first.about.items() if name not in own}
    metrics = {name: measures_of(mean, pairs) for name, pairs in parts.items()}
    if stated is not None:
        metrics["dev"] = mean.record(dev_pairs, mean.decide(stated))
    return replace(
        mean,
        metrics=metrics,
        about=about
        | {"options": options.to_dict(), "members": records}
        | {"seconds": round(sum(record["seconds"] for record in records), 1)}
        | ({} if found.note is None else {"calibration": found.note}),
    )


def _with_weights(mean: Matcher, shared: Mapping[str, np.ndarray]) -> Matcher:
    """The ensemble of the weights that its networks have now."""
    weights, *others = ({**named_weights(network), **shared} for network in mean.networks)
    return replace(mean, weights=weights, others=tuple(others))
