"""What is chosen on dev: the best epoch's measure, calibration, threshold."""

from __future__ import annotations

from dataclasses import replace

import keras
import numpy as np

from abcnn.evaluation.classification import best_threshold, classification_measures
from abcnn.evaluation.grading import pearson
from abcnn.evaluation.ranking import ranking_measures
from abcnn.network import NetworkConfig
from abcnn.readers.grades import Grades, Scale
from abcnn.scoring.matcher import network_logits
from abcnn.scoring.predictions import decide
from abcnn.tasks import Task
from abcnn.text.batches import EncodedPairs
from abcnn.training.calibration import (
    Adjustment,
    even_odds,
    isotonic,
    platt,
    temperature,
)
from abcnn.training.options import RANKING_LOSSES, TrainingOptions


def dev_measure(
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


def adjust_on_dev(
    task: Task,
    options: TrainingOptions,
    config: NetworkConfig,
    dev: EncodedPairs,
    scorer: keras.Model,
) -> Adjustment:
    """Calibrate a network on dev as loss, refit and options ask for; what was done."""
    if options.calibrate == "none" and not _leaves_scale_open(task, options):
        return Adjustment()
    assert dev.labels is not None
    logits = network_logits(scorer, dev, config.max_length)
    found = adjustment(task, options, logits, np.asarray(dev.labels))
    found.apply(scorer)
    return found


def adjustment(
    task: Task, options: TrainingOptions, logits: np.ndarray, labels: np.ndarray
) -> Adjustment:
    """What loss, refit and options ask to be made of logits `(pairs, outputs)`, by their labels.

    Platt's scale and shift first, where training leaves them open; then the calibration.
    """
    scale, shift = platt(logits, labels) if _leaves_scale_open(task, options) else (1.0, 0.0)
    scaled = Adjustment(scale, shift)
    if options.calibrate == "temperature":
        by = temperature(scaled.logits(logits), labels)
        return replace(scaled, temperature=by, note=f"temperature {by:.4f}")
    if options.calibrate == "isotonic":
        found = isotonic(scaled.logits(logits), labels)
        note = "isotonic" if found else "none: a label is not on dev"
        return replace(scaled, calibration=found, note=note)
    return scaled


def _leaves_scale_open(task: Task, options: TrainingOptions) -> bool:
    """Whether logits are trained whose scale and zero are not those of probabilities."""
    return options.loss in RANKING_LOSSES or (options.refit == "svm" and task.two_labels)
