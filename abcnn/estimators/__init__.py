"""Matchers as scikit-learn estimators: sentences in, labels, scores or grades out."""

from abcnn.estimators.classifier import PairClassifier
from abcnn.estimators.ranker import PairRanker
from abcnn.estimators.regressor import PairRegressor

__all__ = ["PairClassifier", "PairRanker", "PairRegressor"]
