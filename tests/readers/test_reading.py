"""Tables to pairs: whole for training, row for row for scoring."""

from __future__ import annotations

import json

import pyarrow
import pyarrow.parquet
import pytest

from abcnn.errors import InputError
from abcnn.readers import open_pairs, pairs_of_chunk, read_pairs

HEADER = "question,answer,label,question_id,candidate_id\n"


@pytest.fixture
def csv(tmp_path):
    def write(text):
        path = tmp_path / "pairs.csv"
        path.write_text(text)
        return path

    return write


class TestWholePairs:
    def test_all_columns(self, csv):
        reading = read_pairs(csv(f"{HEADER} NA ,null and more, 1 ,q1 ,c1\na,b c,0,q1,c2\n"))
        pairs = reading.pairs
        assert pairs.left == (" NA ", "a")
        assert pairs.right == ("null and more", "b c")
        assert (pairs.labels, pairs.groups) == (("1", "0"), ("q1", "q1"))
        assert (pairs.candidate_ids, pairs.rows) == (("c1", "c2"), (1, 2))
        assert pairs.source.endswith("pairs.csv")
        assert reading.skipped == 0

    @pytest.mark.parametrize(
        ("row", "message"),
        [
            (",b,1,q,c", "column `question` must hold a sentence. Received: an empty cell"),
            ("a, ,1,q,c", "column `answer` must hold a sentence. Received: an empty cell"),
            ("a,b,,q,c", "column `label` must hold a label. Received: an empty cell"),
            ("a,b,1, ,c", "column `question_id` must hold the name of a question. Received: an"),
            ("a,b,1,q,", "column `candidate_id` must hold the name of a candidate. Received: an"),
        ],
    )
    def test_an_empty_cell_names_its_row(self, csv, row, message):
        path = csv(HEADER + "a,b c,0,q,c\n" * 20_000 + row + "\n")
        with pytest.raises(InputError) as raised:
            read_pairs(path, require_labels=True)
        assert str(raised.value).startswith(f"{path}, row 20001 (line 20002): {message}")

    def test_labels_that_are_not_needed_may_have_gaps(self, csv):
        path = csv("left,right,label\na,b c,1\nd,e f,\n")
        reading = read_pairs(path)
        assert reading.pairs.labels is None
        assert len(reading.pairs) == 2

    def test_labels_are_not_needed(self, csv):
        assert read_pairs(csv("left,right\na,b c\n")).pairs.labels is None

    def test_a_table_without_rows(self, csv):
        with pytest.raises(
            InputError, match=r"expected rows of pairs\. Received: a header without"
        ):
            read_pairs(csv("left,right,label\n"))

    def test_an_encoding_of_the_file(self, tmp_path):
        (tmp_path / "a.csv").write_bytes("left,right\nÄ,ß ß\n".encode("cp1252"))
        assert read_pairs(tmp_path / "a.csv", encoding="cp1252").pairs.right == ("ß ß",)
        with pytest.raises(InputError, match="expected text in utf-8"):
            read_pairs(tmp_path / "a.csv")
        with pytest.raises(InputError, match="`encoding` must be the name of a text encoding"):
            read_pairs(tmp_path / "a.csv", encoding="klingon")

    def test_no_header(self, csv):
        reading = read_pairs(csv("1,x,a,b c\n0,y,d,e f\n"), columns=["label", "_", "left", "right"])
        assert reading.pairs.left == ("a", "d")
        assert reading.pairs.labels == ("1", "0")

    def test_any_script(self, csv):
        texts = ["😀👩‍👩‍👧", "שלום עולם", "e\u0301a\u0300", "漢字 かな", "\u200f\u202ex"]
        path = csv("left,right\n" + "".join(f"{text},{text} b\n" for text in texts))
        assert read_pairs(path).pairs.left == tuple(texts)


class TestValues:
    def test_json_values_become_text(self, tmp_path):
        rows = [
            {"left": 12, "right": 0.5, "label": True},
            {"left": "null", "right": False, "label": 0},
        ]
        (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
        pairs = read_pairs(tmp_path / "a.jsonl", require_labels=True).pairs
        assert pairs.left == ("12", "null")
        assert pairs.right == ("0.5", "false")
        assert pairs.labels == ("true", "0")

    @pytest.mark.parametrize("value", ["null", '""', "NaN"])
    def test_json_without_a_value(self, tmp_path, value):
        (tmp_path / "a.jsonl").write_text(f'{{"left": "a", "right": {value}}}\n')
        with pytest.raises(InputError, match=r"row 1 \(line 1\): column `right` must hold a sent"):
            read_pairs(tmp_path / "a.jsonl")

    @pytest.mark.parametrize("value", ['["a"]', '{"text": "a"}'])
    def test_json_that_is_no_text(self, tmp_path, value):
        (tmp_path / "a.jsonl").write_text(f'{{"left": "a", "right": {value}}}\n')
        with pytest.raises(InputError, match=r"column `right` must hold text\. Received: [\[{]"):
            read_pairs(tmp_path / "a.jsonl")

    def test_parquet(self, tmp_path):
        table = pyarrow.table(
            {
                "left": pyarrow.array(["a", "d"]).dictionary_encode(),
                "right": pyarrow.array(["b c", "e f"], pyarrow.large_string()),
                "label": pyarrow.array([0, 1], pyarrow.int8()),
            }
        )
        pyarrow.parquet.write_table(table, tmp_path / "a.parquet")
        pairs = read_pairs(tmp_path / "a.parquet", require_labels=True).pairs
        assert (pairs.left, pairs.right) == (("a", "d"), ("b c", "e f"))
        assert pairs.labels == ("0", "1")


class TestStreams:
    def test_missing_sentences_are_none_and_no_row_is_lost(self, csv):
        path = csv("left,right,qid,extra\na,b c,q,1\n, ,q,2\nd,,,3\n")
        with open_pairs(path, chunk_rows=2) as opened:
            chunks = [pairs_of_chunk(chunk, opened.selection) for chunk in opened.table]
        assert opened.table.names == ("left", "right", "qid", "extra")
        assert [pairs.left for pairs in chunks] == [["a", None], ["d"]]
        assert [pairs.right for pairs in chunks] == [["b c", None], [None]]
        assert [pairs.groups for pairs in chunks] == [["q", "q"], [None]]

    def test_rows_that_have_no_gold_label_stay(self, tmp_path):
        row = {"gold_label": "-", "sentence1": "a", "sentence2": "b c"}
        (tmp_path / "a.jsonl").write_text(json.dumps(row) + "\n")
        with open_pairs(tmp_path / "a.jsonl") as opened:
            (chunk,) = opened.table
        assert pairs_of_chunk(chunk, opened.selection).left == ["a"]
        assert pairs_of_chunk(chunk, opened.selection).groups is None
        assert opened.corpus.name == "snli"
