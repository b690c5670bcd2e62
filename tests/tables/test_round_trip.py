"""What is written is what is read, in every format."""

from __future__ import annotations

import csv
import io
import math
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from abcnn.tables import create_table, open_table
from abcnn.tables.cells import delimited_rows
from abcnn.tables.lines import TextReader
from abcnn.tables.source import Source

# Quotes, delimiters and line ends often; any other character of any script.
TEXT = st.text(
    st.sampled_from('"",;\t\r\n \\x') | st.characters(exclude_characters="\0", codec="utf-8")
)
TSV_TEXT = st.text(
    st.sampled_from('", x') | st.characters(exclude_characters="\0\t\r\n", codec="utf-8")
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@st.composite
def tables(draw, values, names):
    """The names and the rows of a table, 1 to 4 columns wide."""
    # A mark at the start of a file is that of its byte order, never part of a name.
    name = names.filter(lambda text: text.strip() and not text.startswith("\ufeff"))
    columns = draw(st.lists(name, min_size=1, max_size=4, unique=True))
    row = st.tuples(*[values] * len(columns))
    return columns, draw(st.lists(row, max_size=6))


def round_trip(name, table, sizes=(2, 3)):
    """The table as it is after writing in chunks and reading in chunks of the two `sizes`."""
    names, rows = table
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        with create_table(path, names) as writer:
            for start in range(0, len(rows), sizes[0]):
                part = rows[start : start + sizes[0]]
                writer.write([list(column) for column in zip(*part, strict=True)])
        assert writer.rows == len(rows)
        with open_table(path, chunk_rows=sizes[1]) as read:
            back = [
                row for chunk in read for row in zip(*map(chunk.column, chunk.names), strict=True)
            ]
            return list(read.names), back


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "a.parquet"])
@settings(deadline=None)
@given(table=tables(TEXT, TEXT))
@example(table=([";\r", "0"], []))  # A name that goes on in the next line.
def test_any_text(name, table):
    assert round_trip(name, table) == table


@settings(deadline=None)
@given(table=tables(TSV_TEXT, TSV_TEXT))
def test_tsv_holds_any_text_without_tabs_and_line_ends(table):
    assert round_trip("a.tsv", table) == table


@settings(deadline=None)
@given(table=tables(JSON, st.text()).filter(lambda table: table[1]))
def test_json_values(table):
    assert round_trip("a.jsonl", table) == table


def test_json_values_that_json_has_not_but_python_writes():
    names, ((left, right),) = round_trip("a.jsonl", (["a", "b"], [(math.nan, "\ud83d")]))
    assert names == ["a", "b"]
    assert math.isnan(left)
    assert right == "\ud83d"  # half an emoji, which stays escaped


@settings(deadline=None)
@given(
    rows=st.lists(st.lists(TEXT, min_size=1, max_size=4).filter(lambda row: row != [""])),
    delimiter=st.sampled_from(",;\t"),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
)
def test_the_standard_librarys_csv_reads_the_same(rows, delimiter, quoting):
    text = io.StringIO("first\r\n", newline="")
    text.seek(0, io.SEEK_END)
    # With CR LF as its line end the writer quotes every CR and LF.
    csv.writer(text, delimiter=delimiter, quoting=quoting, lineterminator="\r\n").writerows(rows)
    source = Source("x.csv", io.BytesIO(text.getvalue().encode()))
    read = delimited_rows(
        TextReader(source), delimiter=delimiter, quoted=True, source="x.csv", first_row=0
    )
    assert [cells for _, _, cells in read] == [["first"], *rows]
