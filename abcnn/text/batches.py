"""Sentences as numbers: ragged arrays of word ids, and the batches cut from them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from abcnn.text.vocabulary import PAD, Vocabulary

_LENGTH_STEP = 4  # Units; so alike are the right lengths of a training batch.


@dataclass(frozen=True, slots=True)
class Ragged:
    """Sentences of word ids, one after the other.

    `ids` int32 `(tokens,)`; sentence `i` is `ids[offsets[i]:offsets[i + 1]]`, offsets int64
    `(sentences + 1,)`; `truncated` sentences were cut to the longest length allowed.
    """

    ids: np.ndarray
    offsets: np.ndarray
    truncated: int = 0

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> np.ndarray:
        """Tokens a sentence, int64 `(sentences,)`."""
        return np.diff(self.offsets)

    def lengths_of(self, indices: np.ndarray) -> np.ndarray:
        """Tokens of some sentences, int64 `(len(indices),)`, whatever there is of others."""
        return self.offsets[indices + 1] - self.offsets[indices]

    def rows_of(self, indices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The lengths of some sentences, and their ids one after the other."""
        lengths = self.lengths_of(indices)
        before = np.cumsum(lengths) - lengths
        places = np.arange(lengths.sum()) + np.repeat(self.offsets[indices] - before, lengths)
        return lengths, self.ids[places]

    def padded(self, indices: np.ndarray, length: int) -> np.ndarray:
        """Some sentences as int32 `(len(indices), length)`, filled up with PAD."""
        starts, lengths = self.offsets[indices], self.lengths_of(indices)
        positions = np.arange(length)
        real = positions < lengths[:, None]
        padded = np.full((len(indices), length), PAD, dtype=np.int32)
        padded[real] = self.ids[(starts[:, None] + positions)[real]]
        return padded


def encode(sentences: Sequence[Sequence[str]], vocabulary: Vocabulary, max_length: int) -> Ragged:
    """Look up the words of tokenised sentences; each keeps at most `max_length` tokens."""
    lengths = np.fromiter(map(len, sentences), dtype=np.int64, count=len(sentences))
    ids = vocabulary.encode(chain.from_iterable(tokens[:max_length] for tokens in sentences))
    truncated = int((lengths > max_length).sum())
    return Ragged(ids, _offsets(np.minimum(lengths, max_length)), truncated)


def _offsets(lengths: np.ndarray) -> np.ndarray:
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


@dataclass(frozen=True, slots=True)
class EncodedPairs:
    """Pairs ready for a network: word ids and features, and for training labels and groups.

    features float32 `(pairs, features)`; labels int64 `(pairs,)`, the index of each label's name,
    or of grades float64 `(pairs,)`, the share of the way from the lowest to the highest;
    groups int64 `(pairs,)`, one number a question; teacher float32 `(pairs, targets)`, what another
    model says of them (`abcnn.training.teacher`). For a network that reads them, `rests` are the
    rests of the left and of the right sentences, and `swapped` the same pairs with left and right
    changed (`mean_of_orders`).
    """

    left: Ragged
    right: Ragged
    features: np.ndarray
    labels: np.ndarray | None = None
    groups: np.ndarray | None = None
    teacher: np.ndarray | None = None
    rests: tuple[Ragged, ...] = ()
    swapped: EncodedPairs | None = None

    def __len__(self) -> int:
        return len(self.left)

    @property
    def truncated(self) -> int:
        """How many sentences of both sides were cut."""
        return self.left.truncated + self.right.truncated

    def inputs(self, indices: np.ndarray, max_length: int, step: int = 8) -> dict[str, np.ndarray]:
        """The network's inputs for some pairs, each side as long as its longest sentence.

        Lengths are rounded up to a multiple of `step` (at most `max_length`), so that there are
        few shapes: a compiling backend compiles again for each.
        """

        def side(sentences: Ragged) -> np.ndarray:
            longest = int(sentences.lengths_of(indices).max(initial=1))
            return sentences.padded(indices, min(max_length, -(-longest // step) * step))

        return {
            "left": side(self.left),
            "right": side(self.right),
            **dict(zip(("left_rest", "right_rest"), map(side, self.rests), strict=False)),
            "features": self.features[indices],
        }


def mean_of_orders(logits: Callable[[EncodedPairs], np.ndarray], pairs: EncodedPairs) -> np.ndarray:
    """The logits of pairs, or where `swapped` is there their mean over both orders.

    `logits` gives those of one order, `(pairs, outputs)`. A sum of two is the same either way, so
    the mean is exactly that of the swapped pair.
    """
    given = logits(pairs)
    return given if pairs.swapped is None else (given + logits(pairs.swapped)) / 2


def sorted_batches(pairs: EncodedPairs, batch_size: int) -> Iterator[np.ndarray]:
    """All pairs in batches of like lengths, for scoring: indices into `pairs`."""
    order = np.lexsort((pairs.left.lengths, pairs.right.lengths))
    for start in range(0, len(order), batch_size):
        yield order[start : start + batch_size]


def shuffled_batches(
    pairs: EncodedPairs, batch_size: int, generator: np.random.Generator, pool: int = 32
) -> list[np.ndarray]:
    """All pairs in random batches of like lengths, for one epoch of training.

    The pairs are shuffled, then sorted by length within every `pool` batches, and the batches are
    shuffled: little padding, and no order that an epoch could learn from.
    """
    order = generator.permutation(len(pairs))
    batches = []
    for start in range(0, len(order), pool * batch_size):
        part = order[start : start + pool * batch_size]
        # By the right length in steps, so that the left ones are alike within a step too.
        steps = pairs.right.lengths_of(part) // _LENGTH_STEP
        part = part[np.lexsort((pairs.left.lengths_of(part), steps))]
        batches += [part[at : at + batch_size] for at in range(0, len(part), batch_size)]
    return [batches[index] for index in generator.permutation(len(batches))]


def mixed_groups(groups: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The pairs of the groups that hold more than one label: indices, in order."""
    numbers = np.unique(groups, return_inverse=True)[1]
    lowest = np.full(len(groups), np.iinfo(np.int64).max)
    highest = np.full(len(groups), np.iinfo(np.int64).min)
    np.minimum.at(lowest, numbers, labels)
    np.maximum.at(highest, numbers, labels)
    return np.flatnonzero((lowest < highest)[numbers])


def group_batches(
    groups: np.ndarray, batch_size: int, generator: np.random.Generator
) -> list[np.ndarray]:
    """Batches of whole groups, for losses that compare the candidates of a question.

    The groups are shuffled; a batch is closed when it holds `batch_size` pairs or more.
    """
    order = np.argsort(groups, kind="stable")
    members = np.split(order, np.flatnonzero(np.diff(groups[order])) + 1)
    batches: list[np.ndarray] = []
    current: list[np.ndarray] = []
    for index in generator.permutation(len(members)):
        current.append(members[index])
        if sum(map(len, current)) >= batch_size:
            batches.append(np.concatenate(current))
            current = []
    return batches + ([np.concatenate(current)] if current else [])
