"""Why a pair got its score: attention, weighed inputs, words left out; and pictures of them."""

from abcnn.explanation.explain import Explainer, explain
from abcnn.explanation.records import Attention, Contribution, Explanation, Logit, Sentence, Units

__all__ = [
    "Attention",
    "Contribution",
    "Explainer",
    "Explanation",
    "Logit",
    "Sentence",
    "Units",
    "explain",
]
