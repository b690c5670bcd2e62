"""From the pairs of a request to what its answer says of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from abcnn.serving.bodies import PairScore, RankedCandidate

if TYPE_CHECKING:
    from abcnn.scoring.matcher import Matcher


def score_pairs(matcher: Matcher, pairs: Sequence[tuple[str, str]]) -> list[PairScore]:
    """One result a pair; one with an empty or wordless sentence has a note instead of a score."""
    lengths = [[len(matcher.encoder.tokenizer(text)) for text in pair] for pair in pairs]
    notes = [_note(pair, found) for pair, found in zip(pairs, lengths, strict=True)]
    whole = [index for index, note in enumerate(notes) if note is None]
    said = matcher.predict([pairs[index] for index in whole])
    results = [
        PairScore(score=None, label=None, probabilities=None, truncated=[], note=note)
        for note in notes
    ]
    names: list[str | None] = [*said.label_names] or [None] * len(whole)
    rows = zip(whole, said.scores.tolist(), names, said.probabilities.tolist(), strict=True)
    for index, score, label, probabilities in rows:
        results[index] = PairScore(
            score=score,
            label=label,
            probabilities=dict(zip(said.names, probabilities, strict=True)) or None,
            truncated=[
                side
                for side, length in zip(("left", "right"), lengths[index], strict=True)
                if length > matcher.encoder.max_length
            ],
            note=None,
        )
    return results


def ranking(candidates: Sequence[str], scores: Sequence[PairScore]) -> list[RankedCandidate]:
    """The candidates by their scores, best first, as `Matcher.rank`; those without one last."""
    scored = [index for index, result in enumerate(scores) if result.score is not None]
    order = sorted(scored, key=lambda index: -(scores[index].score or 0.0))
    rest = sorted(set(range(len(candidates))) - set(scored))
    return [
        RankedCandidate(
            rank=rank if rank <= len(order) else None,
            index=index,
            candidate=candidates[index],
            score=scores[index].score,
            note=scores[index].note,
        )
        for rank, index in enumerate([*order, *rest], start=1)
    ]


def _note(pair: tuple[str, str], lengths: Sequence[int]) -> str | None:
    """Why a pair has no score, in the words of scored tables."""
    notes = [
        f"{side} {'holds no word' if text.strip() else 'is empty'}"
        for side, text, length in zip(("left", "right"), pair, lengths, strict=True)
        if not length
    ]
    return "; ".join(notes) or None
