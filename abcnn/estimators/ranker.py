"""A ranker of the candidates of questions for scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from abcnn.estimators.base import PairEstimator
from abcnn.evaluation.ranking import RankingMeasures


class PairRanker(PairEstimator):
    """A score for every candidate of a question, higher for the better one.

    It learns as the task `answer-selection` does; parameters and `X` as those of `PairClassifier`.
    `groups` says which candidates belong to one question; without it they are those with the same
    left sentence.

    Attributes: `classes_`, the wrong label and the right one, sorted; `matcher_`; `history_`.
    """

    def fit(self, X: Any, y: Any, groups: Any = None) -> PairRanker:
        """Train on judged candidates; `dev_share` of the questions is held out, each as a whole.

        Raises InputError, a ValueError, for data or parameters that do not fit.
        """
        from abcnn.tasks import TASKS

        self._fit(X, y, TASKS["answer-selection"], groups)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The probability that a candidate is right, float64 `(pairs,)`, to rank it by."""
        return self._predict(X).scores

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of both labels, float64 `(pairs, 2)`, in the order of `classes_`."""
        return self._by_class(self._predict(X))

    def score(self, X: Any, y: Any, groups: Any = None) -> float:
        """Mean average precision; questions without a right candidate do not count, ties do with
        their expected value."""
        check_is_fitted(self, "matcher_")
        pairs = self._batch(self._table(X), y, groups)
        measures = self.matcher_.evaluate(pairs)
        assert isinstance(measures, RankingMeasures)
        return float(measures.map)
