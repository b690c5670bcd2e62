"""Measures with their bootstrap intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from abcnn.evaluation.calibration import bin_places, claims, reliability
from abcnn.evaluation.grading import pearson_of_sums, pearson_terms, ranks
from abcnn.evaluation.questions import QuestionMeasures
from abcnn.evaluation.significance import bootstrap_interval
from abcnn.report.records import Measured
from abcnn.scoring.predictions import Predictions

Statistic = Callable[[np.ndarray], np.ndarray]


def ranking_rows(questions: QuestionMeasures, seed: int) -> Iterator[Measured]:
    """MAP, MRR and P@1 over the questions that have a right candidate, drawn as wholes."""
    counted = questions.counted()
    for name, values in (
        ("MAP", questions.average_precision),
        ("MRR", questions.reciprocal_rank),
        ("P@1", questions.precision_at_1),
    ):
        yield mean_of(name, values[counted], seed)


def decision_rows(
    labels: np.ndarray, predictions: Predictions, seed: int, groups: np.ndarray | None = None
) -> Iterator[Measured]:
    """Accuracy, F1 and the calibration error over pairs.

    With `groups`, int64 `(pairs,)`, whole groups are drawn: the candidates of a question are not
    independent of each other.
    """
    names, count = predictions.names, len(predictions.names)
    cells = np.eye(count * count)[labels * count + predictions.labels]

    def accuracy(means: np.ndarray) -> np.ndarray:
        table = means.reshape(-1, count, count)
        return np.trace(table, axis1=1, axis2=2) / table.sum(axis=(1, 2))

    yield _measured("accuracy", cells, accuracy, seed, groups)
    shown = range(count) if count > 2 else [count - 1]
    for label in shown:
        yield _measured(f"F1 of {names[label]}", cells, _f1(count, label), seed, groups)

    def macro(means: np.ndarray) -> np.ndarray:
        return np.mean([_f1(count, label)(means) for label in range(count)], axis=0)

    yield _measured("macro F1", cells, macro, seed, groups)

    said, so = claims(predictions.probabilities, predictions.labels, labels)
    edges = reliability(said, so).edges
    bins = len(edges) - 1
    gaps = np.zeros((len(said), bins + 1))
    gaps[np.arange(len(said)), bin_places(said, edges)] = said - so
    gaps[:, bins] = 1

    def error(means: np.ndarray) -> np.ndarray:
        return np.abs(means[:, :bins]).sum(axis=1) / means[:, bins]

    yield _measured("expected calibration error", gaps, error, seed, groups)


def grade_rows(true: np.ndarray, said: np.ndarray, seed: int) -> Iterator[Measured]:
    """Both correlations and the mean squared error over pairs; ranks are those in the whole file,
    in the interval of Spearman's too."""
    terms = pearson_terms(true, said)
    yield _measured("Pearson", terms, pearson_of_sums, seed, None)
    terms = pearson_terms(ranks(true), ranks(said))
    yield _measured("Spearman", terms, pearson_of_sums, seed, None)
    yield mean_of("mean squared error", (true - said) ** 2, seed)


def mean_of(name: str, values: np.ndarray, seed: int) -> Measured:
    """The mean of one value a unit."""
    return Measured(name, float(values.mean()), *bootstrap_interval(values, seed=seed), len(values))


def _f1(count: int, label: int) -> Statistic:
    def f1(means: np.ndarray) -> np.ndarray:
        table = means.reshape(-1, count, count)
        both = table[:, label].sum(axis=1) + table[:, :, label].sum(axis=1)
        return np.where(both > 0, 2 * table[:, label, label] / np.where(both > 0, both, 1), 0.0)

    return f1


def _measured(
    name: str, rows: np.ndarray, statistic: Statistic, seed: int, groups: np.ndarray | None
) -> Measured:
    value = float(statistic(rows.mean(axis=0)[None])[0])
    if groups is not None:
        sums = np.zeros((int(groups.max()) + 1, rows.shape[1]))
        np.add.at(sums, groups, rows)
        rows, pairs = sums, len(rows)
    else:
        pairs = len(rows)
    interval = bootstrap_interval(rows, statistic=statistic, seed=seed)
    return Measured(name, value, *interval, pairs)
