"""From what the user asks for to the features that can be computed here."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from abcnn.errors import InputError, require
from abcnn.features.catalogue import FEATURES, GROUPS
from abcnn.features.wordnet import INSTALL, installed_wordnet


def known_features(words: Iterable[str], paper: tuple[str, ...]) -> dict[str, bool]:
    """The features that `words` stand for, in order, and whether each was named by itself.

    A word is a feature, a group (`GROUPS`), or "paper" for the words of `paper`. Raises InputError
    for any other.
    """
    named: dict[str, bool] = {}
    for word in words:
        if word in FEATURES:
            named[word] = True
        elif word in GROUPS or word == "paper":
            group = known_features(paper, ()) if word == "paper" else GROUPS[word]
            named = named | {name: named.get(name, False) for name in group}
        else:
            raise InputError(
                f"`features` must be among none, paper, {', '.join((*GROUPS, *FEATURES))}. "
                f"Received: {word!r}"
            )
    return named


def require_libraries(names: Iterable[str]) -> None:
    """Raise MissingExtraError when a library that one of the features needs is not installed."""
    for package in {FEATURES[name].package for name in names} - {""}:
        require(package.replace("-", "_"), "features")


def choose_features(
    words: Iterable[str],
    *,
    paper: tuple[str, ...],
    labelled: bool,
    on_message: Callable[[str], None] = lambda message: None,
) -> tuple[str, ...]:
    """The names of the features that `words` stand for (`known_features`).

    Of a group, features that need a WordNet are left out where none is installed, and those that
    are learnt unless `labelled`: whether the training labels say which pairs hold. A message says
    so. Raises InputError for such a feature that is named by itself, MissingExtraError when a
    library is not installed.
    """
    named = known_features(words, paper)
    require_libraries(named)
    lexicon = any(FEATURES[name].wordnet for name in named) and installed_wordnet()
    lacking = {
        f"without an English WordNet ({INSTALL} installs one)": [
            name for name in named if FEATURES[name].wordnet and not lexicon
        ],
        "without labels that say which pairs hold, as ENTAILMENT does": [
            name for name in named if FEATURES[name].learnt and not labelled
        ],
    }
    for reason, names in lacking.items():
        if asked := [name for name in names if named[name]]:
            raise InputError(f"`features`: {', '.join(asked)} cannot be computed {reason}")
        if names:
            on_message(f"features left out {reason}: {', '.join(names)}")
    left_out = {name for names in lacking.values() for name in names}
    return tuple(name for name in named if name not in left_out)
