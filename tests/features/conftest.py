"""The WordNet of the tests, and the state without one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from abcnn.features import wordnet as lookups
from tests.features.wordnet import install_wordnet


@pytest.fixture
def no_wordnet(tmp_path: Path) -> Iterator[Path]:
    """A data folder of `wn` without any lexicon, whatever the machine has."""
    wn = pytest.importorskip("wn")
    before = wn.config.data_directory
    wn.config.data_directory = tmp_path / "wn"
    _forget()
    yield tmp_path / "wn"
    wn.config.data_directory = before
    _forget()


@pytest.fixture
def wordnet(no_wordnet: Path) -> str:
    """The name of the tiny lexicon, the only one that is installed."""
    return install_wordnet(no_wordnet)


def _forget() -> None:
    for lookup in (
        lookups.senses,
        lookups.ancestors,
        lookups.synonyms,
        lookups._wordnet,
    ):
        lookup.cache_clear()
