"""What a bundle notes of the run that made it: data, versions, options."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import keras
import numpy as np

from abcnn.pairs import PairBatch
from abcnn.readers.grades import grade_bins, grade_values
from abcnn.tasks import Task
from abcnn.training.prepare import Prepared


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


def facts_of_data(
    prepared: Prepared, parts: Mapping[str, PairBatch], task: Task
) -> dict[str, dict[str, Any]]:
    """File, size and labels of the training pairs and of each other part."""
    return {
        "train": _data_facts(prepared.source, _train_counts(prepared)),
        **{name: _data_facts(pairs.source, _counts(pairs, task)) for name, pairs in parts.items()},
    }


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
