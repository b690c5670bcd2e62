"""The unit of work of a cluster: any kind of batch in, the same kind with scores out."""

from __future__ import annotations

import pickle

import numpy as np
import pandas
import pyarrow
import pytest

import abcnn
from abcnn.errors import InputError
from abcnn.scoring.tables import score_table
from abcnn.tables import create_table, open_table

ROWS = {
    "id": ["007", "NA", "", "x"],
    "left": ["Who came?", "The king came.", None, "A king"],
    "right": ["The king came.", " ", "A man.", "..."],
}
KINDS = {
    "table": pyarrow.table,
    "record batch": pyarrow.RecordBatch.from_pydict,
    "data frame": pandas.DataFrame,
    "arrays": lambda rows: {name: np.array(rows[name], dtype=object) for name in rows},
}


def values(batch):
    """Column by column, missing values as None."""
    if isinstance(batch, pyarrow.Table | pyarrow.RecordBatch):
        return batch.to_pydict()
    columns = dict(batch.items())
    return {
        name: [None if pandas.isna(value) else value for value in columns[name]] for name in columns
    }


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("task", ["paraphrase", "entailment"])
def test_a_batch_is_scored_as_a_table_is(trained, tmp_path, task, kind):
    made = trained(task)
    with create_table(tmp_path / "in.parquet", list(ROWS)) as table:
        table.write(list(ROWS.values()))
    score_table(made.matcher, tmp_path / "in.parquet", tmp_path / "out.parquet")
    with open_table(tmp_path / "out.parquet") as table:
        (chunk,) = table
    scorer = abcnn.PairScorer(str(made.folder), left="left", right="right")
    batch = KINDS[kind](ROWS)
    scored = pickle.loads(pickle.dumps(scorer))(batch)  # noqa: S301
    assert type(scored) is type(batch)
    found = values(scored)
    assert list(found) == list(chunk.names)
    for name in found:
        if name == "score" or name.startswith("p_"):
            numbers = [np.nan if value is None else value for value in found[name]]
            expected = [np.nan if value is None else value for value in chunk.column(name)]
            np.testing.assert_allclose(numbers, expected, atol=1e-6)
        else:
            assert found[name] == chunk.column(name), name
    assert found["note"] == [None, "right is empty", "left is empty", None]


def test_usual_names_are_found_and_results_take_none_away(trained):
    scorer = abcnn.PairScorer(str(trained("paraphrase").folder))
    frame = pandas.DataFrame(
        {"sentence1": ["a b", pandas.NA], "sentence2": ["a", "b"], "label": ["1", "0"]},
        index=[7, 3],
    )
    scored = scorer(frame)
    assert list(scored.columns) == [*frame.columns, "score", "predicted_label", "note"]
    assert list(scored.index) == [7, 3]
    assert scored["note"].tolist()[1] == "sentence1 is empty"
    assert "score" not in frame.columns


def test_no_rows(trained):
    scorer = abcnn.PairScorer(str(trained("paraphrase").folder))
    empty = pyarrow.table(
        {"left": [], "right": []}, pyarrow.schema([("left", "string"), ("right", "string")])
    )
    assert scorer(empty).column_names == ["left", "right", "score", "label", "note"]


@pytest.mark.parametrize(
    ("batch", "message"),
    [
        ([["a", "b"]], "`batch` must be an arrow table or record batch, .* Received: list"),
        ({"a": np.array(["x"])}, "batch: no column of sentences found"),
        (
            {"left": np.array([[1, 2]]), "right": np.array(["b"])},
            r"batch, row 1: column `left` must hold text\. Received: \[1, 2\]",
        ),
    ],
)
def test_what_is_no_batch_of_pairs(trained, batch, message):
    with pytest.raises(InputError, match=message):
        abcnn.PairScorer(str(trained("paraphrase").folder))(batch)
