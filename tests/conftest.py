"""What tests of all packages share."""

from __future__ import annotations

from pathlib import Path

import pytest

_CORPORA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The folder of the real corpora and word vectors; the test is skipped where it is not."""
    if not _CORPORA.is_dir():
        pytest.skip("the real corpora are not in ../shared/data, next to the repository")
    return _CORPORA
