"""Words and their ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from abcnn.errors import InputError

PAD = 0
"""The id that fills up a batch; no word."""
OOV = 1
"""The id of every word that is not in the vocabulary."""
EMPTY = "<empty>"
"""The word that stands for a sentence of which no word is left (Yin et al. 2016, section 5.3)."""
FIRST_WORD = 2
"""The id of a vocabulary's first word."""

# A token may hold half a surrogate pair, from a broken JSON escape: written and read as it is.
_ENCODING, _ERRORS = "utf-8", "surrogatepass"


class _Found(dict[str, int]):
    """Tokens that were looked up and their ids; at most as many as a long text has."""

    def __init__(self, ids: dict[str, int]) -> None:
        self.ids = ids

    def __missing__(self, token: str) -> int:
        found = self.ids.get(token)
        if found is None:
            found = self.ids.get(token.lower(), OOV)
        if len(self) >= 1 << 18:
            self.clear()
        self[token] = found
        return found


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words that a model knows: `words[i]` has the id `i + FIRST_WORD`.

    Ids 0 and 1 are PAD and OOV, which are no words. A token is looked up as it is, then
    lower-cased.

    Raises InputError if a word is empty, holds a line feed, or stands there twice.
    """

    words: tuple[str, ...]
    _ids: dict[str, int] = field(init=False, repr=False, compare=False)
    _found: _Found = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "words", tuple(self.words))
        ids = {word: index for index, word in enumerate(self.words, FIRST_WORD)}
        object.__setattr__(self, "_ids", ids)
        object.__setattr__(self, "_found", _Found(ids))
        if len(ids) < len(self.words):
            [(twice, _)] = Counter(self.words).most_common(1)
            raise InputError(f"a vocabulary's words must differ. Received twice: {twice!r}")
        if "" in ids or any("\n" in word for word in ids):
            bad = next(word for word in ids if not word or "\n" in word)
            raise InputError(f"a vocabulary's word must be one line of text. Received: {bad!r}")

    def __len__(self) -> int:
        """How many ids there are, PAD and OOV among them: the rows of an embedding matrix."""
        return len(self.words) + FIRST_WORD

    def __contains__(self, token: str) -> bool:
        """Whether `lookup` finds the token."""
        return self.lookup(token) != OOV

    def lookup(self, token: str) -> int:
        """The id of a token: as it is, else lower-cased, else OOV."""
        return self._found[token]

    def encode(self, tokens: Iterable[str]) -> np.ndarray:
        """The ids of some tokens, int32 `(len(tokens),)`."""
        return np.fromiter(map(self._found.__getitem__, tokens), dtype=np.int32)

    def encode_new(self, tokens: Sequence[str], lowered: Sequence[str]) -> list[int]:
        """The ids of tokens that are looked up once; `lowered` are they in lower case."""
        find = self._ids.get
        return [
            find(token) or find(other, OOV) for token, other in zip(tokens, lowered, strict=True)
        ]

    def save(self, path: str | Path) -> None:
        """Write the words as UTF-8, each ended by a line feed, in the order of their ids."""
        text = "".join(f"{word}\n" for word in self.words)
        Path(path).write_bytes(text.encode(_ENCODING, _ERRORS))

    @classmethod
    def load(cls, path: str | Path) -> Vocabulary:
        """Read what `save` wrote.

        Raises InputError, with the path, if the file is missing, cut, not UTF-8, or its words are
        no vocabulary.
        """
        try:
            text = Path(path).read_bytes().decode(_ENCODING, _ERRORS)
        except OSError as error:
            raise InputError(f"{path}: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise InputError(
                f"{path}: a vocabulary must be UTF-8. "
                f"Received: {error.reason} at byte {error.start}"
            ) from error
        # Not splitlines: a word may hold U+2028, U+0085 and the like.
        *words, rest = text.split("\n")
        if rest:
            raise InputError(
                f"{path}: a vocabulary must end with a line feed. Received: {rest[-40:]!r}"
            )
        try:
            return cls(tuple(words))
        except InputError as error:
            raise InputError(f"{path}: {error}") from error


def with_lower_case(tokens: Iterable[str]) -> set[str]:
    """The tokens and their lower-cased forms: every word that a lookup of them may ask for."""
    wanted = set(tokens)
    return wanted | {token.lower() for token in wanted}
