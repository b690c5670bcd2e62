"""The columns that results become, as arrow arrays."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from abcnn.errors import InputError
from abcnn.readers import Selection
from abcnn.readers.grades import Scale
from abcnn.scoring.predictions import Predictions
from abcnn.scoring.rows import RowResults, note_of
from abcnn.tables.arrays import number_array, text_array

if TYPE_CHECKING:
    import pyarrow

    from abcnn.scoring.matcher import Matcher

_EVERY_FAULT = range(32)


@dataclass(frozen=True)
class ResultColumns:
    """The result columns of a table, by the name that each has there.

    `kinds` are their types in order; `scale` and `threshold` are those of the matcher.
    """

    kinds: dict[str, type]
    scale: Scale
    threshold: float
    selection: Selection

    @classmethod
    def of(
        cls,
        matcher: Matcher,
        selection: Selection,
        names: Collection[str],
        source: str,
        *,
        ranks: bool = False,
    ) -> ResultColumns:
        """The columns for a table that has the columns `names` already.

        Raises InputError when a result has no name left.
        """
        kinds: dict[str, type] = {"score": float}
        if matcher.labels:
            kinds["label"] = str
        if len(matcher.labels) > 2:
            kinds |= {f"p_{label}": float for label in matcher.labels}
        kinds |= {"rank": int} if ranks else {}
        kinds["note"] = str
        named = {_free_name(name, names, source): kind for name, kind in kinds.items()}
        return cls(named, matcher.scale, matcher.threshold, selection)

    def of_rows(self, results: RowResults, ranks: np.ndarray | None = None) -> list[pyarrow.Array]:
        """The columns of some rows in order, null where a row has no such result.

        ranks int64 `(rows,)`, 0 for none; only where the columns were made with `ranks`.
        """
        values = results.values
        unknown = np.isnan(values[:, 0])
        said = Predictions.of_values(values, self.scale, self.threshold)
        columns = [number_array(said.scores, unknown)]
        if said.names:
            columns.append(text_array(said.names).take(number_array(said.labels, unknown)))
        if len(said.names) > 2:
            columns += [number_array(column, unknown) for column in values.T]
        if ranks is not None:
            columns.append(number_array(ranks, ranks == 0))
        chosen = self.selection
        notes = [note_of(n, chosen.left, chosen.right, chosen.group) for n in _EVERY_FAULT]
        columns.append(text_array(notes).take(number_array(results.faults)))
        return columns


def _free_name(name: str, taken: Collection[str], source: str) -> str:
    """A result column's name: `score`, or `predicted_score` in a table that has a `score`."""
    for candidate in (name, f"predicted_{name}"):
        if candidate not in taken:
            return candidate
    raise InputError(
        f"{source}: the columns `{name}` and `predicted_{name}` are both there already, so a "
        f"result has no name; rename one"
    )
