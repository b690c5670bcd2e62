"""What a report holds: plain records, computed before anything is drawn."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from abcnn.evaluation.calibration import Reliability
from abcnn.evaluation.classification import ClassificationMeasures
from abcnn.evaluation.curves import ThresholdCurve
from abcnn.explanation import Explanation
from abcnn.readers import Grades


@dataclass(frozen=True, slots=True)
class Measured:
    """A measure with its 95% bootstrap interval, and the number of units it is taken over."""

    name: str
    value: float
    low: float
    high: float
    units: int


@dataclass(frozen=True, slots=True)
class Slices:
    """A measure by a property of the units: `title` names the property, `kind` the units."""

    title: str
    measure: str
    kind: str
    parts: tuple[Measured, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """A pair that is worth a look: where it stands, what is true, what was said, and why."""

    row: int
    left: str
    right: str
    label: str
    said: str
    score: float
    note: str
    explanation: Explanation | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Decisions:
    """How labels were decided for. `claim` is what a probability is of; `curves` holds a threshold
    curve a label, only the last's with two labels; `threshold` is None with more."""

    reliability: Reliability
    claim: str
    curves: dict[str, ThresholdCurve]
    threshold: float | None
    confusion: ClassificationMeasures


@dataclass(frozen=True, slots=True, eq=False)
class Grading:
    """How pairs were graded: true grades and scores, float64 `(pairs,)`, and the range."""

    true: np.ndarray
    said: np.ndarray
    grades: Grades


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """How a matcher does on a file of labelled or graded pairs.

    `counts` and `model` are lines to print, by name; `history` is the bundle's `history.csv`, a
    dict an epoch. `judged` is how the labels were decided for, or the pairs graded.
    """

    title: str
    source: str
    model: dict[str, str]
    counts: dict[str, str]
    measure: str
    history: tuple[dict[str, str], ...]
    measures: tuple[Measured, ...]
    judged: Decisions | Grading
    slices: tuple[Slices, ...]
    worst: tuple[Case, ...]
    near: tuple[Case, ...]
    speed: dict[str, str] = field(default_factory=dict)

    @property
    def members(self) -> int:
        """How many networks the history is of."""
        return len({epoch["seed"] for epoch in self.epochs})

    @property
    def epochs(self) -> list[dict[str, Any]]:
        """The history as numbers; rows that are none, such as those of a bundle without epochs,
        are left out."""
        return [
            {name: float(row[name]) for name in ("number", "loss", "dev")}
            | {"best": row.get("best") == "True", "seed": row.get("seed")}
            for row in self.history
            if all(row.get(name) for name in ("number", "loss", "dev"))
        ]
