"""What tests of all packages share."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.trained import TrainedTask

_CORPORA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The folder of the real corpora and word vectors; the test is skipped where it is not."""
    if not _CORPORA.is_dir():
        pytest.skip("the real corpora are not in ../shared/data, next to the repository")
    return _CORPORA


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], TrainedTask]:
    """`trained(task)`: a tiny trained matcher of a task and its bundle, made when first asked for.

    All tests share it: copy the folder to change it.
    """
    from tests.trained import train_task

    folder = tmp_path_factory.mktemp("trained")

    @cache
    def of_task(name: str) -> TrainedTask:
        return train_task(name, folder / name)

    return of_task
