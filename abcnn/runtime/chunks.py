"""The text between white space: each distinct piece cut into tokens and looked up once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, pairwise

import numpy as np

from abcnn.features.encoder import PairEncoder
from abcnn.features.lexical import NEGATIONS
from abcnn.features.sentence import are_numbers
from abcnn.runtime.columns import Column
from abcnn.runtime.counting import CHARACTERS
from abcnn.runtime.cutting import move, number_chunks, spread
from abcnn.text.tokenizer import at_the_end

UTF8 = "utf-8", "surrogatepass"
"""How text is encoded: half a surrogate pair, from a broken JSON escape, stays what it is."""


class Tokens(dict[str, int]):
    """Tokens, numbered as they come; what is known of new ones is there after `learn`.

    Of token `i` the id in the vocabulary, `ids[i]`, and the number of the lower-cased word,
    `words[i]`; of word `i` its IDF, whether it carries content, negates, is a number; and, where
    the features ask for them, its code points, `letters[ends[i]:ends[i + 1]]`.
    """

    def __init__(self, encoder: PairEncoder) -> None:
        super().__init__()
        self._vocabulary, self._statistics = encoder.vocabulary, encoder.features.statistics
        self._new: list[str] = []
        self._numbers: dict[str, int] = {}
        self.ids, self.words = Column(np.int32), Column(np.int32)
        self.weights, self.content = Column(np.float64), Column(np.bool_)
        self.negations, self.numeric = Column(np.bool_), Column(np.bool_)
        self.letters, self.ends = Column(np.uint32), Column(np.int64, 0)
        self._spelt = not {*CHARACTERS}.isdisjoint(encoder.features.names)

    def number(self, tokens: Iterable[str]) -> list[int]:
        """The numbers of some tokens. Those of new ones are to be learnt."""
        tokens = list(tokens)
        new = [token for token in dict.fromkeys(tokens) if token not in self]
        self.update(zip(new, range(len(self), len(self) + len(new)), strict=True))
        self._new += new
        return list(map(self.__getitem__, tokens))

    def learn(self) -> None:
        """Look up the new tokens, all at once: most of the time of a first sight is spent here."""
        lowered, numbers = list(map(str.lower, self._new)), self._numbers
        new = [word for word in dict.fromkeys(lowered) if word not in numbers]
        numbers.update(zip(new, range(len(numbers), len(numbers) + len(new)), strict=True))
        self.ids.extend(self._vocabulary.encode_new(self._new, lowered))
        self.words.extend(list(map(numbers.__getitem__, lowered)))
        self.weights.extend(self._statistics.weights(new))
        self.content.extend(self._statistics.are_content(new))
        self.negations.extend(list(map(NEGATIONS.__contains__, new)))
        self.numeric.extend(are_numbers(new))
        if self._spelt:
            lengths = np.fromiter(map(len, new), np.int64, len(new))
            self.ends.extend(self.ends.array[-1] + np.cumsum(lengths))
            self.letters.extend(list(map(ord, chain.from_iterable(new))))
        self._new.clear()


class Chunks:
    """The text between white space, numbered as it comes, and the tokens of each chunk.

    The loops of `cutting` find chunks in UTF-8; Python sees each distinct one once.
    """

    def __init__(self, encoder: PairEncoder) -> None:
        self._tokenizer = encoder.tokenizer
        self._known = 0
        self._slots = np.zeros((1 << 12, 2), np.uint32)
        self._store, self._ends = np.zeros(1 << 14, np.uint8), np.zeros(1 << 11, np.int64)
        self._usual, self._ending = Column(np.int32), Column(np.int32)
        self._starts, self._run_tokens = Column(np.int64, 0), Column(np.int32)
        self.tokens = Tokens(encoder)

    def __len__(self) -> int:
        return self._known

    def tokens_of(self, utf8: bytes, offsets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The numbers of the texts' tokens, int32, and the offsets of each text in them, int64.

        Text `i` is `utf8[offsets[i]:offsets[i + 1]]`, with white space of ASCII alone between its
        chunks.
        """
        text = np.frombuffer(utf8, np.uint8)
        numbers = np.empty(len(text), np.int32)
        chunk_offsets, done = np.zeros_like(offsets), 0
        while done < len(offsets) - 1:
            known = self._known
            done, self._known = number_chunks(
                *(text, offsets, done, self._slots, self._store, self._ends, known),
                *(self._tokenizer.kind == "word", numbers, chunk_offsets),
            )
            self._learn(known)
            if done < len(offsets) - 1:
                self._grow(int(offsets[done + 1] - offsets[done]))
        runs = self._usual.array, self._ending.array, self._starts.array, self._run_tokens.array
        result: tuple[np.ndarray, np.ndarray] = spread(numbers, chunk_offsets, *runs)
        return result

    def _learn(self, first: int) -> None:
        """Cut the chunks from `first` on into tokens."""
        ends = self._ends[first : self._known + 1] - self._ends[first]
        utf8 = self._store[self._ends[first] : self._ends[self._known]].tobytes()
        text = utf8.decode(*UTF8)
        bounds = list(pairwise(ends.tolist()))
        if len(text) == len(utf8):
            chunks = [text[start:stop] for start, stop in bounds]
        else:
            chunks = [utf8[start:stop].decode(*UTF8) for start, stop in bounds]
        runs = self._tokenizer.tokens_of_chunks(chunks)
        usual = self._add(runs)
        self._usual.extend(usual)
        if self._tokenizer.kind == "word":
            with_stop = [place for place, run in enumerate(runs) if run and run[-1][-1] == "."]
            for place in with_stop:
                if len(end := at_the_end(runs[place])) > len(runs[place]):
                    usual[place] = self._add([end])[0]
        self._ending.extend(usual)
        self.tokens.learn()

    def _add(self, runs: Sequence[Sequence[str]]) -> np.ndarray:
        """Number runs of tokens."""
        self._run_tokens.extend(self.tokens.number(chain.from_iterable(runs)))
        ends = np.cumsum(np.fromiter(map(len, runs), np.int64, len(runs)))
        first = len(self._starts.array) - 1
        self._starts.extend(ends + self._starts.array[-1])
        return np.arange(first, first + len(runs))

    def _grow(self, text: int) -> None:
        """Room for twice the chunks, and for those of a text of so many bytes."""
        chunks, used = self._known + text + 2, int(self._ends[self._known])
        if len(self._slots) < 2 * chunks:
            slots = np.zeros((1 << (2 * chunks).bit_length(), 2), np.uint32)
            move(self._slots, slots)
            self._slots = slots
        self._ends = np.resize(self._ends, max(len(self._ends), 2 * chunks))
        self._store = np.resize(self._store, max(len(self._store), 2 * (used + text)))
