"""POST /score, /rank and /explain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastapi import FastAPI

from abcnn.errors import InputError
from abcnn.serving.batching import BatchedScoring
from abcnn.serving.bodies import (
    Candidates,
    ManyPairs,
    ManyScores,
    OneOrManyPairs,
    PairScore,
    Ranking,
    TextPair,
)
from abcnn.serving.explaining import Explaining
from abcnn.serving.failures import FAILURES
from abcnn.serving.limits import Limits
from abcnn.serving.scores import ranking


def add_pair_routes(
    app: FastAPI,
    scoring: BatchedScoring[PairScore],
    explaining: Explaining,
    limits: Limits,
    *,
    can_rank: bool,
) -> None:
    """Add the routes that read pairs; without `can_rank` there is no /rank."""

    @app.post("/score", responses=FAILURES, response_description="The results.")
    async def score(body: OneOrManyPairs) -> PairScore | ManyScores:
        """Score one pair, or the list `pairs`; one result a pair, in order."""
        if isinstance(body, ManyPairs):
            _check_count("pairs", body.pairs, limits)
            for index, pair in enumerate(body.pairs):
                _check_pair(f"pairs[{index}].", pair, limits)
            results = await scoring.score([(pair.left, pair.right) for pair in body.pairs])
            return ManyScores(results=results)
        _check_pair("", body, limits)
        return (await scoring.score([(body.left, body.right)]))[0]

    if can_rank:

        @app.post("/rank", responses=FAILURES, response_description="The ranking.")
        async def rank(body: Candidates) -> Ranking:
            """Rank the candidates of a question, best first."""
            _check_text("question", body.question, limits)
            _check_count("candidates", body.candidates, limits)
            for index, candidate in enumerate(body.candidates):
                _check_text(f"candidates[{index}]", candidate, limits)
            scores = await scoring.score([(body.question, one) for one in body.candidates])
            return Ranking(ranking=ranking(body.candidates, scores))

    @app.post("/explain", responses=FAILURES, response_description="The explanation.")
    async def explain(body: TextPair) -> dict[str, Any]:
        """Why a pair gets its score: attention matrices, what the logits add up, and what leaving
        out each word changes."""
        _check_pair("", body, limits)
        return await explaining.explain(body.left, body.right)


def _check_count(name: str, values: Sequence[Any], limits: Limits) -> None:
    if not 1 <= len(values) <= limits.pairs:
        raise InputError(f"`{name}` must be 1 to {limits.pairs:,}. Received: {len(values):,}")


def _check_pair(before: str, pair: TextPair, limits: Limits) -> None:
    _check_text(f"{before}left", pair.left, limits)
    _check_text(f"{before}right", pair.right, limits)


def _check_text(name: str, text: str, limits: Limits) -> None:
    if len(text) > limits.characters:
        raise InputError(
            f"`{name}` must be at most {limits.characters:,} characters. Received: {len(text):,}"
        )
