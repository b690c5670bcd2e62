"""Runs to rows."""

from __future__ import annotations

import math

from abcnn.model_comparison import ModelRow, ModelRun, rows_of


def run(model: str, seed: int, dev: float, seconds: float, speed: float) -> ModelRun:
    return ModelRun(
        *(model, seed, dev, seed + 2, 9, 100, 5000),
        train_seconds=seconds,
        pairs_per_second=speed,
        engine="fast",
    )


def test_means_and_medians_over_seeds_and_the_deviation_of_the_sample():
    rows = rows_of(
        [
            run("bcnn", 0, 0.5, 10, 1000),
            run("average", 0, 0.25, 4, 9000),
            run("bcnn", 1, 0.75, 20, 3000),
            run("bcnn", 2, 0.625, 90, 2500),
        ]
    )
    assert [row.model for row in rows] == ["bcnn", "average"]
    assert rows[0] == ModelRow(
        *("bcnn", 3, 0.625),
        dev_deviation=math.sqrt(2 * 0.125**2 / 2),  # divided by one less than three
        best_epoch=3,
        parameters=100,
        parameters_with_vectors=5100,
        train_seconds=20,
        pairs_per_second=2500,
        engine="fast",
    )
    assert (rows[1].dev, rows[1].dev_deviation) == (0.25, None)


def test_what_failed_is_in_no_mean_and_named():
    failed = ModelRun("bcnn", 1, failure="the loss is nan")
    (row,) = rows_of([run("bcnn", 0, 0.5, 10, 1000), failed])
    assert (row.seeds, row.dev, row.train_seconds) == (1, 0.5, 10)
    assert row.failures == ("seed 1: the loss is nan",)
    assert rows_of([failed]) == (ModelRow("bcnn", 0, failures=("seed 1: the loss is nan",)),)
