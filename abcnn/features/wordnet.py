"""WordNet, read through the `wn` package from a lexicon that the user has installed.

`python -m wn download oewn:2024` installs one. Its name is stored with a trained model, so that
other pairs are looked up in the same one.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from abcnn.errors import InputError, require

INSTALL = "python -m wn download oewn:2024"


def installed_wordnet() -> str | None:
    """The first English lexicon that is installed, as `name:version`, or None."""
    wn = require("wn", "features")
    # To be asked `wn` makes its database; two processes that do so at once get in each other's way.
    if not wn.config.database_path.is_file():
        return None
    found = wn.lexicons(lang="en")
    return found[0].specifier() if found else None


@lru_cache(maxsize=1 << 16)
def senses(lexicon: str, word: str) -> frozenset[str]:
    """The synsets that a lower-cased word, in any inflected form, belongs to.

    Raises InputError when the lexicon is not installed.
    """
    return frozenset(synset.id for synset in _wordnet(lexicon).synsets(word))


@lru_cache(maxsize=1 << 16)
def ancestors(lexicon: str, word: str) -> frozenset[str]:
    """The synsets above those of a word: its hypernyms, theirs, and so on to the root."""
    return frozenset(synset.id for synset in _above(_wordnet(lexicon).synsets(word)))


@lru_cache(maxsize=1 << 16)
def synonyms(lexicon: str, word: str) -> frozenset[str]:
    """The lower-cased members of a word's synsets that are single words."""
    members = (name for synset in _wordnet(lexicon).synsets(word) for name in synset.lemmas())
    return frozenset(name.lower() for name in members if " " not in name)


def _above(synsets: list[Any]) -> Iterator[Any]:
    seen, waiting = set(), list(synsets)
    while waiting:
        for synset in waiting.pop().hypernyms():
            if synset.id not in seen:
                seen.add(synset.id)
                waiting.append(synset)
                yield synset


@lru_cache(maxsize=8)
def _wordnet(lexicon: str) -> Any:
    wn, morphy = require("wn", "features"), require("wn.morphy", "features")
    # It is only read here, and a server reads it from several threads.
    wn.config.allow_multithreading = True
    try:
        return wn.Wordnet(lexicon, lemmatizer=morphy.Morphy(), expand="")
    except wn.Error as error:
        raise InputError(
            f"`features`: need the WordNet {lexicon}, which is not installed: "
            f"python -m wn download {lexicon}"
        ) from error
