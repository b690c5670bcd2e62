"""What the training loop reads: the batches of an epoch, made ready ahead of time."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from abcnn.text.batches import EncodedPairs, group_batches, mixed_groups, shuffled_batches
from abcnn.training.options import RANKING_LOSSES, TrainingOptions
from abcnn.training.word_dropout import without_some_words

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class TrainingBatch:
    """A batch as `train_on_batch` takes it, and how many `pairs` it holds.

    `targets` as in `abcnn.training.losses`; `weights` float32 `(rows,)` or None. Rows that only
    fill the batch up have the weight 0, and the others so much more that the mean is theirs.
    """

    inputs: dict[str, np.ndarray]
    targets: np.ndarray
    weights: np.ndarray | None
    pairs: int


@dataclass(frozen=True, slots=True)
class BatchShapes:
    """What batches are filled up to, in rows and in units of a sentence: a multiple of these.

    A backend that compiles for each shape wants few shapes, one that does not little padding; of
    several devices each gets as many rows.
    """

    rows: int = 1
    units: int = 2


def epoch_order(pairs: EncodedPairs, options: TrainingOptions, number: int) -> list[np.ndarray]:
    """The batches of an epoch as indices, in an order that seed and epoch decide.

    A loss that compares candidates learns nothing from a question whose candidates are all right or
    all wrong: such questions are left out.
    """
    assert pairs.labels is not None
    assert pairs.groups is not None
    generator = np.random.default_rng([options.seed, number])
    if options.loss not in RANKING_LOSSES:
        return shuffled_batches(pairs, options.batch_size, generator)
    chosen = mixed_groups(pairs.groups, pairs.labels)
    return [
        chosen[batch]
        for batch in group_batches(pairs.groups[chosen], options.batch_size, generator)
    ]


def training_batch(
    pairs: EncodedPairs,
    indices: np.ndarray,
    max_length: int,
    label_weights: np.ndarray | None,
    shapes: BatchShapes,
    word_dropout: float = 0.0,
    seed: Sequence[int] = (0,),
) -> TrainingBatch:
    """Some labelled pairs as a batch; `label_weights` float `(labels,)`.

    `word_dropout` is the share of words that are made unknown (`without_some_words`), on each side
    and in each rest by itself; the whole numbers `seed` decide which.
    """
    assert pairs.labels is not None
    assert pairs.groups is not None
    count = len(indices)
    filler = -count % shapes.rows
    rows = np.concatenate([indices, np.repeat(indices[:1], filler)])
    labels = pairs.labels[rows]
    # Numbered within the batch: float32 cannot tell large numbers apart. The filler is a question
    # of its own.
    groups = np.unique(pairs.groups[rows], return_inverse=True)[1]
    groups[count:] = groups.max() + 1 if filler else 0
    weights = None
    if label_weights is not None or shapes.rows > 1:
        weights = np.ones(len(rows)) if label_weights is None else label_weights[labels]
        weights = (weights * (np.arange(len(rows)) < count) * (len(rows) / count)).astype("float32")
    targets = np.stack([labels, groups], axis=1)
    if pairs.teacher is not None:
        targets = np.concatenate([targets, pairs.teacher[rows]], axis=1)
    inputs = pairs.inputs(rows, max_length, shapes.units)
    if word_dropout:
        # Numbers of its own a side, so that rows that only fill the batch up change nothing.
        sides = [name for name in inputs if name != "features"]
        inputs |= {
            name: without_some_words(
                inputs[name], word_dropout, np.random.default_rng([*seed, place])
            )
            for place, name in enumerate(sides)
        }
    return TrainingBatch(
        inputs=inputs,
        targets=targets.astype(np.float32),
        weights=weights,
        pairs=count,
    )


def ahead_of_time(items: Iterable[Item], ahead: int = 2) -> Generator[Item, None, None]:
    """The items in their order, up to `ahead` of them made by a thread before they are asked for.

    While a device computes with one batch, the next is cut. An error comes where its item would.
    """
    end = object()
    iterator = iter(items)
    with ThreadPoolExecutor(1) as thread:
        coming = deque(thread.submit(next, iterator, end) for _ in range(ahead))
        while (item := coming.popleft().result()) is not end:
            coming.append(thread.submit(next, iterator, end))
            yield item  # type: ignore[misc]
