"""The training pairs and those of dev together, for the training after all is chosen on dev."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from abcnn.text.batches import EncodedPairs, Ragged
from abcnn.training.arrays import ArrayStore

_COPIED = 1 << 20  # Rows that are in memory at a time.


def state_with_dev(checkpoint_file: Path) -> Path:
    """Where the state of the second training is kept, beside that of the first one."""
    return checkpoint_file.with_name(f"with-dev-{checkpoint_file.name}")


def with_dev(pairs: EncodedPairs, dev: EncodedPairs, store: ArrayStore) -> EncodedPairs:
    """The training pairs, behind them those of dev, in arrays of `store`.

    Both are of one encoder, have labels and groups, and no teacher. Of dev pairs that are there in
    both orders each is a pair to train on. A question of dev is another than any of training. A
    grade beyond the training pairs' range counts as its end.
    """
    assert pairs.labels is not None
    assert pairs.groups is not None
    assert dev.labels is not None
    assert dev.groups is not None
    orders = [dev] if dev.swapped is None else [dev, dev.swapped]
    labels = np.clip(dev.labels, 0, 1) if dev.labels.dtype.kind == "f" else dev.labels
    groups = dev.groups + int(pairs.groups.max()) + 1

    def joined(name: str, parts: Sequence[np.ndarray]) -> np.ndarray:
        grown = store.new(f"{name}_with_dev", parts[0].dtype.name, parts[0].shape[1:])
        for part in parts:
            for start in range(0, len(part), _COPIED):
                grown.append(part[start : start + _COPIED])
        return grown.finish()

    def side(name: str, parts: Sequence[Ragged]) -> Ragged:
        lengths = np.concatenate([[0], *(part.lengths for part in parts)])
        return Ragged(
            joined(name, [part.ids for part in parts]),
            np.cumsum(lengths, dtype=np.int64),
            truncated=sum(part.truncated for part in parts),
        )

    every = [pairs, *orders]
    return EncodedPairs(
        left=side("left", [one.left for one in every]),
        right=side("right", [one.right for one in every]),
        features=joined("features", [one.features for one in every]),
        labels=joined("labels", [pairs.labels, *[labels] * len(orders)]),
        groups=joined("groups", [pairs.groups, *[groups] * len(orders)]),
        rests=tuple(
            side(f"rest_{place}", [one.rests[place] for one in every])
            for place in range(len(pairs.rests))
        ),
    )
