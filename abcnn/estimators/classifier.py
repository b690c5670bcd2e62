"""A pair classifier for scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin

from abcnn.estimators.base import PairEstimator


class PairClassifier(ClassifierMixin, PairEstimator):
    """A class for every pair of sentences.

    With two classes it learns as the task `paraphrase` does, with more as `entailment`; every
    option of `abcnn.training.options.TrainingOptions` is a parameter under its name, `vectors` is a
    file of word vectors or several, `random_state` the seed.

    `X` holds two columns of sentences: an array `(pairs, 2)`, a list of tuples, or a DataFrame with
    the columns `left` and `right`, or with two columns.

    Attributes: `classes_`, sorted; `matcher_`, an `abcnn.Matcher`, which can be saved as a bundle;
    `history_`, the epochs.
    """

    def fit(self, X: Any, y: Any) -> PairClassifier:
        """Train on labelled pairs; `dev_share` of each class is held out to choose the epoch by.

        Raises InputError, a ValueError, for data or parameters that do not fit.
        """
        self._fit(X, y, task=None)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The class of every pair `(pairs,)`; of two, by the threshold that was tuned on the part
        held out, which may differ from 0.5."""
        predictions = self._predict(X)
        place = {str(one): index for index, one in enumerate(self.classes_)}
        return self.classes_[[place[name] for name in predictions.label_names]]

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class, float64 `(pairs, classes)`, in the order of `classes_`."""
        return self._by_class(self._predict(X))
