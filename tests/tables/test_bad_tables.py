"""Everything that is no whole table: one line that names the file, the row and the line."""

from __future__ import annotations

import gzip
import io
import os
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from abcnn.errors import InputError
from abcnn.tables import open_table

PARQUET = io.BytesIO()
pyarrow.parquet.write_table(pyarrow.table({"a": ["x"] * 1000}), PARQUET)
PARQUET_PLAIN = io.BytesIO()
pyarrow.parquet.write_table(
    pyarrow.table({"a": ["findme"]}), PARQUET_PLAIN, compression="none", use_dictionary=False
)

ROWS = "left,right,label\n" + "a,bc,0\n" * 20_000

BAD = {
    "empty": ("a.csv", b"", {}, "expected a table. Received: an empty file"),
    "blank": ("a.csv", b"\xef\xbb\xbf\r\n\n", {}, "expected a table. Received: an empty file"),
    "only-bom": ("a.csv", "\ufeff".encode("utf-16"), {"encoding": "utf-16"}, "column 1 has no"),
    "html": ("a.csv", b"\n<!DOCTYPE html>\n<html>", {}, "a web page (HTML)"),
    "html-short": ("a.tsv", b"<HTML><body>", {}, "a web page (HTML)"),
    "name-twice": ("a.csv", b"a,b,a\n", {}, "header: the column name 'a' stands twice"),
    "no-name": ("a.csv", b"a,,b\n", {}, "header: column 2 has no name"),
    "too-few": (
        "a.csv",
        f"{ROWS}a,b\n",
        {},
        "row 20001 (line 20002): expected 3 cells. Received: 2",
    ),
    "too-many": (
        "a.csv",
        f"{ROWS}a,b,c,0\n",
        {},
        "row 20001 (line 20002): expected 3 cells. Received: 4; a cell that holds ',' must be in",
    ),
    "too-many-tsv": (
        "a.tsv",
        "a\tb\nx\ty\tz\n",
        {},
        "row 1 (line 2): expected 2 cells. Received: 3",
    ),
    "blank-line": (
        "a.csv",
        "a,b\n1,2\n\n3,4\n",
        {},
        "row 2 (line 3): expected 2 cells. Received: a blank line",
    ),
    "no-header-too-few": (
        "a.csv",
        "x,y\nz\n",
        {"columns": ["a", "b"]},
        "row 2 (line 2): expected 2 cells. Received: 1",
    ),
    "stray-quote": (
        "a.csv",
        'a,b\n1,6" nail\n',
        {},
        "row 1 (line 2), cell 2: a stray quote in '6\"",
    ),
    "stray-quote-late": (
        "a.csv",
        f'{ROWS}x" y,b,0\n',
        {},
        "row 20001 (line 20002), cell 1: a stray",
    ),
    "quote-after-space": ("a.csv", 'a,b\n1, "x, y"\n', {}, "row 1 (line 2), cell 2: a stray quote"),
    "text-after-quote": (
        "a.csv",
        'a,b\n1,"x"y\n',
        {},
        "row 1 (line 2), cell 2: expected ',' or the line's end after a closing quote (line 2; it "
        "opened on line 2). Received: 'y'",
    ),
    "unclosed-until-next": (
        "a.csv",
        'a,b\n"1,2\n3,4\n"x",5\n',
        {},
        "row 1 (line 2), cell 1: expected ',' or the line's end after a closing quote (line 4; it "
        "opened on line 2). Received: 'x",
    ),
    "unclosed": (
        "a.csv",
        'a,b\n1,2\n3,"x\n5,6\n',
        {},
        "row 2 (line 3), cell 2: the quote that opens on line 3 is never closed",
    ),
    "unclosed-for-long": (
        "a.csv",
        'a,b\n"1,2\n' + "3,4 and more\n" * 1_500_000,
        {},
        "row 1 (line 2), cell 1: the quote that opens on line 2 is never closed",
    ),
    "header-quote": ("a.csv", 'a,b"c\n', {}, "header (line 1), cell 2: a stray quote"),
    "not-utf-8": (
        "a.csv",
        b"a,b\n1,2\n3,caf\xe9\n",
        {},
        "line 3: expected text in utf-8. Received: byte e9 at offset 13; pass --encoding",
    ),
    "not-utf-8-late": (
        "a.csv",
        "\ufeff".encode() + ROWS.encode() * 10 + b"x,\xff,0\n",
        {},
        f"line 200011: expected text in utf-8. Received: byte ff at offset {len(ROWS) * 10 + 5}",
    ),
    "cut-utf-8": ("a.csv", "a,b\n1,é".encode()[:-1], {}, "line 2: expected text in utf-8"),
    "utf-16": ("a.csv", "a,b\n1,2\n".encode("utf-16"), {}, "line 1: expected text in utf-8"),
    "nul": ("a.csv", b"a,b\r\n1,2\r\n3,x\0y\r\n", {}, "line 3: holds a NUL character"),
    "utf-16-le": ("a.csv", "a,b\n1,2\n".encode("utf-16-le"), {}, "pass --encoding utf-16"),
    "no-lines": ("a.csv", b"x" * (1 << 25), {}, "line 1: is longer than 16777216 characters"),
    "json-array": ("a.jsonl", '["a", 1]\n', {}, "row 1 (line 1): expected a JSON object."),
    "not-json": ("a.jsonl", '{"a": 1}\n{"a": 2,}\n', {}, "row 2 (line 2): expected a JSON object"),
    "json-blank": (
        "a.jsonl",
        '{"a": 1}\n\n{"a": 2}\n',
        {},
        "row 2 (line 2): expected a JSON object",
    ),
    "json-key-twice": ("a.jsonl", '{"a": 1, "a": 2}\n', {}, "the key 'a' stands twice"),
    "json-no-keys": ("a.jsonl", "{}\n", {}, "header: expected columns. Received: none"),
    "json-deep": (
        "a.jsonl",
        '{"a": ' + "[" * 200_000,
        {},
        "row 1 (line 1): expected a JSON object",
    ),
    "json-number": ("a.jsonl", '{"a": ' + "9" * 5000 + "}", {}, "row 1 (line 1): expected a JSON"),
    "gzip-cut": ("a.csv.gz", gzip.compress(ROWS.encode())[:-20], {}, "the gzip data is cut short"),
    "gzip-damaged": (
        "a.csv.gz",
        gzip.compress(ROWS.encode())[:-8] + bytes(8),
        {},
        "the gzip data is damaged",
    ),
    "parquet-cut": ("a.parquet", PARQUET.getvalue()[:-30], {}, "expected a whole Parquet file."),
    "parquet-not-utf-8": (
        "a.parquet",
        PARQUET_PLAIN.getvalue().replace(b"findme", b"find\xff\xff"),
        {},
        "expected a whole Parquet file. Received: ",
    ),
    "parquet-not": ("a.parquet", b"a,b\n1,2\n", {}, "expected a whole Parquet file."),
    "parquet-hole": (
        "a.parquet",
        PARQUET.getvalue()[:4] + bytes(60) + PARQUET.getvalue()[64:],
        {},
        "expected a whole Parquet file.",
    ),
    "format": ("a.csv", "a,b\n", {"format": "xls"}, "`format` must be one of csv, tsv, jsonl"),
    "encoding": ("a.csv", "a,b\n", {"encoding": "latin-99"}, "`encoding` must be the name of a"),
    "encoding-not-text": ("a.csv", "a,b\n", {"encoding": "base64"}, "`encoding` must be the name"),
    "columns-twice": ("a.csv", "a,b\n", {"columns": ["x", "x"]}, "`columns` must be different"),
    "columns-empty": ("a.csv", "a,b\n", {"columns": ["x", ""]}, "`columns` must be different"),
    "columns-none": ("a.csv", "a,b\n", {"columns": []}, "`columns` must be different"),
    "columns-of-json": ("a.jsonl", '{"a": 1}', {"columns": ["x"]}, "which is jsonl and has names"),
    "columns-are-the-header": (
        "a.csv",
        "left,right\nx,y\n",
        {"columns": ["left", "right"]},
        "row 1 (line 1): expected data, as the columns were named. Received: these names",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_table(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    file, content, options, expected = BAD[name]
    (tmp_path / file).write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError) as raised, open_table(file, **options) as table:
        for _ in table:
            pass
    message = str(raised.value)
    assert expected in message
    assert "\n" not in message
    assert len(message) < 400
    if not expected.startswith("`"):
        assert file in message


def test_no_such_file(tmp_path):
    with (
        pytest.raises(InputError, match=r"no\.csv: there is no such file"),
        open_table(tmp_path / "no.csv"),
    ):
        pass


def test_a_folder(tmp_path):
    with (
        pytest.raises(InputError, match=r"expected a file\. Received: a folder"),
        open_table(tmp_path),
    ):
        pass


def test_a_name_that_is_too_long():
    with (
        pytest.raises(InputError, match="cannot be read: File name too long"),
        open_table("x" * 999),
    ):
        pass


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a Linux /proc")
def test_a_device_that_fails():
    with (
        pytest.raises(InputError, match="/proc/self/mem: cannot be read: Input/output error"),
        open_table("/proc/self/mem"),
    ):
        pass


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read anything")
def test_a_file_without_permission(tmp_path):
    path = tmp_path / "a.csv"
    path.touch(0o200)
    with pytest.raises(InputError, match="cannot be read: Permission denied"), open_table(path):
        pass
