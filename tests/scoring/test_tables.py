"""Scored tables: every row as it was, in order, with its results or the reason why it has none."""

import gzip
import io
import json
import os
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abcnn.errors import InputError
from abcnn.scoring.tables import TableCounts, score_table
from abcnn.tables import create_table, open_table

# Questions scattered over the rows; every awkward sentence once.
ROWS: list[tuple[str | None, ...]] = [
    ("q1", "Who moved the ferry?", "Two men moved it.", "keep"),
    ("q2", "What is it?", "A ferry.", ""),
    ("q1", "Who moved the ferry?", "", "NA"),
    ("q1", "Who moved the ferry?", "The ferry was moved by a man.", '"quoted", with a comma'),
    ("q3", "   ", "A sentence.", "null"),
    ("", "Who moved the ferry?", "A man.", "no group"),
    ("q2", "What is it?", "\u200b", "zero-width space only"),
    ("q2", "What is it?", "It is an old ferry, " + "very " * 60 + "old.", "007"),
    ("q1", "Who moved the ferry?", "Two men moved it.", "the first again"),
    ("q4", "", "", "both"),
]
NAMES = ("qid", "question", "answer", "other")
COLUMNS = {"left_column": "question", "right_column": "answer", "group_column": "qid"}
UNSCORED = (2, 4, 6, 9)


def write(path: Path, rows: Sequence[Sequence[Any]] = ROWS, names: Sequence[str] = NAMES) -> Path:
    with create_table(path, names) as table:
        table.write([list(column) for column in zip(*rows, strict=True)])
    return path


def read(path: Path) -> list[dict[str, Any]]:
    with open_table(path) as table:
        return [
            dict(zip(chunk.names, row, strict=True))
            for chunk in table
            for row in zip(*(chunk.column(name) for name in chunk.names), strict=True)
        ]


@pytest.mark.parametrize("chunk_rows", [3, 1000])
@pytest.mark.parametrize(
    "name", ["rows.csv", "rows.tsv", "rows.jsonl", "rows.parquet", "rows.csv.gz"]
)
def test_every_row_stays_as_it_was_in_its_place(trained, tmp_path, name, chunk_rows):
    matcher = trained("answer-selection").matcher
    source, output = write(tmp_path / name), tmp_path / f"scored-{name}"
    counts = score_table(matcher, source, output, chunk_rows=chunk_rows, **COLUMNS)
    assert counts == TableCounts(rows=10, scored=6, truncated=1)
    before, after = read(source), read(output)
    assert list(after[0]) == [*NAMES, "score", "label", "rank", "note"]
    assert [{key: row[key] for key in NAMES} for row in after] == before
    if name.endswith(".gz"):
        assert output.read_bytes()[:2] == gzip.compress(b"")[:2]

    scored = [row for number, row in enumerate(after) if number not in UNSCORED]
    expected = matcher.predict([(row["question"], row["answer"]) for row in scored])
    np.testing.assert_allclose([float(row["score"]) for row in scored], expected.scores, atol=1e-6)
    assert [row["label"] for row in scored] == expected.label_names
    for row in (after[number] for number in UNSCORED):
        assert {row[key] or None for key in ("score", "label", "rank")} == {None}
    assert [row["note"] or None for row in after] == [
        None,
        None,
        "answer is empty",
        None,
        "question is empty",
        "qid is empty, so there is no rank",
        "answer holds no word",
        None,
        None,
        "question is empty; answer is empty",
    ]
    assert [after[number]["rank"] or None for number in (5, *UNSCORED)] == [None] * 5
    for question in ("q1", "q2"):
        candidates = [row for row in scored if row["qid"] == question]
        ranks = [int(row["rank"]) for row in candidates]
        order = np.argsort([-float(row["score"]) for row in candidates], kind="stable")
        assert [ranks[place] for place in order] == list(range(1, len(candidates) + 1))


def test_missing_values_of_json_are_kept_with_a_note(trained, tmp_path):
    source = tmp_path / "rows.jsonl"
    values = [
        {"question": None, "answer": "A man.", "n": [1, {"a": None}]},
        {"question": "Who?", "answer": 42, "n": 1.5},
        {"question": "NA", "answer": "null", "n": True},
    ]
    source.write_text("".join(json.dumps(value) + "\n" for value in values))
    score_table(trained("answer-selection").matcher, source, tmp_path / "out.jsonl")
    after = read(tmp_path / "out.jsonl")
    assert [{key: row[key] for key in values[0]} for row in after] == values
    assert [row["note"] for row in after] == ["question is empty", None, None]
    assert "rank" not in after[0]  # there is no group column
    assert after[0]["score"] is None
    assert isinstance(after[1]["score"], float)


@pytest.mark.parametrize("chunk_rows", [3, 1000])
def test_entailment_has_a_probability_a_label(trained, tmp_path, chunk_rows):
    matcher = trained("entailment").matcher
    rows = [(*row[1:3], "entailment") for row in ROWS]
    source = write(tmp_path / "rows.csv", rows, ("premise", "hypothesis", "label"))
    score_table(matcher, source, tmp_path / "out.jsonl", chunk_rows=chunk_rows)
    after = read(tmp_path / "out.jsonl")
    parts = [f"p_{label}" for label in matcher.labels]
    assert list(after[0]) == [
        *("premise", "hypothesis", "label", "score", "predicted_label"),
        *parts,
        "note",
    ]
    for number, row in enumerate(after):
        probabilities = [row[part] for part in parts]
        if number in UNSCORED:
            assert probabilities == [None] * 3
            continue
        assert sum(probabilities) == pytest.approx(1)
        assert row["score"] == max(probabilities)
        assert row["predicted_label"] == matcher.labels[int(np.argmax(probabilities))]


def test_labels_follow_the_threshold_also_where_there_are_ranks(trained, tmp_path):
    matcher = trained("paraphrase").matcher
    source = write(tmp_path / "rows.csv")
    ranked, plain = tmp_path / "ranked.jsonl", tmp_path / "plain.jsonl"
    score_table(matcher, source, ranked, **COLUMNS)
    score_table(matcher, source, plain, left_column="question", right_column="answer")
    assert "rank" not in read(plain)[0]
    for one, other in zip(read(ranked), read(plain), strict=True):
        for name in ("score", "label"):
            assert one[name] == other[name]
        if one["score"] is not None:
            assert one["label"] == matcher.labels[one["score"] >= matcher.threshold]


def test_a_name_that_is_taken_gets_predicted_before_it(trained, tmp_path):
    matcher = trained("paraphrase").matcher
    names = ("sentence1", "sentence2", "label", "score", "note")
    source = write(tmp_path / "rows.csv", [("a b", "a", "1", "mine", "my own")], names)
    score_table(matcher, source, tmp_path / "out.csv")
    (row,) = read(tmp_path / "out.csv")
    assert list(row) == [*names, "predicted_score", "predicted_label", "predicted_note"]
    assert (row["label"], row["score"], row["note"]) == ("1", "mine", "my own")

    again = tmp_path / "again.csv"
    with pytest.raises(InputError, match="`score` and `predicted_score` are both there"):
        score_table(matcher, tmp_path / "out.csv", again)
    assert not again.exists()


BAD_ROWS = {
    "rows.csv, row 9": "question,answer\n" + "a,b\n" * 8 + "a,b,c\n",
    "rows.csv, line 10": "question,answer\n" + "a,b\n" * 8 + "a,\0\n",
    "rows.jsonl, row 9": '{"question": "a", "answer": "b"}\n' * 8
    + '{"question": "a", "answer": [1]}\n',
}


@pytest.mark.parametrize(("place", "text"), BAD_ROWS.items(), ids=BAD_ROWS)
def test_a_bad_row_leaves_no_output(trained, tmp_path, place, text):
    """The chunks before it are written by then."""
    name = place.partition(",")[0]
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=place):
        score_table(
            trained("answer-selection").matcher,
            tmp_path / name,
            tmp_path / "out.csv",
            chunk_rows=3,
        )
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_a_bad_row_leaves_the_output_of_before(trained, tmp_path):
    (tmp_path / "rows.csv").write_text("question,answer\na,b\na\n")
    (tmp_path / "out.csv").write_text("from before")
    with pytest.raises(InputError):
        score_table(trained("paraphrase").matcher, tmp_path / "rows.csv", tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == "from before"
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("format", ["csv", "tsv", "jsonl", "parquet"])
def test_the_output_s_format_is_that_of_its_name_or_the_one_given(trained, tmp_path, format):
    matcher, source = trained("answer-selection").matcher, write(tmp_path / "rows.csv")
    score_table(matcher, source, tmp_path / f"out.{format}", **COLUMNS)
    score_table(matcher, source, tmp_path / "given", output_format=format, **COLUMNS)
    assert (tmp_path / "given").read_bytes() == (tmp_path / f"out.{format}").read_bytes()
    with open_table(tmp_path / "given", format=format) as table:
        assert sum(len(chunk) for chunk in table) == 10


def test_the_table_and_its_results_may_be_streams(trained, tmp_path, monkeypatch):
    """Standard input is read twice for ranks; standard output gets the input's format."""
    source = write(tmp_path / "rows.tsv", [(*row[:3], "x") for row in ROWS])
    matcher = trained("answer-selection").matcher
    score_table(matcher, source, tmp_path / "out.tsv", **COLUMNS)
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(source.read_bytes())))
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written))
    assert score_table(matcher, "-", "-", **COLUMNS).rows == 10
    sys.stdout.flush()
    assert written.getvalue() == (tmp_path / "out.tsv").read_bytes()


def test_a_named_pipe_can_be_ranked(trained, tmp_path):
    """It can be read once only, like the standard input."""
    source, pipe = write(tmp_path / "rows.csv"), tmp_path / "pipe"
    os.mkfifo(pipe)
    matcher = trained("answer-selection").matcher
    score_table(matcher, source, tmp_path / "out.csv", **COLUMNS)
    feeder = threading.Thread(target=lambda: pipe.write_bytes(source.read_bytes()), daemon=True)
    feeder.start()
    score_table(matcher, pipe, tmp_path / "piped.csv", **COLUMNS)
    feeder.join()
    assert (tmp_path / "piped.csv").read_bytes() == (tmp_path / "out.csv").read_bytes()


def test_a_header_without_rows_stays_one(trained, tmp_path):
    (tmp_path / "rows.csv").write_text("qid,question,answer\n")
    counts = score_table(
        trained("answer-selection").matcher, tmp_path / "rows.csv", tmp_path / "out.csv", **COLUMNS
    )
    assert counts == TableCounts(0, 0, 0)
    assert (tmp_path / "out.csv").read_text() == "qid,question,answer,score,label,rank,note\n"


def test_a_file_without_a_header_loses_no_row(trained, tmp_path):
    (tmp_path / "rows.csv").write_text("Who moved it?,A man.,1\nWho?,Two men moved it.,0\n")
    counts = score_table(
        trained("paraphrase").matcher,
        tmp_path / "rows.csv",
        tmp_path / "out.csv",
        columns=["left", "right", "_"],
    )
    assert counts.rows == 2


def test_progress_is_told_in_rows(trained, tmp_path):
    source, told = write(tmp_path / "rows.csv"), list[int]()
    matcher = trained("answer-selection").matcher
    score_table(matcher, source, tmp_path / "out.csv", chunk_rows=4, on_rows=told.append, **COLUMNS)
    assert told == [4, 8, 10]


def test_groups_are_not_for_many_labels(trained, tmp_path):
    with pytest.raises(InputError, match="`group_column` is for models with one score a pair"):
        score_table(
            trained("entailment").matcher,
            write(tmp_path / "rows.csv"),
            tmp_path / "out.csv",
            **COLUMNS,
        )
    assert not (tmp_path / "out.csv").exists()


def test_white_space_around_a_question_s_name_does_not_split_it(trained, tmp_path):
    """As for `evaluate`, which reads groups without it."""
    rows = [("q1", "Who?", "A man."), ("q1 ", "Who?", "Two men."), (" q1", "Who?", "It.")]
    source = write(tmp_path / "rows.jsonl", rows, ("qid", "question", "answer"))
    score_table(trained("answer-selection").matcher, source, tmp_path / "out.jsonl")
    assert sorted(row["rank"] for row in read(tmp_path / "out.jsonl")) == [1, 2, 3]
