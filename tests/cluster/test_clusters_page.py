"""The blocks of docs/clusters.md run as printed, on Spark and Ray of this machine."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from abcnn.scoring.tables import score_table
from abcnn.tables import create_table, open_table

pytestmark = pytest.mark.cluster

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "clusters.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)


@pytest.fixture
def run(trained, tmp_path, monkeypatch):
    """Runs a block where its bundle and its pairs are; the rows that it wrote, and the expected."""
    made = trained("paraphrase")
    monkeypatch.chdir(tmp_path)
    shutil.copytree(made.folder, "runs/mine")
    rows = [[f"{n} kings came", f"king {n} came" if n % 4 else None] for n in range(40)]
    with create_table("pairs.parquet", ["left", "right"]) as table:
        table.write(list(zip(*rows, strict=True)))
    score_table(made.matcher, "pairs.parquet", "expected.parquet")

    def of_block(word, output):
        (block,) = (block for block in BLOCKS if word in block)
        exec(compile(block, "docs/clusters.md", "exec"), {})  # noqa: S102
        found = [row for file in sorted(Path(output).glob("*.parquet")) for row in read(file)]
        return found, read(Path("expected.parquet"))

    return of_block


def read(file):
    with open_table(file) as table:
        return [
            row
            for chunk in table
            for row in zip(
                *map(chunk.column, ["left", "right", "score", "label", "note"]), strict=True
            )
        ]


def same(found, expected):
    assert len(found) == len(expected)
    for one, other in zip(sorted(found, key=str), sorted(expected, key=str), strict=True):
        assert (*one[:2], *one[3:]) == (*other[:2], *other[3:])
        assert (one[2] is None) == (other[2] is None)
        np.testing.assert_allclose(one[2] or 0, other[2] or 0, atol=1e-6)


def test_spark(run, monkeypatch):
    pytest.importorskip("pyspark", reason="Spark is not installed: pip install 'abcnn[spark]'")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    root = str(Path(__file__).resolve().parents[2])
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([root, os.environ.get("PYTHONPATH", "")]))
    same(*run("mapInPandas", "scored-by-spark"))


def test_ray(run):
    ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'abcnn[ray]'")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    try:
        same(*run("ray.data", "scored-by-ray"))
    finally:
        ray.shutdown()
