"""Whole tables of every format, read from files and pipes."""

from __future__ import annotations

import gzip
import io
import itertools
import subprocess
import sys
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from abcnn.errors import InputError
from abcnn.tables import Dialect, open_table
from abcnn.tables.reading import table_of
from abcnn.tables.source import Source


def read(path, **options):
    """The names and rows of a table."""
    with open_table(path, **options) as table:
        rows = []
        for chunk in table:
            assert chunk.first_row == len(rows) + 1
            rows += zip(*map(chunk.column, chunk.names), strict=True)
        return list(table.names), [list(row) for row in rows]


def file(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


class TestText:
    def test_csv_keeps_every_cell(self, tmp_path):
        path = file(tmp_path, "a.csv", 'left,right\nNA, null \n"a, ""b""\r\nc",\n"",None\n')
        assert read(path) == (
            ["left", "right"],
            [["NA", " null "], ['a, "b"\r\nc', ""], ["", "None"]],
        )

    def test_a_quote_in_tsv_is_a_character(self, tmp_path):
        path = file(tmp_path, "a.tsv", 'left\tright\n"open\tone "word"\n"\t""\n')
        assert read(path)[1] == [['"open', 'one "word"'], ['"', '""']]

    @pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
    @pytest.mark.parametrize("bom", ["", "\ufeff"])
    @pytest.mark.parametrize("last", [True, False], ids=["end", "no-end"])
    def test_line_ends_and_byte_order_mark(self, tmp_path, end, bom, last):
        text = bom + end.join(["a,b", "1,22", "3,4"]) + (end if last else "")
        assert read(file(tmp_path, "a.csv", text)) == (["a", "b"], [["1", "22"], ["3", "4"]])

    def test_only_line_ends_end_lines(self, tmp_path):
        odd = "x\u2028y\u2029z\x85\x0b\x0c\x1c\x1d\x1e"
        assert read(file(tmp_path, "a.tsv", f"a\tb\n{odd}\t2\n"))[1] == [[odd, "2"]]

    @pytest.mark.parametrize(
        ("header", "delimiter"),
        [("a,b", ","), ("a;b", ";"), ("a\tb", "\t"), ('"a;x",b', ","), ("a;x,b", ","), ("a", ",")],
    )
    def test_delimiter_of_a_csv(self, tmp_path, header, delimiter):
        with open_table(file(tmp_path, "a.csv", header + "\n")) as table:
            assert table.dialect == Dialect("csv", delimiter, quoted=True)
            assert len(table.names) == header.replace("a;x", "a").count(delimiter) + 1

    def test_delimiter_of_a_csv_without_header(self, tmp_path):
        path = file(tmp_path, "a.csv", "one, two and more;three;0\n")
        assert read(path, columns=["left", "right", "label"])[1] == [
            ["one, two and more", "three", "0"]
        ]

    def test_tab_separated_with_quotes_is_format_csv(self, tmp_path):
        path = file(tmp_path, "a.tsv", 'a\tb\n"one\ntwo"\t3\n')
        assert read(path, format="csv")[1] == [["one\ntwo", "3"]]

    def test_columns_name_a_file_without_header(self, tmp_path):
        path = file(tmp_path, "a.tsv", "x\ty\t0\nz\tw\t1\n")
        names, rows = read(path, columns=["left", "_", "label"])
        assert names == ["left", "column_2", "label"]
        assert rows == [["x", "y", "0"], ["z", "w", "1"]]

    def test_encoding(self, tmp_path):
        for encoding in ("cp1252", "utf-16", "utf-16-le", "gb18030", "shift_jis"):
            text = "a,b\nété,x\n" if encoding == "cp1252" else "a,b\n漢字,x\n"
            path = file(tmp_path, "a.csv", text.encode(encoding))
            assert read(path, encoding=encoding)[1] == [[text[4 : text.index(",x")], "x"]]

    def test_blank_lines_at_the_end_are_no_rows(self, tmp_path):
        assert read(file(tmp_path, "a.csv", "a,b\n1,2\n\n\r\n"))[1] == [["1", "2"]]
        assert read(file(tmp_path, "a.jsonl", '{"a": 1}\n\n \n'))[1] == [[1]]

    def test_blank_lines_are_rows_of_one_column(self, tmp_path):
        assert read(file(tmp_path, "a.csv", 'a\n1\n\n""\n'))[1] == [["1"], [""], [""]]

    def test_a_first_column_without_a_name_is_the_row_number_of_pandas(self, tmp_path):
        assert read(file(tmp_path, "a.csv", ",a\n0,x\n")) == (["", "a"], [["0", "x"]])

    def test_a_sentence_of_100_000_words(self, tmp_path):
        long = "word, " * 100_000
        path = file(tmp_path, "a.csv", f'a,b\n"{long}",1\n')
        assert read(path)[1] == [[long, "1"]]

    def test_lines_of_rows_are_physical(self, tmp_path):
        with open_table(file(tmp_path, "a.csv", 'a,b\n1,2\n"x\ny\n",3\n4,5\n')) as table:
            (chunk,) = table
        assert chunk.lines == (2, 3, 6)
        assert chunk.place(2).endswith("a.csv, row 3 (line 6)")

    def test_a_table_without_rows_has_no_chunks(self, tmp_path):
        assert read(file(tmp_path, "a.csv", "a,b\n")) == (["a", "b"], [])


class TestJsonLines:
    def test_values_are_as_they_were(self, tmp_path):
        text = '{"a": "x", "n": 1}\n{"n": 2.5, "b": null}\n{"a": ["\\u00e9"], "b": true}\n'
        assert read(file(tmp_path, "a.jsonl", text)) == (
            ["a", "n", "b"],
            [["x", 1, None], [None, 2.5, None], [["é"], None, True]],
        )

    def test_a_key_that_comes_up_after_the_first_chunk_is_refused(self, tmp_path):
        path = file(tmp_path, "a.jsonl", '{"a": 1}\n{"a": 2}\n{"b": 3}\n')
        with pytest.raises(InputError, match=r"row 3 \(line 3\): expected the keys .*: a\. .*: b"):
            read(path, chunk_rows=2)


class TestParquet:
    def test_types_are_kept(self, tmp_path):
        columns = pyarrow.table(
            {
                "left": pyarrow.array(["a", None], pyarrow.large_string()),
                "score": pyarrow.array([1, 2], pyarrow.int8()),
            }
        )
        pyarrow.parquet.write_table(columns, tmp_path / "a.parquet")
        with open_table(tmp_path / "a.parquet", chunk_rows=1) as table:
            assert table.schema == columns.schema
            chunks = list(table)
        assert [chunk.column("left") for chunk in chunks] == [["a"], [None]]
        assert [chunk.first_row for chunk in chunks] == [1, 2]
        assert chunks[1].place(0).endswith("a.parquet, row 2")

    def test_packed_and_under_another_name(self, tmp_path):
        pyarrow.parquet.write_table(pyarrow.table({"a": [1, 2]}), tmp_path / "a.parquet")
        data = (tmp_path / "a.parquet").read_bytes()
        assert read(file(tmp_path, "b.dat", gzip.compress(data))) == (["a"], [[1], [2]])


class TestRecognition:
    @pytest.mark.parametrize(
        ("name", "content", "format"),
        [
            ("a.txt", "a\tb\n", "tsv"),
            ("a.txt", "a,b\n", "csv"),
            ("a", ' {"a": 1}\n', "jsonl"),
            ("a.csv", "{a,b\n", "csv"),
            ("a.csv", "PAR1,b\n", "csv"),
            ("a.TSV", "a,b\n", "tsv"),
            ("a.ndjson", '{"a": 1}\n', "jsonl"),
        ],
    )
    @pytest.mark.parametrize("packed", [False, True])
    def test_by_name_and_content(self, tmp_path, name, content, format, packed):
        data = content.encode()
        if packed:  # gzip shows in the bytes, so the name need not say it
            data, name = gzip.compress(data), name + ".gz" if "." in name else name
        with open_table(file(tmp_path, name, data)) as table:
            assert table.dialect.format == format

    def test_gzip_without_the_suffix(self, tmp_path):
        assert read(file(tmp_path, "a.csv", gzip.compress(b"a,b\n1,2\n")))[1] == [["1", "2"]]

    def test_a_csv_that_says_it_is_tsv_is_one_column(self, tmp_path):
        assert read(file(tmp_path, "a.tsv", "a,b\n1,2\n")) == (["a,b"], [["1,2"]])


class TestStreams:
    PROGRAM = (
        "from abcnn.tables import open_table\n"
        "with open_table('-') as table:\n"
        "    print(table.dialect.format, [c.column(table.names[-1]) for c in table])"
    )

    @pytest.mark.parametrize("kind", ["csv", "gzip", "jsonl", "parquet"])
    def test_stdin_is_a_pipe(self, tmp_path, kind):
        data = b"a,b\n1,xy\n2,z\n"
        if kind == "gzip":
            data = gzip.compress(data)
        elif kind == "jsonl":
            data = b'{"b": "xy"}\n{"b": "z"}\n'
        elif kind == "parquet":
            sink = io.BytesIO()
            pyarrow.parquet.write_table(pyarrow.table({"b": ["xy", "z"]}), sink)
            data = sink.getvalue()
        done = subprocess.run(
            [sys.executable, "-c", self.PROGRAM], input=data, capture_output=True, check=True
        )
        format = "csv" if kind == "gzip" else kind
        assert done.stdout.decode().strip() == f"{format} [['xy', 'z']]"

    def test_an_endless_stream_is_read_chunk_by_chunk(self):
        class Endless(io.RawIOBase):
            def read(self, size=-1):
                return b"one,two\n" * 100

        with table_of(Source("endless", Endless()), chunk_rows=1000) as table:
            chunks = list(itertools.islice(table, 3))
        assert [len(chunk) for chunk in chunks] == [1000] * 3
        assert chunks[2].first_row == 2001

    def test_long_rows_make_short_chunks(self, tmp_path):
        row = "x" * 2_000_000
        path = file(tmp_path, "a.csv", "a,b\n" + f"{row},1\n" * 20)
        with open_table(path) as table:
            sizes = [len(chunk) for chunk in table]
        assert sum(sizes) == 20
        assert max(sizes) < 10

    @pytest.mark.parametrize("size", [1, 2, 3, 7])
    def test_blocks_may_end_anywhere(self, size):
        text = '\ufeffa,b\r\né,"x\r\n😀"\r\n"",ab\r\n'

        class Trickle(io.BytesIO):
            def read(self, _=-1):
                return super().read(size if self.tell() else 5)

        source = Source("trickle", Trickle(text.encode()))
        with table_of(source, format="csv") as table:
            (chunk,) = table
        assert table.names == ("a", "b")
        assert [chunk.column(name) for name in "ab"] == [["é", ""], ["x\r\n😀", "ab"]]
        assert chunk.lines == (2, 4)
