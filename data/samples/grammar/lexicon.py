"""Lexicons of senses, and sentences made from frames.

A lexicon is written as text. A line is a scale: senses that exclude each other, separated by `|`.
A sense is one or more wordings of one meaning, separated by `,`, and may end with `< broader`, a
word that is true of everything the sense is true of::

    big, large | small, little
    guitar < instrument

So `big` and `large` say the same, `big` and `small` contradict each other, a `guitar` is an
`instrument`, and senses of two lines have nothing to do with each other.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random

VOWEL_AFTER_A = re.compile(r"\b([Aa]) (?=[aeiou])")
SLOT = re.compile(r"{(\w+)}")


@dataclass(frozen=True)
class Sense:
    """One meaning: its wordings, a broader word (or ""), and the number of its scale."""

    wordings: tuple[str, ...]
    broader: str
    scale: int


@dataclass(frozen=True)
class Lexicon:
    """Senses that can fill one kind of slot."""

    senses: tuple[Sense, ...]

    @classmethod
    def of(cls, text: str) -> Lexicon:
        """Read the notation of this module's docstring."""
        senses = []
        for scale, line in enumerate(text.strip().splitlines()):
            for entry in line.split("|"):
                wordings, _, broader = entry.partition("<")
                words = tuple(wording.strip() for wording in wordings.split(","))
                senses.append(Sense(words, broader.strip(), scale))
        return cls(tuple(senses))

    def opposed(self, sense: Sense) -> tuple[Sense, ...]:
        """The senses that exclude `sense`."""
        return tuple(s for s in self.senses if s.scale == sense.scale and s != sense)

    def unrelated(self, sense: Sense) -> tuple[Sense, ...]:
        """The senses that say nothing for or against `sense`."""
        return tuple(s for s in self.senses if s.scale != sense.scale)


def slots(frame: str) -> tuple[str, ...]:
    """The names of a frame's slots, in order: `The {person} slept {place}.` -> person, place."""
    return tuple(SLOT.findall(frame))


def kind(slot: str) -> str:
    """The lexicon that fills a slot: `person` for both `person` and `person2`."""
    return slot.rstrip("0123456789")


def sentence(frame: str, words: dict[str, str]) -> str:
    """The frame with its slots filled: `a` becomes `an` before a vowel, capital first letter."""
    text = VOWEL_AFTER_A.sub(r"\1n ", frame.format_map(words))
    return text[0].upper() + text[1:]


def draw(frame: str, lexicons: dict[str, Lexicon], rng: Random) -> dict[str, Sense]:
    """A sense for every slot of the frame; two slots of one kind get different senses."""
    chosen: dict[str, Sense] = {}
    for slot in slots(frame):
        taken = [chosen[other] for other in chosen if kind(other) == kind(slot)]
        free = [sense for sense in lexicons[kind(slot)].senses if sense not in taken]
        chosen[slot] = rng.choice(free)
    return chosen


def reworded(sense: Sense, wording: str) -> tuple[str, ...]:
    """The other wordings of a sense."""
    return tuple(other for other in sense.wordings if other != wording)
