"""Matchers as scikit-learn estimators: two columns of sentences in, labels or scores out."""

from abcnn.estimators.classifier import PairClassifier
from abcnn.estimators.ranker import PairRanker

__all__ = ["PairClassifier", "PairRanker"]
