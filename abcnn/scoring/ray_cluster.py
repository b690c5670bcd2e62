"""Scoring on a Ray cluster: Ray Data streams the chunks of a table through actors."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from abcnn.errors import AbcnnError, InputError, WorkerError, require
from abcnn.readers import open_pairs, pairs_of_chunk
from abcnn.scoring.checkpoint import Checkpoint
from abcnn.scoring.rows import RowResults, Texts
from abcnn.scoring.workers import BundleScorer

if TYPE_CHECKING:
    import pyarrow

# A block of Ray Data is about one chunk, so that all actors have work; bytes.
_BLOCK_BYTES = 1 << 20
_RETRIES = 4


def score_parts(
    scorer: BundleScorer, file: str | PathLike[str], reading: dict[str, Any], checkpoint: Checkpoint
) -> None:
    """Score the chunks of `file` that the checkpoint lacks and keep their results in it.

    One task reads the table, strictly as always, and streams its chunks, each a row of the dataset,
    to an actor a core; the results come back in any order, and each says which chunk it is of. The
    file and the bundle must be there under their paths on every machine. A cluster that is
    connected to already is used, else the one of `RAY_ADDRESS`, else one on this machine.

    `reading` are the arguments of `open_pairs`. Raises InputError for a bad table, WorkerError when
    the cluster fails.
    """
    ray = require("ray", "ray")
    data = require("ray.data", "ray")
    if not ray.is_initialized():
        ray.init(log_to_driver=False, include_dashboard=False, logging_level="ERROR")
    context = data.DataContext.get_current()
    context.target_max_block_size = _BLOCK_BYTES
    context.enable_progress_bars = False
    # What fails is told in one line, by us.
    logging.getLogger("ray.data").setLevel(logging.CRITICAL)
    actors = max(1, int(ray.cluster_resources().get("CPU", 1)) - 1)  # One core reads.
    dataset = data.read_datasource(
        _chunk_source(data, str(Path(file).resolve()), reading, checkpoint.finished())
    ).map_batches(
        ChunkScorer,
        fn_constructor_args=(replace(scorer, folder=str(Path(scorer.folder).resolve())),),
        batch_size=1,
        batch_format="pyarrow",
        concurrency=(1, actors),
        # A machine may be lost; a chunk that ends its actor must not be tried for ever.
        max_restarts=_RETRIES,
        max_task_retries=_RETRIES,
    )
    try:
        for table in dataset.iter_batches(batch_size=1, batch_format="pyarrow"):
            (row,) = table.to_pylist()
            if row["error"] is not None:
                raise InputError(row["error"])
            faults = np.array(row["faults"], dtype=np.uint8)
            values = np.array(row["values"], dtype=np.float64).reshape(len(faults), -1)
            results = RowResults(values, faults, row["truncated"])
            checkpoint.save(row["first_row"], results)
    except ray.exceptions.RayError as error:
        reason = str(error).strip().splitlines()[-1]
        raise WorkerError(f"the Ray cluster failed: {reason}") from None


class ChunkScorer:
    """The actor: scores the texts of a chunk, a row of lists; loads the bundle once.

    What is wrong with the texts travels as text too: Ray wraps exceptions in its own words.
    """

    def __init__(self, scorer: BundleScorer) -> None:
        self._score = scorer

    def __call__(self, table: pyarrow.Table) -> pyarrow.Table:
        import pyarrow

        (row,) = table.to_pylist()
        results, error = RowResults(np.zeros((0, 1)), np.zeros(0, np.uint8)), row["error"]
        if error is None:
            try:
                results = self._score(row["left"], row["right"])
            except AbcnnError as failure:
                error = str(failure)
        return pyarrow.table(
            {
                "first_row": [row["first_row"]],
                "values": [results.values.ravel()],
                "faults": [results.faults],
                "truncated": [results.truncated],
                "error": pyarrow.array([error], pyarrow.string()),
            }
        )


def texts_of_chunks(
    file: str, reading: dict[str, Any], finished: frozenset[int]
) -> Iterator[pyarrow.Table]:
    """The chunks of a table, each a row of lists, but for those that begin at `finished` rows.

    Where the table is bad, the last row says why.
    """
    import pyarrow

    texts = pyarrow.list_(pyarrow.large_string())
    schema = pyarrow.schema(
        [
            *(("first_row", pyarrow.int64()), ("left", texts), ("right", texts)),
            ("error", pyarrow.string()),
        ]
    )

    def as_row(first_row: int, left: Texts, right: Texts, error: str | None) -> pyarrow.Table:
        row = {"first_row": first_row, "left": left, "right": right, "error": error}
        return pyarrow.Table.from_pylist([row], schema)

    try:
        with open_pairs(file, **reading) as pairs:
            for chunk in pairs.table:
                if chunk.first_row not in finished:
                    of_rows = pairs_of_chunk(chunk, pairs.selection)
                    yield as_row(chunk.first_row, of_rows.left, of_rows.right, None)
    except AbcnnError as error:
        yield as_row(0, [], [], str(error))


def _chunk_source(data: Any, file: str, reading: dict[str, Any], finished: frozenset[int]) -> Any:
    """A source of Ray Data with one task, which streams the chunks of a file."""

    class ChunkSource(data.Datasource):
        def estimate_inmemory_data_size(self) -> int | None:
            return None

        def get_read_tasks(self, parallelism: int, *_: object, **__: object) -> list:
            unknown = data.block.BlockMetadata(
                num_rows=None, size_bytes=None, exec_stats=None, input_files=None
            )
            return [data.ReadTask(lambda: texts_of_chunks(file, reading, finished), unknown)]

    return ChunkSource()
