"""Labels: their order, their numbers, and what a task asks of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from abcnn.errors import InputError
from abcnn.pairs import PairBatch

# Negative first, so that of two labels the second is the one a score is the probability of.
USUAL_ORDERS = (
    ("contradiction", "neutral", "entailment"),
    ("not_entailment", "entailment"),
    ("no", "yes"),
    ("false", "true"),
    ("not_duplicate", "duplicate"),
    ("not_paraphrase", "paraphrase"),
    ("not_equivalent", "equivalent"),
    ("irrelevant", "relevant"),
    ("negative", "positive"),
)
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?", re.ASCII)


def label_names(labels: Iterable[str]) -> tuple[str, ...]:
    """The different labels in their stated order, which is also that of a model's classes.

    Numbers by size; the members of one of `USUAL_ORDERS` (in any case) in its order; anything else
    by the alphabet.
    """
    names = sorted(set(labels))
    if all(_NUMBER.fullmatch(name) for name in names):
        return tuple(sorted(names, key=float))
    folded = {name: name.casefold() for name in names}
    for order in USUAL_ORDERS:
        if set(order).issuperset(folded.values()):
            return tuple(sorted(names, key=lambda name: order.index(folded[name])))
    return tuple(names)


def label_ids(batch: PairBatch, names: Sequence[str]) -> list[int]:
    """The place of every pair's label in `names`.

    Raises InputError for a batch without labels and for a label that is not among `names`.
    """
    ids = {name: index for index, name in enumerate(names)}
    labels = _labels(batch)
    try:
        return [ids[label] for label in labels]
    except KeyError:
        index = next(index for index, label in enumerate(labels) if label not in ids)
        raise InputError(
            f"{batch.source}, row {batch.row(index)}: column `{batch.label_column}` must be one of "
            f"{', '.join(names)}. Received: {labels[index]!r}"
        ) from None


def require_unique_candidates(batch: PairBatch, *, column: str = "candidate_id") -> None:
    """Raise InputError when a candidate id stands twice in one question.

    A batch without candidate ids has nothing to check.
    """
    if batch.candidate_ids is None:
        return
    rows: dict[tuple[str, str], int] = {}
    for index, key in enumerate(zip(batch.ranking_groups, batch.candidate_ids, strict=True)):
        row = batch.row(index)
        if rows.setdefault(key, row) != row:
            raise InputError(
                f"{batch.source}, row {row}: column `{column}` must differ within a question. "
                f"Received: {key[1]!r} of {key[0]!r} again, as in row {rows[key]}"
            )


def _labels(batch: PairBatch) -> tuple[str, ...]:
    if batch.labels is None:
        raise InputError(f"{batch.source}: expected labelled pairs. Received: no labels")
    return batch.labels
