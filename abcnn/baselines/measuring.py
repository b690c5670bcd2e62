"""The baselines of a task, fitted on the training pairs and measured as a model is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from abcnn.baselines.vectors import mean_vector_cosines
from abcnn.evaluation.classification import classification_measures
from abcnn.evaluation.grading import grade_measures
from abcnn.evaluation.ranking import ranking_measures
from abcnn.features.catalogue import GROUPS
from abcnn.pairs import PairBatch
from abcnn.tasks import Task
from abcnn.text.batches import EncodedPairs
from abcnn.text.vector_sets import VectorFiles
from abcnn.training.options import TrainingOptions
from abcnn.training.prepare import Prepared, encode_labelled, prepare

# Whole sentences: no network here sets a length.
_MAX_LENGTH = 10_000


@dataclass(frozen=True)
class Baseline:
    """Some numbers of a pair, and what they are.

    A ranking follows a single number as it is; otherwise labels are decided by a logistic
    regression on the numbers, and grades given by a ridge regression, fitted on the training pairs.
    Without any number all candidates are tied, and every pair has the most frequent label, or the
    mean grade. `columns` gives float64 `(pairs, numbers)`.
    """

    name: str
    what: str
    columns: Callable[[Prepared, EncodedPairs], np.ndarray]


def _features(*names: str) -> Callable[[Prepared, EncodedPairs], np.ndarray]:
    def columns(prepared: Prepared, pairs: EncodedPairs) -> np.ndarray:
        places = [prepared.encoder.features.names.index(name) for name in names]
        return pairs.features[:, places].astype(np.float64)

    return columns


BASELINES: tuple[Baseline, ...] = (
    Baseline(
        "constant",
        "the most frequent label, or the mean grade; candidates in random order",
        _features(),
    ),
    Baseline("word_count", "WordCnt", _features("word_count")),
    Baseline("weighted_word_count", "WgtWordCnt", _features("weighted_word_count")),
    Baseline("mean_vector", "cosine of the mean word vectors", mean_vector_cosines),
    Baseline(
        "lexical",
        "logistic (of grades, ridge) regression on all lexical features",
        _features(*GROUPS["lexical"]),
    ),
)


def measure_baselines(
    task: Task,
    train: PairBatch,
    parts: Mapping[str, PairBatch],
    *,
    vectors: VectorFiles = None,
    options: TrainingOptions | None = None,
    on_message: Callable[[str], None] = lambda message: None,
) -> dict[str, dict[str, dict[str, Any]]]:
    """Fit every baseline on `train` and measure it on each of `parts`, which are labelled.

    Gives the measures by baseline and part, as `abcnn.evaluation` has them: ties count with their
    expected value. `vectors` and of the `options` those of text are as in training. Raises
    InputError for data that cannot be learnt from or measured.
    """
    options = options or TrainingOptions()
    shared = {"features": ("lexical",), "max_length": _MAX_LENGTH, "train_vectors": False}
    options = TrainingOptions(**options.to_dict() | shared).for_task(task)
    prepared = prepare(train, task, options, vectors, on_message=on_message)
    encoded = {
        name: encode_labelled(pairs, prepared.scale, prepared.encoder)
        for name, pairs in parts.items()
    }
    return {
        baseline.name: {
            name: _measure(task, baseline, prepared, pairs, encoded[name])
            for name, pairs in parts.items()
        }
        for baseline in BASELINES
    }


def _measure(
    task: Task, baseline: Baseline, prepared: Prepared, pairs: PairBatch, encoded: EncodedPairs
) -> dict[str, Any]:
    numbers = baseline.columns(prepared, encoded)
    labels, count = np.asarray(encoded.labels), numbers.shape[1]
    if task.ranks:
        if count == 0:
            scores = np.zeros(len(pairs))
        elif count == 1:
            scores = numbers[:, 0]
        else:
            scores = _logistic(baseline, prepared).predict_proba(numbers)[:, 1]
        return ranking_measures(
            pairs.ranking_groups, labels, scores, candidate_ids=pairs.ranking_candidate_ids
        ).to_dict()
    if prepared.grades is not None:
        shares = _ridge(baseline, prepared)(numbers)
        return grade_measures(*(prepared.grades.grades(one) for one in (labels, shares))).to_dict()
    if count == 0:
        said = np.full(len(pairs), np.bincount(np.asarray(prepared.pairs.labels)).argmax())
    else:
        said = _logistic(baseline, prepared).predict(numbers)
    return classification_measures(labels, said, prepared.labels).to_dict()


def _ridge(baseline: Baseline, prepared: Prepared) -> Callable[[np.ndarray], np.ndarray]:
    """From a baseline's numbers to the share of the range of grades; without any, the mean."""
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    shares = np.asarray(prepared.pairs.labels)
    numbers = baseline.columns(prepared, prepared.pairs)
    if not numbers.shape[1]:
        return lambda numbers: np.full(len(numbers), shares.mean())
    fitted: Callable[[np.ndarray], np.ndarray] = (
        make_pipeline(StandardScaler(), Ridge()).fit(numbers, shares).predict
    )
    return fitted


def _logistic(baseline: Baseline, prepared: Prepared) -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    numbers = baseline.columns(prepared, prepared.pairs)
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    return model.fit(numbers, np.asarray(prepared.pairs.labels))
