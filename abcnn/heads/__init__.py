"""Heads: from similarity scores and features to the task's logits."""

from abcnn.heads.logistic import logistic_head

__all__ = ["logistic_head"]
