"""From a sentence to its tokens."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from typing import Any

import regex

from abcnn.errors import InputError

KINDS = ("word", "whitespace", "character")

# Soft hyphen, direction marks and isolates, word joiner, invisible operators, byte order mark: no
# word is another for them. They go, and the letters at both sides stay together.
_IGNORED = regex.compile(r"[\u00ad\u061c\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]+")

# Zero-width non-joiner and joiner: spelling inside Persian or Indic words and emoji, else nothing.
_JOINERS = "\u200c\u200d"

# Abbreviations that keep their full stop: none is a common word that may end a sentence.
_ABBREVIATIONS = (
    "aug|capt|co|col|corp|dec|dr|etc|feb|gen|gov|inc|jan|jr|lt|ltd|mr|mrs|ms|mt|nov|oct"
    r"|ph\.d|prof|rep|rev|sen|sept|sgt|sr|st|vs"
)

# The rules of `word`, first match wins. Upper and lower case are treated alike. Text that is
# tokenised already must come out unchanged, so a rule that says "one token" must say so of that
# token standing alone too. No rule looks past white space.
_LETTER = r"[[\p{L}\p{M}\p{N}]--\p{Han}]"  # of any script whose words are runs of letters
_INITIAL = r"[\p{L}--\p{Han}]\p{M}*"
_END = rf"(?=(?:[nN]'[tT])*+(?!{_LETTER}))"  # of a word, also before "n't"
_NOT = rf"[nN]'[tT]{_END}"
_CLITIC = r"(?i:s|m|d|re|ve|ll)"
# Letters up to the "n't" that may follow: "do" of "don't".
_RUN = rf"(?:{_LETTER}++(?!(?<=[nN])'[tT]{_END})|{_LETTER}+(?={_NOT}))"
_JOINED = rf"""(?:
      (?: (?<=\p{{Nd}})[.,:/](?=\p{{Nd}})        # 1,000.5  10:30  3/4
        | [-\u2010\u2011_](?=[\p{{L}}\p{{N}}])   # well-known
        | [{_JOINERS}](?=[\p{{L}}\p{{M}}])
        | '(?=\p{{L}})(?!{_CLITIC}{_END})       # O'Neal, o'clock
      ) {_RUN} )*"""
_PICTOGRAM = r"\p{Extended_Pictographic}[\p{M}\p{Emoji_Modifier}\U000e0020-\U000e007f]*"
_WORD = regex.compile(
    rf"""(?V1)(?x)
    (?i:{_ABBREVIATIONS})\.(?!\.)
  | {_INITIAL}(?:\.{_INITIAL})+{_END}(?:\.(?!\.))?               # U.S. i.e.
  | (?![iI]\.){_INITIAL}\.(?![\p{{L}}\p{{M}}\p{{N}}.])           # J. of J. Smith
  | (?i: can(?=not{_END}) | (?:gon|wan)(?=na{_END}) | got(?=ta{_END}) | (?:gim|lem)(?=me{_END}) )
  | {_NOT} | '{_CLITIC}{_END}
  | (?:(?<![\p{{L}}\p{{M}}\p{{N}}.])\.(?=\p{{Nd}}))?(?=[\p{{L}}\p{{N}}]){_RUN}{_JOINED}
  | \p{{Han}}\p{{M}}*
  | {_PICTOGRAM}(?:\u200d{_PICTOGRAM})* | \p{{Regional_Indicator}}{{1,2}}
  | \.{{2,}} | -{{2,}} | `` | ''
  | [\p{{P}}\p{{S}}\p{{M}}\p{{Co}}\p{{Cn}}]\p{{M}}*
    """
)
_LAST_INITIAL = regex.compile(r"(\p{L}\p{M}*)(\.)")
_CHARACTER = regex.compile(r"(?![\s\p{Cc}\p{Cf}\p{Cs}])\X")


# Words that the rules above take apart; with the rest the two shortcuts of `_chunk` need no rule.
_TAKEN_APART = frozenset(("cannot", "gonna", "wanna", "gotta", "gimme", "lemme"))
_ABBREVIATED = frozenset(filter(str.isalpha, _ABBREVIATIONS.split("|")))

MARKS = ",;:?!)"
"""Of ASCII, what ends a chunk of `word` that has letters alone before it is a token, if one of
these; so is a full stop behind more letters than `LONGEST_ABBREVIATION`."""
LONGEST_ABBREVIATION = max(map(len, _ABBREVIATED))


def _chunk(chunk: str) -> tuple[str, ...]:
    """The `word` tokens of a text without white space."""
    if chunk.isascii():
        # ASCII letters alone, or with one mark behind them: most of a text, ten times as fast.
        if chunk.isalpha() and chunk.lower() not in _TAKEN_APART:
            return (chunk,)
        word, mark = chunk[:-1], chunk[-1]
        if word.isalpha() and (lowered := word.lower()) not in _TAKEN_APART:
            if mark in MARKS:
                return word, mark
            if mark == "." and len(word) > 1 and lowered not in _ABBREVIATED:
                return word, mark
    return tuple(_WORD.findall(chunk))


class _Remembered(dict[str, tuple[str, ...]]):
    """The tokens of chunks seen before: a text has few different ones, and they are short."""

    def __missing__(self, chunk: str) -> tuple[str, ...]:
        tokens = _chunk(chunk)
        if len(chunk) <= 24:
            if len(self) >= 1 << 17:
                self.clear()
            self[chunk] = tokens
        return tokens


_tokens_of = _Remembered().__getitem__


def at_the_end(tokens: Sequence[str]) -> Sequence[str]:
    """The `word` tokens of a chunk that ends a sentence: "vitamin C." does, "J. Smith" does not."""
    if tokens and tokens[-1][-1] == "." and (initial := _LAST_INITIAL.fullmatch(tokens[-1])):
        return [*tokens[:-1], *initial.groups()]
    return tokens


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """Cut a sentence into tokens: `Tokenizer("word")("I can't.")` is `["I", "ca", "n't", "."]`.

    kind: what a token is.
        `word`: words with their combining marks; numbers (`1,000.5`); each punctuation mark and
        symbol (`...`, `--`, two backquotes and two apostrophes are one mark, as in the Penn
        Treebank); an emoji sequence. Contractions are split as in the Penn Treebank (`do n't`,
        `it 's`, `can not`), words with a hyphen and simple abbreviations (`U.S.`, `Mr.`, `J.`
        but at the end) are not. Each Han character is a token, a run of kana or Thai is one.
        Brackets and quotes stay what they are; the typographic apostrophe becomes `'`.
        `whitespace`: `str.split`, nothing else, for text that is tokenised already.
        `character`: each character as a reader sees it (a grapheme cluster), but white space.
    lowercase: whether tokens are lower-cased.

    Text that is tokenised already is not changed: the tokens joined with spaces give the same
    tokens. `word` and `character` normalise to NFC, take control characters, zero-width spaces and
    lone surrogates for white space, and drop marks that only format text (soft hyphen, direction
    marks, joiners outside words). No other character is lost.

    Raises InputError if `kind` is none of these.
    """

    kind: str = "word"
    lowercase: bool = False

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InputError(
                f"tokenizer: `kind` must be one of {', '.join(KINDS)}. Received: {self.kind!r}"
            )

    def __call__(self, text: str) -> list[str]:
        if self.kind == "character":
            return [cluster.rstrip(_JOINERS) for cluster in _CHARACTER.findall(self._plain(text))]
        if self.kind == "whitespace":
            return self.chunks(text)
        return [*at_the_end([*chain.from_iterable(map(_tokens_of, self.chunks(text)))])]

    def chunks(self, text: str) -> list[str]:
        """The text between white space, of `word` and `whitespace`.

        A sentence's tokens are those of its chunks one after the other (`tokens_of_chunks`), but
        for the last of `word` (`at_the_end`).
        """
        return self._plain(text).split()

    def tokens_of_chunks(self, chunks: Iterable[str]) -> list[tuple[str, ...]]:
        """The tokens of each of some `chunks`."""
        return list(map(_chunk, chunks)) if self.kind == "word" else [(one,) for one in chunks]

    def _plain(self, text: str) -> str:
        if self.lowercase:
            text = text.lower()
        if self.kind == "whitespace" or text.isascii():
            return text
        text = unicodedata.normalize("NFC", _IGNORED.sub("", text))
        return text.replace("’", "'") if self.kind == "word" else text

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal tokenizer."""
        return asdict(self)

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Tokenizer:
        """The tokenizer of a `get_config`."""
        return cls(**config)
