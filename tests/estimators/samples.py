"""A few pairs of the samples, and estimators that are quick to fit."""

from __future__ import annotations

from typing import Any

import numpy as np

from abcnn.readers import read_pairs
from tests.trained import SAMPLES

TINY: dict[str, Any] = {"model": "bcnn", "dim": 4, "filters": 2, "epochs": 1, "random_state": 3}


def sample(task: str, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The first pairs of the task: sentences `(count, 2)`, labels and questions `(count,)`."""
    pairs = read_pairs(str(SAMPLES / task / "train.tsv"), require_labels=True).pairs
    pairs = pairs.select(range(count))
    sentences = np.array([pairs.left, pairs.right], dtype=object).T
    return sentences, np.array(pairs.labels), np.array(pairs.ranking_groups)
