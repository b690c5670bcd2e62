"""Ensembles that need no training: a tiny matcher with networks of other weights."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from abcnn.scoring.matcher import Matcher

VECTORS = "vectors/embeddings"


def with_members(matcher: Matcher, *, shared: bool, count: int = 3) -> Matcher:
    """An ensemble whose networks have one table of word vectors, or one each."""
    generator = np.random.default_rng(5)
    others = []
    for _ in range(count - 1):
        weights = {
            name: array + generator.normal(0, 0.1, array.shape).astype(np.float32)
            for name, array in matcher.weights.items()
        }
        if shared:
            weights[VECTORS] = matcher.weights[VECTORS]
        others.append(weights)
    return replace(matcher, others=tuple(others))


def alone(matcher: Matcher) -> list[Matcher]:
    """The networks of an ensemble as matchers."""
    return [replace(matcher, weights=weights, others=()) for weights in matcher.members]
