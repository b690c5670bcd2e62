"""The unit of work of a cluster: a batch of a table in, the same batch with its scores out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from abcnn.errors import InputError
from abcnn.readers import pairs_of_chunk
from abcnn.readers.columns import choose_columns
from abcnn.scoring.result_columns import ResultColumns
from abcnn.scoring.workers import BundleScorer
from abcnn.tables import TableChunk

Batch = TypeVar("Batch")


@dataclass(frozen=True)
class PairScorer:
    """Scores batches of a table with the matcher in `folder`; small to pickle, loaded once a
    process, when the first batch comes.

    left, right: the columns of sentences; without, those with a usual name.
    engine: of `load_bundle`; batch_size: pairs scored at once.

    Called with an arrow table or record batch, a pandas data frame, or a dict of NumPy arrays, it
    returns the same kind with the columns `score`, `label`, for entailment one `p_<label>` a label,
    and `note` behind the others, by the rules of `score_table`: every row is kept, in its place,
    and one with a sentence that is missing, empty or without a word has a note and no score.

    Raises InputError for a batch without such columns, or with lists or objects in them.
    """

    folder: str
    left: str | None = None
    right: str | None = None
    engine: str = "fast"
    batch_size: int = 256

    def __call__(self, batch: Batch) -> Batch:
        columns = _columns_of(batch)
        names = tuple(columns)
        selection = choose_columns(
            names, source="batch", left_column=self.left, right_column=self.right
        )
        chunk = TableChunk("batch", names, tuple(columns.values()), first_row=1)
        pairs = pairs_of_chunk(chunk, selection)
        scorer = BundleScorer(self.folder, self.engine, batch_size=self.batch_size)
        results = scorer(pairs.left, pairs.right)
        added = ResultColumns.of(scorer.matcher, selection, names, "batch")
        return _with_columns(batch, dict(zip(added.kinds, added.of_rows(results), strict=True)))


def _columns_of(batch: Any) -> dict[str, Any]:
    """The columns of a batch as arrow arrays or lists, by name."""
    import pyarrow

    if isinstance(batch, pyarrow.Table):
        return {name: batch[name].combine_chunks() for name in batch.column_names}
    if isinstance(batch, pyarrow.RecordBatch):
        return dict(zip(batch.schema.names, batch.columns, strict=True))
    if isinstance(batch, Mapping):
        return {name: np.asarray(values).tolist() for name, values in batch.items()}
    if _is_frame(batch):
        # Missing values of any kind are None.
        return {
            name: [None if missing else value for value, missing in zip(values, gaps, strict=True)]
            for name, values, gaps in (
                (name, column.tolist(), column.isna().tolist()) for name, column in batch.items()
            )
        }
    raise InputError(
        "`batch` must be an arrow table or record batch, a pandas data frame, or a dict of NumPy "
        f"arrays. Received: {type(batch).__name__}"
    )


def _with_columns(batch: Any, added: dict[str, Any]) -> Any:
    """A batch of the same kind with arrow arrays as columns behind its own."""
    import pyarrow

    if isinstance(batch, pyarrow.Table | pyarrow.RecordBatch):
        for name, column in added.items():
            batch = batch.append_column(name, column)
        return batch
    arrays = {name: column.to_numpy(zero_copy_only=False) for name, column in added.items()}
    return batch.assign(**arrays) if _is_frame(batch) else {**batch, **arrays}


def _is_frame(batch: Any) -> bool:
    """Whether it is a data frame, told without importing pandas."""
    return any(kind.__module__.split(".")[0] == "pandas" for kind in type(batch).__mro__)
