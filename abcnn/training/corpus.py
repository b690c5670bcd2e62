"""Training pairs as numbers, read in one pass, before there is a vocabulary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b

import numpy as np

from abcnn.errors import InputError
from abcnn.features.words import WordStatistics
from abcnn.pairs import PairBatch
from abcnn.text.batches import Ragged
from abcnn.text.tokenizer import Tokenizer
from abcnn.training.arrays import ArrayStore

CHUNK = 8192  # Pairs that are text at a time.
_COPIED = 1 << 20  # Numbers that are in memory at a time.

Tokens = list[list[str]]


@dataclass(frozen=True)
class Corpus:
    """Labelled pairs of tokenised sentences.

    `words` are the different tokens; the ids of `left` and `right` are places in it, and sentences
    are whole. `labels` int64 `(pairs,)` are places in `label_names`, which stand in the order of
    their first pair; `groups` int64 `(pairs,)` number the questions in theirs. `distinct` int64 are
    the first places of the different sentences, among all left ones and then all right ones.
    """

    words: tuple[str, ...]
    left: Ragged
    right: Ragged
    label_names: tuple[str, ...]
    labels: np.ndarray
    groups: np.ndarray
    distinct: np.ndarray
    source: str
    label_column: str

    def __len__(self) -> int:
        return len(self.left)

    def chunks(self) -> Iterator[tuple[Tokens, Tokens]]:
        """The tokens of all pairs, left and right, `CHUNK` pairs at a time."""
        for start in range(0, len(self), CHUNK):
            places = np.arange(start, min(start + CHUNK, len(self)))
            yield self._tokens(self.left, places), self._tokens(self.right, places)

    def counts(self) -> Counter[str]:
        """How often each word stands in the different sentences."""
        counts = np.zeros(len(self.words), np.int64)
        for _, ids in self._distinct_ids():
            counts += np.bincount(ids, minlength=len(self.words))
        return Counter(dict(zip(self.words, counts.tolist(), strict=True)))

    def statistics(self) -> WordStatistics:
        """The statistics of the training words, as `WordStatistics.of` has them."""
        numbers: dict[str, int] = {}
        lower = np.array(
            [numbers.setdefault(word.lower(), len(numbers)) for word in self.words], np.int64
        )
        digests = [
            np.fromiter((_digest(row.tobytes()) for row in _rows(lower[ids], lengths)), np.uint64)
            for lengths, ids in self._distinct_ids()
        ]
        first = np.zeros(len(self.distinct), bool)
        if digests:
            first[np.unique(np.concatenate(digests), return_index=True)[1]] = True
        counts, start = np.zeros(len(numbers), np.int64), 0
        for lengths, ids in self._distinct_ids():
            of_first = np.repeat(first[start : start + len(lengths)], lengths)
            row = np.repeat(np.arange(len(lengths)), lengths)
            once = np.unique(row[of_first] * len(numbers) + lower[ids[of_first]])
            counts += np.bincount(once % max(len(numbers), 1), minlength=len(numbers))
            start += len(lengths)
        return WordStatistics.of_counts(
            dict(zip(numbers, counts.tolist(), strict=True)), int(first.sum())
        )

    def sentences(self) -> Sentences:
        """The different sentences, left ones first, as tokens; readable again and again."""
        return Sentences(self)

    def _distinct_ids(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Lengths and ids of some different sentences at a time."""
        for start in range(0, len(self.distinct), CHUNK):
            places = self.distinct[start : start + CHUNK]
            parts = [
                side.rows_of(chosen)
                for side, chosen in (
                    (self.left, places[places < len(self)]),
                    (self.right, places[places >= len(self)] - len(self)),
                )
            ]
            lengths, ids = zip(*parts, strict=True)
            yield np.concatenate(lengths), np.concatenate(ids)

    def _tokens(self, side: Ragged, places: np.ndarray) -> Tokens:
        lengths, ids = side.rows_of(places)
        return self._words_of(lengths, ids)

    def _words_of(self, lengths: np.ndarray, ids: np.ndarray) -> Tokens:
        words = [self.words[place] for place in ids.tolist()]
        ends = np.cumsum(lengths).tolist()
        return [
            words[end - length : end] for end, length in zip(ends, lengths.tolist(), strict=True)
        ]


@dataclass(frozen=True)
class Sentences:
    """The different sentences of a corpus; `len` is their number."""

    corpus: Corpus

    def __len__(self) -> int:
        return len(self.corpus.distinct)

    def __iter__(self) -> Iterator[list[str]]:
        for lengths, ids in self.corpus._distinct_ids():
            yield from self.corpus._words_of(lengths, ids)


def read_corpus(
    chunks: Iterable[PairBatch],
    tokenizer: Tokenizer,
    store: ArrayStore,
    *,
    unique_candidates: bool = False,
) -> Corpus:
    """Tokenise labelled pairs, chunk by chunk, into the arrays of a store.

    Raises InputError with `unique_candidates` when a candidate id stands twice in one question.
    """
    words: dict[str, int] = {}
    names: dict[str, int] = {}
    sides = {
        side: (store.new(side, "int32"), store.new(f"{side}_lengths", "int64"))
        for side in ("left", "right")
    }
    texts = {side: store.new(f"{side}_texts", "uint64") for side in sides}
    labels, groups = store.new("labels", "int64"), store.new("group_names", "uint64")
    candidates, rows = store.new("candidates", "uint64"), store.new("rows", "int64")
    chunk = None
    for chunk in chunks:
        assert chunk.labels is not None
        tokens: dict[str, np.ndarray] = {}
        for side, (ids, lengths) in sides.items():
            sentences: tuple[str, ...] = getattr(chunk, side)
            for text in sentences:
                if text not in tokens:
                    found = [words.setdefault(word, len(words)) for word in tokenizer(text)]
                    tokens[text] = np.array(found, np.int32)
            rows_of_ids = [tokens[text] for text in sentences]
            ids.append(np.concatenate(rows_of_ids))
            lengths.append(np.array([len(row) for row in rows_of_ids]))
            texts[side].append(_digests(sentences))
        labels.append(np.array([names.setdefault(name, len(names)) for name in chunk.labels]))
        groups.append(_digests(chunk.ranking_groups))
        if unique_candidates and chunk.candidate_ids is not None:
            pairs = zip(chunk.ranking_groups, chunk.candidate_ids, strict=True)
            candidates.append(_digests([f"{group}\n{candidate}" for group, candidate in pairs]))
            rows.append(np.array([chunk.row(index) for index in range(len(chunk))]))
    assert chunk is not None
    _require_unique(candidates.finish(), rows.finish(), chunk.source)
    left, right = (
        Ragged(ids.finish(), _offsets(lengths.finish())) for ids, lengths in sides.values()
    )
    both = np.concatenate([texts["left"].finish(), texts["right"].finish()])
    return Corpus(
        words=tuple(words),
        left=left,
        right=right,
        label_names=tuple(names),
        labels=labels.finish(),
        groups=_numbered(groups.finish()),
        distinct=np.sort(np.unique(both, return_index=True)[1]),
        source=chunk.source,
        label_column=chunk.label_column,
    )


def in_both_orders(corpus: Corpus, store: ArrayStore) -> Corpus:
    """The pairs, and behind them the same ones with left and right changed, in arrays of `store`.

    The left sentences are then the left and the right ones, so that the places in `distinct` are
    the same.
    """

    def joined(name: str, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        grown = store.new(f"{name}_of_both_orders", first.dtype.name)
        for part in (first, second):
            for start in range(0, len(part), _COPIED):
                grown.append(part[start : start + _COPIED])
        return grown.finish()

    def side(name: str, first: Ragged, second: Ragged) -> Ragged:
        lengths = np.concatenate([first.lengths, second.lengths])
        return Ragged(joined(name, first.ids, second.ids), _offsets(lengths))

    return replace(
        corpus,
        left=side("left", corpus.left, corpus.right),
        right=side("right", corpus.right, corpus.left),
        labels=joined("labels", corpus.labels, corpus.labels),
        groups=joined("groups", corpus.groups, corpus.groups),
    )


def _digests(texts: Sequence[str]) -> np.ndarray:
    """64 bits that stand for a text: two of four million are equal with a chance of 1e-6."""
    digests = (_digest(text.encode("utf-8", "surrogatepass")) for text in texts)
    return np.fromiter(digests, np.uint64, len(texts))


def _digest(data: bytes) -> int:
    return int.from_bytes(blake2b(data, digest_size=8).digest())


def _numbered(values: np.ndarray) -> np.ndarray:
    """Equal values as equal numbers, from 0 in the order of their first place, int64."""
    _, first, inverse = np.unique(values, return_index=True, return_inverse=True)
    ranks = np.empty(len(first), np.int64)
    ranks[np.argsort(first)] = np.arange(len(first))
    return ranks[inverse]


def _offsets(lengths: np.ndarray) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def _rows(ids: np.ndarray, lengths: np.ndarray) -> Iterator[np.ndarray]:
    ends = np.cumsum(lengths)
    return (ids[end - length : end] for end, length in zip(ends, lengths, strict=True))


def _require_unique(candidates: np.ndarray, rows: np.ndarray, source: str) -> None:
    _, first, inverse = np.unique(candidates, return_index=True, return_inverse=True)
    again = np.flatnonzero(first[inverse] != np.arange(len(candidates)))
    if len(again):
        raise InputError(
            f"{source}, row {rows[again[0]]}: a candidate's id must differ within a question. "
            f"Received: that of row {rows[first[inverse[again[0]]]]} again"
        )
