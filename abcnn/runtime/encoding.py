"""From text to numbers without a token in between: the fast form of `PairEncoder`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from threading import Lock
from typing import Any

import numpy as np

from abcnn.features.encoder import PairEncoder
from abcnn.features.lexical import NEGATIONS
from abcnn.runtime.counting import COUNTED, count_features
from abcnn.text.batches import EncodedPairs, Ragged
from abcnn.text.tokenizer import at_the_end

_MOST_CHUNKS = 1 << 18
_AT_ONCE = 128


def encodable(encoder: PairEncoder) -> bool:
    """Whether `FastEncoder` knows the tokeniser and the features."""
    return encoder.tokenizer.kind != "character" and set(encoder.features.names) <= set(COUNTED)


class _Column:
    """Numbers that are added one by one (`add`) and read as an array."""

    def __init__(self, dtype: type, *first: int) -> None:
        self._values: np.ndarray = np.array(first, dtype)
        self._size = len(first)
        self._new: list[Any] = []
        self.add = self._new.append

    @property
    def array(self) -> np.ndarray:
        if new := len(self._new):
            if (needed := self._size + new) > len(self._values):
                self._values = np.resize(self._values, 2 * needed)
            self._values[self._size : needed] = self._new
            self._size = needed
            self._new.clear()
        return self._values[: self._size]


class _Chunks(dict[str, int]):
    """The text between white space, numbered as it comes, and what is known of its tokens.

    Of chunk `i` the tokens are `ids` (in the vocabulary) and `words` (lower-cased, numbered) from
    `starts[i]` to `starts[i + 1]`; `ending[i]` is the chunk that it is at the end of a sentence. Of
    word `i` its IDF, whether it carries content and whether it negates.
    """

    def __init__(self, encoder: PairEncoder) -> None:
        super().__init__()
        self._tokenizer, self._statistics = encoder.tokenizer, encoder.features.statistics
        self._lookup = encoder.vocabulary.lookup
        self._numbers: dict[str, int] = {}
        self._count = self._tokens = 0
        self.starts, self.ending = _Column(np.int64, 0), _Column(np.int64)
        self.ids, self.words = _Column(np.int32), _Column(np.int64)
        self.weights, self.content = _Column(np.float64), _Column(np.bool_)
        self.negations = _Column(np.bool_)

    def __missing__(self, chunk: str) -> int:
        tokens = self._tokenizer.tokens_of_chunk(chunk)
        end = at_the_end(tokens) if self._tokenizer.kind == "word" else tokens
        number = self[chunk] = self._add(tokens)
        self.ending.add(number if len(end) == len(tokens) else number + 1)
        if len(end) > len(tokens):
            self.ending.add(self._add(end))
        return number

    def _add(self, tokens: Sequence[str]) -> int:
        for token in tokens:
            self.ids.add(self._lookup(token))
            self.words.add(self._word(token.lower()))
        self._tokens += len(tokens)
        self.starts.add(self._tokens)
        self._count += 1
        return self._count - 1

    def _word(self, word: str) -> int:
        number = self._numbers.get(word)
        if number is None:
            number = self._numbers[word] = len(self._numbers)
            self.weights.add(self._statistics.weight(word))
            self.content.add(self._statistics.is_content(word))
            self.negations.add(word in NEGATIONS)
        return number


@dataclass(frozen=True, slots=True)
class CodedTexts:
    """Distinct sentences, uncut, and which of them each pair has.

    Of sentence `i` the tokens stand from `offsets[i]` to `offsets[i + 1]`: `ids` int32 in the
    vocabulary, `words` int64, lower-cased and numbered; `left` and `right` int64 `(pairs,)`.
    """

    ids: np.ndarray
    words: np.ndarray
    offsets: np.ndarray
    left: np.ndarray
    right: np.ndarray


class FastEncoder:
    """What a `PairEncoder` gives, with each chunk of text cut and looked up once.

    Ids are exactly the same, features within the last bit of their sums. Threads that call it at
    once take turns; a copy or a pickle of it has forgotten its chunks.
    """

    def __init__(self, encoder: PairEncoder) -> None:
        self._encoder = encoder
        self._chunks = _Chunks(encoder)
        self._turn = Lock()

    def __reduce__(self) -> tuple[type[FastEncoder], tuple[PairEncoder]]:
        return FastEncoder, (self._encoder,)

    def __call__(self, left: Sequence[str], right: Sequence[str]) -> EncodedPairs:
        """Encode pairs of sentences, each distinct sentence once."""
        with self._turn:
            texts = self.code(left, right)
            return EncodedPairs(
                left=self.sentences(texts, texts.left),
                right=self.sentences(texts, texts.right),
                features=self.features(texts),
            )

    def code(self, left: Sequence[str], right: Sequence[str]) -> CodedTexts:
        """Cut the distinct sentences into tokens and look these up."""
        if len(self._chunks) > _MOST_CHUNKS:
            self._chunks = _Chunks(self._encoder)
        texts = {text: number for number, text in enumerate(dict.fromkeys(chain(left, right)))}
        places, offsets = self._tokens(list(texts))
        return CodedTexts(
            ids=self._chunks.ids.array[places],
            words=self._chunks.words.array[places],
            offsets=offsets,
            left=np.fromiter(map(texts.__getitem__, left), np.int64),
            right=np.fromiter(map(texts.__getitem__, right), np.int64),
        )

    def _tokens(self, texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
        """Where the tokens of texts stand in the chunks' columns, and the texts' offsets."""
        parts: list[np.ndarray] = []
        sizes: list[int] = []
        # A few at a time, so that their chunks are looked up while they are in the cache.
        for at in range(0, len(texts), _AT_ONCE):
            cut = list(map(self._encoder.tokenizer.chunks, texts[at : at + _AT_ONCE]))
            found = map(self._chunks.__getitem__, chain.from_iterable(cut))
            parts.append(np.fromiter(found, np.int64))
            sizes += map(len, cut)
        numbers = np.concatenate([np.zeros(0, np.int64), *parts])
        lengths = np.array(sizes, np.int64)
        starts, ending = self._chunks.starts.array, self._chunks.ending.array
        text_of = np.repeat(np.arange(len(texts)), lengths)
        if not (worded := starts[numbers + 1] > starts[numbers]).all():
            numbers, text_of = numbers[worded], text_of[worded]
        # The last chunk that holds a token ends the sentence.
        ends = np.flatnonzero(np.diff(text_of, append=-1))
        numbers[ends] = ending[numbers[ends]]
        counts = starts[numbers + 1] - starts[numbers]
        lengths = np.bincount(text_of, counts, len(texts)).astype(np.int64)
        return _ranges(starts[numbers], counts), np.concatenate([[0], np.cumsum(lengths)])

    def sentences(self, texts: CodedTexts, side: np.ndarray) -> Ragged:
        """The sentences of one side, each at most `max_length` tokens."""
        lengths, longest = np.diff(texts.offsets)[side], self._encoder.max_length
        kept = np.minimum(lengths, longest)
        offsets = np.concatenate([[0], np.cumsum(kept)])
        places = _ranges(texts.offsets[side], kept)
        return Ragged(texts.ids[places], offsets, int((lengths > longest).sum()))

    def features(self, texts: CodedTexts) -> np.ndarray:
        """The standardised features of the pairs: float32 `(pairs, features)`."""
        features, known = self._encoder.features, self._chunks
        about_words = (known.weights.array, known.content.array, known.negations.array)
        counted = count_features(texts.words, texts.offsets, texts.left, texts.right, *about_words)
        values = counted[:, [COUNTED.index(name) for name in features.names]]
        return ((values - features.mean) / features.scale).astype(np.float32)


def _ranges(starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """`range(start, start + length)` of each, one after the other."""
    ends = np.cumsum(lengths)
    places = np.arange(ends[-1] if len(ends) else 0)
    places += np.repeat(starts - (ends - lengths), lengths)
    return places
