"""What came of a trial, and of a search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from abcnn.search.space import Dimension
from abcnn.training.options import TrainingOptions

State = Literal["finished", "pruned", "failed"]


@dataclass(frozen=True)
class TrialRow:
    """One training of a search.

    `number` counts from 1; `values` are the options that were searched; `dev` is the task's measure
    at the best of `epochs`, None unless the trial is finished; `seconds` are of the training with
    all that goes before; `reason` is one line on why there is no measure, or where it was taken
    from.
    """

    number: int
    state: State
    values: Mapping[str, Any]
    dev: float | None = None
    best_epoch: int | None = None
    epochs: int | None = None
    seconds: float = 0.0
    reason: str | None = None


@dataclass(frozen=True)
class SearchResult:
    """All trials in their order; what was searched; how much each option mattered, shares that sum
    to 1, empty when there are too few trials to tell; under which conditions.

    `best` is the finished trial with the highest dev measure, the first of equal ones, and
    `options` are all of its options; both are None when no trial was finished.
    """

    measure: str
    trials: tuple[TrialRow, ...]
    space: Mapping[str, Dimension]
    importance: Mapping[str, float]
    conditions: Mapping[str, Any]
    best: TrialRow | None
    options: TrainingOptions | None


def best_first(trials: tuple[TrialRow, ...]) -> list[TrialRow]:
    """The finished trials, the highest dev measure first, of equal ones the earlier."""
    return sorted(
        (trial for trial in trials if trial.dev is not None),
        key=lambda trial: (-(trial.dev or 0.0), trial.number),
    )
