"""Holding out a part of the training pairs for dev."""

from __future__ import annotations

from collections import Counter

from abcnn.errors import InputError
from abcnn.pairs import PairBatch
from abcnn.readers.grades import grade_bins, grade_values


def hold_out(
    pairs: PairBatch, *, share: float, seed: int, by_group: bool, graded: bool = False
) -> tuple[PairBatch, PairBatch]:
    """Split labelled pairs into training and dev pairs; both keep the order of the source.

    share: of dev, in (0, 1). `by_group` keeps each question whole and holds out a share of the
    questions that have a right candidate and one of those that have none; otherwise a share of
    each label is held out, and of each quarter of the range of grades where pairs are `graded`.
    What is the only one of its kind is trained on.

    Raises InputError when there is too little to split.
    """
    from sklearn.model_selection import train_test_split

    assert pairs.labels is not None
    if by_group:
        labels_of: dict[str, set[str]] = {}
        for group, label in zip(pairs.ranking_groups, pairs.labels, strict=True):
            labels_of.setdefault(group, set()).add(label)
        units = list(labels_of)
        strata = [" ".join(sorted(labels_of[unit])) for unit in units]
        kind = "questions"
    else:
        units = [str(index) for index in range(len(pairs))]
        strata = grade_bins(grade_values(pairs)) if graded else list(pairs.labels)
        kind = "pairs"
    # A stratum of one cannot be in both parts, and is of use in training only.
    counts = Counter(strata)
    common = [index for index, stratum in enumerate(strata) if counts[stratum] > 1]
    try:
        _, held = train_test_split(
            [units[index] for index in common],
            test_size=share,
            random_state=seed,
            shuffle=True,
            stratify=[strata[index] for index in common],
        )
    except ValueError as error:
        raise InputError(
            f"{pairs.source}: too few {kind} to hold out a dev part of {share:.0%}; give a dev "
            f"file with --dev. Received: {len(units)} {kind}"
        ) from error
    members = set(held)
    names = pairs.ranking_groups if by_group else tuple(units)
    return (
        pairs.select(index for index, name in enumerate(names) if name not in members),
        pairs.select(index for index, name in enumerate(names) if name in members),
    )
