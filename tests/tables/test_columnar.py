"""Many rows at once: the rows, failures and bytes that one by one gives."""

from __future__ import annotations

import io

import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abcnn.errors import InputError
from abcnn.tables import columnar, open_table
from abcnn.tables.cells import delimited_rows
from abcnn.tables.columnar_writing import delimited_bytes
from abcnn.tables.encoders import csv_line, tsv_line
from abcnn.tables.lines import TextReader
from abcnn.tables.reading import table_of
from abcnn.tables.source import Source

# Much that is well-formed, and every way not to be.
CELLS = st.sampled_from(
    ["", "a", "bc d", "é", "😀", '"x"', '"a ""b"" c"', '"1,2"', '"p\r\nq"', '""', '"\r"', "\ufeff"]
)
LINE_ENDS = st.sampled_from(["\n", "\r\n", "\r"])
ROWS = st.lists(st.tuples(CELLS, CELLS, LINE_ENDS), min_size=1, max_size=6).map(
    lambda rows: "".join(f"{left},{right}{end}" for left, right, end in rows)
)
ODD = st.text(st.sampled_from('a,,""\n\r \ufeff'), min_size=1, max_size=12)


def singly(content, quoted):
    """All rows of `x`, each with its line, or the failure, as `delimited_rows` has it."""
    text = TextReader(Source("x", io.BytesIO(content.encode())))
    rows = delimited_rows(text, delimiter=",", quoted=quoted, source="x", first_row=1)
    try:
        return [(line, cells) for line, _, cells in rows]
    except InputError as error:
        return str(error)


def at_once(content, quoted):
    """The same by regions, and row by row from the first that is not well-formed on."""
    text = TextReader(Source("x", io.BytesIO(content.encode())))
    found = []
    for rows in columnar.columnar_rows(text, 2, ",", quoted=quoted):
        cells = zip(*(column.to_pylist() for column in rows.columns), strict=True)
        found += zip(rows.lines.tolist(), map(list, cells), strict=True)
    fast = len(found)
    others = delimited_rows(text, delimiter=",", quoted=quoted, source="x", first_row=fast + 1)
    try:
        return found + [(line, cells) for line, _, cells in others], fast
    except InputError as error:
        return str(error), fast


@pytest.mark.parametrize("region", [1, 5, 1000])
@settings(deadline=None)
@given(content=ROWS | ODD, quoted=st.booleans())
def test_rows_are_those_of_reading_one_by_one(region, content, quoted):
    content = "a" + content  # A mark at the start is that of the file.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columnar, "_REGION", region)
        expected, (found, fast) = singly(content, quoted), at_once(content, quoted)
    assert found == expected
    if isinstance(expected, list) and {len(cells) for _, cells in expected} == {2}:
        assert fast == len(expected) or "\ufeff" in content


def test_the_first_row_that_is_not_well_formed_ends_the_regions(tmp_path):
    """Chunks go on where they end, and blank lines at the end are none."""
    path = tmp_path / "a.csv"
    body = "".join(f'{n},"x ""{n}""\n"\n' for n in range(50_000))
    path.write_text(f"a,b\n{body}\n\n")
    rows = 0
    with open_table(path, chunk_rows=7_000) as table:
        for chunk in table:
            assert chunk.first_row == rows + 1
            assert chunk.lines == tuple(range(2 * rows + 2, 2 * (rows + len(chunk)) + 2, 2))
            assert chunk.column("b")[-1] == f'x "{rows + len(chunk) - 1}"\n'
            rows += len(chunk)
    assert rows == 50_000
    path.write_text(f"a,b\n{body}x,y,z\n{body}")
    with (
        pytest.raises(InputError, match=r"row 50001 \(line 100002\): expected 2 cells"),
        open_table(path) as table,
    ):
        for _ in table:
            pass


def test_names_given_to_a_file_lose_no_row():
    content = "".join(f"{n},x\n" for n in range(5_000)).encode()
    source = Source("x", io.BytesIO(content))
    with table_of(source, format="csv", columns=["a", "b"], chunk_rows=3_000) as table:
        assert [number for chunk in table for number in chunk.column("a")] == [
            str(number) for number in range(5_000)
        ]


VALUES = (
    st.sampled_from(
        ["", "a", 'q"x', "a,b", "\r", "p\nq", "é", "\t", "\0", "\ud83d", None, True, [1]]
    )
    | st.integers()
    | st.floats(allow_nan=False)
)


@settings(deadline=None)
@given(rows=st.lists(st.tuples(VALUES, VALUES) | st.tuples(VALUES, VALUES), min_size=1))
@pytest.mark.parametrize(("format", "line_of"), [("csv", csv_line), ("tsv", tsv_line)])
def test_lines_are_those_of_writing_one_by_one(rows, format, line_of):
    try:
        expected = "".join(map(line_of, rows)).encode()
    except ValueError:
        expected = None
    written = delimited_bytes(list(map(list, zip(*rows, strict=True))), format)
    assert (None if written is None else bytes(written)) == expected


@pytest.mark.parametrize("values", [["a", None, 'b"'], [0.1, None, 1e-7], [3, None, -1]])
def test_arrow_columns_are_written_as_lists_are(values):
    """Also when they are a part of a longer one."""
    column = pyarrow.array([values[0], *values, values[-1]]).slice(1, 3)
    assert bytes(delimited_bytes([column, column], "csv")) == bytes(
        delimited_bytes([values, values], "csv")
    )


@settings(deadline=None)
@given(
    st.lists(st.none() | st.floats() | st.floats(1e-6, 1) | st.integers(-3, 3).map(float)),
    st.integers(0, 3),
)
def test_numbers_of_arrow_columns_are_written_as_python_writes_them(values, start):
    column = pyarrow.array(values, pyarrow.float64()).slice(start)
    expected = "".join(csv_line([x, "x"]) for x in values[start:])
    assert bytes(delimited_bytes([column, ["x"] * len(column)], "csv")) == expected.encode()


def test_a_row_of_one_empty_cell_is_left_to_be_quoted():
    assert delimited_bytes([["x", ""]], "csv") is None
    assert bytes(delimited_bytes([["x", ""]], "tsv")) == b"x\n\n"
