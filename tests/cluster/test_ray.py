"""Scoring on a real Ray cluster of this machine: what the plain engine gives, to the last byte."""

from __future__ import annotations

import pytest

from abcnn.errors import InputError
from abcnn.scoring.files import score_files
from tests.scoring.toy import CHUNK_ROWS, rows_of, toy

pytestmark = pytest.mark.cluster


@pytest.fixture(scope="module", autouse=True)
def cluster():
    ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'abcnn[ray]'")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    yield ray
    ray.shutdown()


def test_ray_writes_the_same_table(tmp_path):
    """Rows in order, ranks too, and nothing is left; a part that is there is not scored again."""
    (tmp_path / "in.csv").write_text(rows_of(2_000))
    scorer = toy(tmp_path, task="answer-selection")

    def score(output, **options):
        source = [tmp_path / "in.csv"]
        return score_files(scorer, source, tmp_path / output, chunk_rows=CHUNK_ROWS, **options)

    def stop(rows):
        if rows == 3 * CHUNK_ROWS:
            raise KeyboardInterrupt

    counts = score("plain.csv")
    assert score("ray.csv", ray=True) == counts
    assert (tmp_path / "ray.csv").read_bytes() == (tmp_path / "plain.csv").read_bytes()
    with pytest.raises(KeyboardInterrupt):
        score("on.parquet", on_rows=stop)
    assert len(list(tmp_path.glob("on.parquet.parts/*.npz"))) == 3
    assert score("on.parquet", ray=True, resume=True) == counts
    score("plain.parquet")
    assert (tmp_path / "on.parquet").read_bytes() == (tmp_path / "plain.parquet").read_bytes()
    assert not list(tmp_path.glob("*.parts"))


@pytest.mark.parametrize(
    ("last", "error", "message"),
    [
        ("q1,Who?,bad\n", InputError, "^a text is bad$"),
        ("q1,Who?\n", InputError, r"in\.csv, row 2001 \(line 2002\): expected 3 cells"),
    ],
)
def test_what_goes_wrong_on_the_cluster_is_one_line(tmp_path, last, error, message):
    (tmp_path / "in.csv").write_text(rows_of(2_000) + last)
    with pytest.raises(error, match=message) as raised:
        score_files(
            toy(tmp_path),
            [tmp_path / "in.csv"],
            tmp_path / "out.csv",
            chunk_rows=CHUNK_ROWS,
            ray=True,
        )
    assert "\n" not in str(raised.value)
    assert not (tmp_path / "out.csv").exists()
