"""From text to numbers without a token in between: the fast form of `PairEncoder`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock

import numpy as np

from abcnn.features.encoder import PairEncoder
from abcnn.features.lexical import LEXICAL
from abcnn.runtime.chunks import UTF8, Chunks
from abcnn.runtime.counting import (
    BIGRAMS,
    CHARACTERS,
    COUNTED,
    SUBSEQUENCES,
    bigram_overlaps,
    character_overlaps,
    count_features,
    rests_of,
    subsequences,
)
from abcnn.runtime.cutting import look_up, repeat
from abcnn.text.batches import EncodedPairs, Ragged
from abcnn.text.vocabulary import EMPTY

_MOST_CHUNKS = 1 << 18
# Of more distinct sentences than this share it costs less to cut all.
_MOST_DISTINCT = 0.8


def encodable(encoder: PairEncoder) -> bool:
    """Whether `FastEncoder` knows the tokeniser and the features."""
    return encoder.tokenizer.kind != "character" and set(encoder.features.names) <= set(LEXICAL)


@dataclass(frozen=True, slots=True)
class CodedTexts:
    """Sentences, uncut: of sentence `i` the numbers `tokens[offsets[i]:offsets[i + 1]]`."""

    tokens: np.ndarray
    offsets: np.ndarray


class FastEncoder:
    """What a `PairEncoder` gives, with each chunk of text cut and looked up once.

    Ids are exactly the same, features within the last bit of their sums. Threads that call it at
    once take turns; a copy or a pickle of it has forgotten its chunks.
    """

    def __init__(self, encoder: PairEncoder) -> None:
        self._encoder = encoder
        self._chunks = Chunks(encoder)
        self._turn = Lock()

    def __reduce__(self) -> tuple[type[FastEncoder], tuple[PairEncoder]]:
        return FastEncoder, (self._encoder,)

    def __call__(self, left: Sequence[str], right: Sequence[str]) -> EncodedPairs:
        """Encode pairs of sentences."""
        with self._turn:
            if len(self._chunks) > _MOST_CHUNKS:
                self._chunks = Chunks(self._encoder)
            try:
                return self._encode(left, right)
            except BaseException:
                # Words may be half learnt, and the loops trust what is known.
                self._chunks = Chunks(self._encoder)
                raise

    def _encode(self, left: Sequence[str], right: Sequence[str]) -> EncodedPairs:
        one, other = self.code(left), self.code(right)
        left_ids, right_ids = self.sentences(one), self.sentences(other)
        rests = self.rests(one, other) if self._encoder.rests else ()
        swapped = None
        if self._encoder.both_orders:
            features = self.features(other, one)
            swapped = EncodedPairs(right_ids, left_ids, features, rests=rests[::-1])
        features = self.features(one, other)
        return EncodedPairs(left_ids, right_ids, features, rests=rests, swapped=swapped)

    def code(self, texts: Sequence[str]) -> CodedTexts:
        """Cut sentences into tokens and number these, each distinct sentence once."""
        distinct = list(dict.fromkeys(texts))
        if len(distinct) > _MOST_DISTINCT * len(texts):
            return self._code(texts)
        numbers = dict(zip(distinct, range(len(distinct)), strict=True))
        places = np.fromiter(map(numbers.__getitem__, texts), np.int64, len(texts))
        coded = self._code(distinct)
        return CodedTexts(*repeat(coded.tokens, coded.offsets, places))

    def _code(self, texts: Sequence[str]) -> CodedTexts:
        tokenizer = self._encoder.tokenizer
        spaced = [t if t.isascii() else " ".join(tokenizer.chunks(t)) for t in texts]
        sizes = [len(t) if t.isascii() else len(t.encode(*UTF8)) for t in spaced]
        text = "".join(spaced)
        if tokenizer.lowercase and text.isascii():
            text = text.lower()
        elif tokenizer.lowercase:
            # What is not ASCII `chunks` has lower-cased, and that is not to be done twice.
            text = "".join([t.lower() if t.isascii() else t for t in spaced])
        offsets = np.zeros(len(texts) + 1, np.int64)
        np.cumsum(sizes, out=offsets[1:])
        return CodedTexts(*self._chunks.tokens_of(text.encode(*UTF8), offsets))

    def sentences(self, texts: CodedTexts) -> Ragged:
        """The ids of the sentences, each at most `max_length` tokens."""
        longest = self._encoder.max_length
        ids, offsets = look_up(texts.tokens, texts.offsets, self._chunks.tokens.ids.array, longest)
        return Ragged(ids, offsets, int((np.diff(texts.offsets) > longest).sum()))

    def rests(self, left: CodedTexts, right: CodedTexts) -> tuple[Ragged, Ragged]:
        """The ids of the rests of the left sentences, and of the right ones."""
        known, vocabulary = self._chunks.tokens, self._encoder.vocabulary
        words, ids, empty = known.words.array, known.ids.array, vocabulary.lookup(EMPTY)

        def rest(texts: CodedTexts, others: CodedTexts) -> Ragged:
            return Ragged(
                *rests_of(
                    *(words[texts.tokens], texts.offsets, words[others.tokens], others.offsets),
                    *(len(known), ids[texts.tokens], self._encoder.max_length, empty),
                )
            )

        return rest(left, right), rest(right, left)

    def features(self, left: CodedTexts, right: CodedTexts) -> np.ndarray:
        """The standardised features of the pairs: float32 `(pairs, features)`."""
        features, known = self._encoder.features, self._chunks.tokens
        words = known.words.array
        pairs = words[left.tokens], left.offsets, words[right.tokens], right.offsets
        of_words = (known.weights, known.content, known.negations, known.numeric)
        made = {
            COUNTED: lambda: count_features(*pairs, *(column.array for column in of_words)),
            BIGRAMS: lambda: bigram_overlaps(*pairs, len(known)),
            SUBSEQUENCES: lambda: subsequences(*pairs, len(known)),
            CHARACTERS: lambda: character_overlaps(*pairs, known.letters.array, known.ends.array),
        }
        values = np.empty((len(left.offsets) - 1, len(features.names)))
        for names, make in made.items():
            if wanted := [place for place, name in enumerate(features.names) if name in names]:
                found = [names.index(features.names[place]) for place in wanted]
                values[:, wanted] = make()[:, found]
        return ((values - features.mean) / features.scale).astype(np.float32)
