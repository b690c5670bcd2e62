"""POST /table on a real server: the table that `abcnn predict` writes, and its progress."""

from __future__ import annotations

import base64
import json
import tempfile
import time
from pathlib import Path

import httpx
import pytest

from abcnn.scoring.tables import score_table
from abcnn.serving.limits import Limits
from abcnn.serving.tables import CHUNK_ROWS, file_name
from tests.commands.process import TASKS
from tests.serving.conftest import serving
from tests.serving.test_pairs import failure

EVENTS = {"Accept": "application/x-ndjson"}


@pytest.fixture(autouse=True)
def no_table_stays(monkeypatch, tmp_path):
    """Whatever comes of a table, the server's disk is clean afterwards."""
    folder = tmp_path / "uploads"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    # The server tidies up when the last byte has left, which is when the client goes on.
    deadline = time.monotonic() + 20
    while list(folder.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert list(folder.iterdir()) == []


def send(served, content, **query):
    return httpx.post(f"{served.address}/table", content=content, params=query, timeout=60)


def told(served, content, **query):
    """The events that tell of a table, and the table."""
    response = httpx.post(
        f"{served.address}/table", content=content, params=query, headers=EVENTS, timeout=60
    )
    assert response.status_code == 200
    events = [json.loads(line) for line in response.text.splitlines()]
    table = b"".join(base64.b64decode(event["piece"]) for event in events if "piece" in event)
    return [event for event in events if "piece" not in event], table


@pytest.mark.parametrize("task", TASKS)
def test_the_table_is_that_of_predict(served, trained, tmp_path, task):
    made = trained(task)
    expected = tmp_path / "expected.tsv"
    counts = score_table(made.matcher, made.test_file, expected)
    response = send(served(task), made.test_file.read_bytes(), name="test.tsv")
    assert response.status_code == 200
    assert response.content == expected.read_bytes()
    assert response.headers["content-disposition"] == 'attachment; filename="test-scored.tsv"'
    events, table = told(served(task), made.test_file.read_bytes(), name="test.tsv")
    assert table == expected.read_bytes()
    assert events[-1] == {
        "done": {
            "name": "test-scored.tsv",
            "rows": counts.rows,
            "scored": counts.scored,
            "truncated": counts.truncated,
        }
    }


def test_progress_is_told_by_rows(served):
    rows = 2 * CHUNK_ROWS + 5
    content = "left,right\n" + "a b,a c\n" * rows
    events, table = told(served("paraphrase"), content)
    seen = [event["rows"] for event in events[:-1]]
    assert seen == [0, CHUNK_ROWS, 2 * CHUNK_ROWS, rows]
    assert len(table.splitlines()) == rows + 1


def test_columns_by_name_and_ranks(served):
    content = "q,text,of\na b,a b c,1\na b,a,2\na b,a b,1\n"
    columns = {"left_column": "q", "right_column": "text", "group_column": "of"}
    response = send(served("answer-selection"), content, **columns)
    lines = response.text.splitlines()
    assert lines[0] == "q,text,of,score,label,rank,note"
    assert sorted(line.split(",")[5] for line in lines[1:]) == ["1", "1", "2"]


BAD = [
    ("left,right\na,b\nc\n", {"name": "mine.csv"}, "mine.csv, row 2 (line 3): expected 2 cells"),
    ("a,b\n1,2\n", {}, "table.csv: no column of sentences found"),
    ("a,b\n1,2\n", {"left_column": "x"}, "table.csv: `left_column` must be one of the columns a,"),
    ("", {}, "table.csv: expected a table. Received: an empty file"),
    (b"\x1f\x8b\x08rest", {"name": "a.csv"}, "a.csv: expected plain text. Received: gzip"),
    (b"PAR1\x15rest", {"name": "a.csv"}, "a.csv: expected plain text. Received: Parquet"),
    (b"left,right\n\xff,b\n", {}, "table.csv, "),
    ("left,right\na,b\n", {"encoding": "morse"}, ""),
    ("left,right\na,b\n", {"format": "morse"}, ""),
    ("left,right\na,b\n", {"format": "parquet"}, ""),
]


@pytest.mark.parametrize(("content", "query", "message"), BAD)
def test_a_bad_table_is_told_with_the_name_it_was_sent_by(served, content, query, message):
    found = failure(send(served("paraphrase"), content, **query), 422, "invalid")
    assert found.startswith(message)
    assert tempfile.gettempdir() not in found
    assert "--" not in found


def test_a_bad_row_far_down_is_told_and_nothing_is_sent(served):
    rows = 2 * CHUNK_ROWS + 3
    events, table = told(served("paraphrase"), "left,right\n" + "a,b\n" * rows + "c\n")
    assert events[0] == {"rows": 0}
    assert events[-1]["error"]["code"] == "invalid"
    assert events[-1]["error"]["message"].startswith(f"table.csv, row {rows + 1}")
    assert table == b""


def test_entailment_has_no_ranks(served):
    response = send(served("entailment"), "left,right,of\na,b,1\n", group_column="of")
    assert failure(response, 422, "invalid").startswith("`group_column` is for models with one")


def test_a_table_that_is_too_large(trained):
    with serving(trained("paraphrase").matcher, Limits(body_bytes=10, table_bytes=30)) as found:
        assert send(found, "left,right\na,b\n").status_code == 200
        message = failure(send(found, "left,right\n" + "a,b\n" * 30), 413, "too_large")
        assert message == "the body must be at most 30 bytes. Received: 131"
        pieces = (b"left,right\n" for _ in range(30))  # Sent in chunks, without a length.
        message = failure(send(found, pieces), 413, "too_large")
        assert message == "the body must be at most 30 bytes. Received: more"


def test_too_many_tables_at_once(trained):
    with serving(trained("paraphrase").matcher, Limits(tables=0)) as found:
        message = failure(send(found, "left,right\na,b\n"), 503, "overloaded")
        assert message.startswith("0 tables wait to be scored, at most 0 may; ")


def test_a_client_that_goes_stops_the_scoring(trained, no_table_stays):
    """The one place for a table is free again long before its rows are through."""
    content = "left,right\n" + "a b,a c\n" * 200_000
    with serving(trained("paraphrase").matcher, Limits(tables=1)) as found:
        with httpx.stream(
            "POST", f"{found.address}/table", content=content, headers=EVENTS, timeout=60
        ) as response:
            lines = response.iter_lines()
            assert json.loads(next(lines)) == {"rows": 0}
            assert json.loads(next(lines)) == {"rows": CHUNK_ROWS}
        # Behind the first in the thread of the tables, so this waits until that one has stopped.
        for _ in range(200):
            response = send(found, "left,right\na,b\n")
            if response.status_code == 200:
                break
        assert response.status_code == 200
        assert found.matcher is not None
        text = httpx.get(f"{found.address}/metrics").text
    rows = float(text.split("abcnn_batch_pairs_sum ")[1].split()[0])
    assert rows < 200_000


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("pairs.tsv", "pairs.tsv"),
        ("../../etc/passwd", "passwd"),
        ("C:\\data\\my pairs (2).csv", "my pairs (2).csv"),
        (".hidden", "hidden"),
        ("..", "table.csv"),
        ("", "table.csv"),
        ("a\x00b\n<c>.csv", "a_b__c_.csv"),
        ("数据.csv", "数据.csv"),
        ("x" * 300 + ".jsonl", "x" * 54 + ".jsonl"),
    ],
)
def test_names_are_made_harmless(sent, kept):
    assert file_name(sent) == kept
    assert Path(kept).name == kept
