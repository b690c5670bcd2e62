"""All features of a pair by name, and the groups they come in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from abcnn.features.lexical import LEXICAL
from abcnn.features.relations import LEARNT, WORDNET
from abcnn.features.sentence import Sentence
from abcnn.features.translation import BLEU, EDITS, METEOR, NIST, ROUGE

Compute = Callable[[Sentence, Sentence], float]


@dataclass(frozen=True)
class Feature:
    """A named number of a pair.

    Attributes:
        compute: gives the number for two sentences; its docstring says what it is and its source.
        group: "lexical", "translation" or "relations".
        package: the library that computes it, whose version decides the value; "" for none.
        wordnet: whether it looks words up in a WordNet.
        learnt: whether it is learnt from the labels of the training pairs.
        version: goes up when `compute` changes what it gives.
    """

    compute: Compute
    group: str
    package: str = ""
    wordnet: bool = False
    learnt: bool = False
    version: int = 1

    @property
    def costly(self) -> bool:
        """Whether it is worth processes of its own and a place on disk."""
        return self.group == "translation" or self.wordnet


def _all(table: Mapping[str, Compute], group: str, **traits: Any) -> dict[str, Feature]:
    return {name: Feature(compute, group, **traits) for name, compute in table.items()}


FEATURES: dict[str, Feature] = {
    **_all(LEXICAL, "lexical"),
    **_all(BLEU, "translation", package="sacrebleu"),
    **_all(NIST, "translation", package="nltk"),
    **_all(METEOR, "translation", package="nltk", wordnet=True),
    **_all(EDITS, "translation", package="sacrebleu"),
    **_all(ROUGE, "translation", package="rouge-score"),
    **_all(WORDNET, "relations", package="wn", wordnet=True),
    **_all(LEARNT, "relations", learnt=True),
}

GROUPS: dict[str, tuple[str, ...]] = {
    group: tuple(name for name, feature in FEATURES.items() if feature.group == group)
    for group in ("lexical", "translation", "relations")
}


def libraries(names: Iterable[str]) -> dict[str, str]:
    """The versions of the libraries that compute some features."""
    packages = sorted({FEATURES[name].package for name in names} - {""})
    return {package: version(package) for package in packages}
