"""A regressor of the grades of pairs for scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from abcnn.estimators.base import PairEstimator


class PairRegressor(RegressorMixin, PairEstimator):
    """A grade for every pair of sentences: how similar they are, on the scale of `y`.

    It learns as the task `similarity` does; parameters and `X` as those of `PairClassifier`. `y`
    holds numbers. `score` is the coefficient of determination, as of every regressor of
    scikit-learn; epochs are chosen by Pearson's correlation on the part held out.

    Attributes: `matcher_`; `history_`.
    """

    def fit(self, X: Any, y: Any) -> PairRegressor:
        """Train on graded pairs; `dev_share` of each quarter of the range of grades is held out.

        Raises InputError, a ValueError, for data or parameters that do not fit.
        """
        from abcnn.tasks import TASKS

        self._fit(X, y, TASKS["similarity"])
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The grade of every pair, float64 `(pairs,)`, within the range of those fitted on."""
        return self._predict(X).scores
