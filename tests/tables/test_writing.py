"""Written tables: whole or not at all, and as the formats say."""

from __future__ import annotations

import datetime
import gzip
import os
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import numpy
import pyarrow
import pyarrow.parquet
import pytest

from abcnn.errors import InputError
from abcnn.tables import create_table, open_table, whole_file


def write(path, names, *chunks, **options):
    with create_table(path, names, **options) as writer:
        for chunk in chunks:
            writer.write(chunk)


class TestText:
    def test_csv_is_quoted_where_it_must_be(self, tmp_path):
        path = tmp_path / "a.csv"
        write(path, ["a", "b;c"], [["x;y", 'q"q', "1,2"], ["", "z\r\n", "\t"]])
        assert path.read_bytes() == b'a,"b;c"\nx;y,\n"q""q","z\r\n"\n"1,2",\t\n'

    def test_one_column_has_no_blank_lines(self, tmp_path):
        write(tmp_path / "a.csv", ["a"], [["", "x"]])
        assert (tmp_path / "a.csv").read_text() == 'a\n""\nx\n'

    def test_values_that_are_no_text(self, tmp_path):
        day = datetime.date(2024, 2, 29)
        values = [None, True, 3, 0.1, [1, "é"], {"k": None}, day, Decimal("1.50"), b"\xc3\xa9"]
        values += [numpy.float32(0.5), numpy.int64(7)]
        write(tmp_path / "a.tsv", ["a"], [values])
        assert (tmp_path / "a.tsv").read_text("utf-8").splitlines()[1:] == [
            "", "true", "3", "0.1", '[1, "é"]', '{"k": null}',
            "2024-02-29", "1.50", "é", "0.5", "7",
        ]  # fmt: skip
        write(tmp_path / "a.jsonl", ["a"], [values])
        with open_table(tmp_path / "a.jsonl") as table:
            (chunk,) = table
        assert chunk.column("a") == [
            None, True, 3, 0.1, [1, "é"], {"k": None}, "2024-02-29", "1.50", "é", 0.5, 7,
        ]  # fmt: skip

    def test_arrow_columns_keep_nanoseconds(self, tmp_path):
        times = pyarrow.array([1], pyarrow.timestamp("ns"))
        write(tmp_path / "a.csv", ["a", "b"], [times, pyarrow.array(["x"])])
        assert (tmp_path / "a.csv").read_text() == "a,b\n1970-01-01 00:00:00.000000001,x\n"

    @pytest.mark.parametrize("value", ["a\tb", "a\nb", "a\rb", "a\0b"])
    def test_tsv_refuses_what_it_cannot_hold(self, tmp_path, value):
        path = tmp_path / "a.tsv"
        with pytest.raises(InputError, match=r"a\.tsv, row 3: TSV cannot hold .*write \.csv"):
            write(path, ["a", "b"], [["x"], ["y"]], [["x", "y"], ["z", value]])
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
    def test_half_an_emoji_is_refused(self, tmp_path, name):
        with pytest.raises(InputError, match=r"row 1: .*surrogates not allowed"):
            write(tmp_path / name, ["a"], [["\ud83d"]])

    def test_a_csv_with_nul_is_refused(self, tmp_path):
        with pytest.raises(InputError, match=r"row 1: CSV cannot hold a NUL"):
            write(tmp_path / "a.csv", ["a"], [["x\0"]])

    def test_any_other_suffix_is_csv(self, tmp_path):
        write(tmp_path / "a.out", ["a", "b"], [["x"], ["y"]])
        assert (tmp_path / "a.out").read_text() == "a,b\nx,y\n"

    def test_equal_tables_are_equal_packed_files(self, tmp_path):
        for name in ("a.tsv.gz", "b.tsv.gz"):
            write(tmp_path / name, ["a"], [["x"] * 1000])
        data = (tmp_path / "a.tsv.gz").read_bytes()
        assert data == (tmp_path / "b.tsv.gz").read_bytes()
        assert gzip.decompress(data) == b"a\n" + b"x\n" * 1000

    def test_a_name_twice(self, tmp_path):
        with pytest.raises(InputError, match="the column name 'score' stands twice"):
            write(tmp_path / "a.csv", ["score", "score"])

    def test_columns_of_other_lengths_are_a_mistake_of_the_program(self, tmp_path):
        for columns in ([["x"]], [["x"], ["y", "z"]]):
            with pytest.raises(ValueError, match="`columns` must be 2 columns of one length"):
                write(tmp_path / "a.csv", ["a", "b"], columns)


class TestParquet:
    def test_input_types_and_metadata_are_kept(self, tmp_path):
        schema = pyarrow.schema(
            [
                pyarrow.field("id", pyarrow.int16()),
                pyarrow.field("when", pyarrow.timestamp("ns")),
                pyarrow.field("kind", pyarrow.dictionary(pyarrow.int8(), pyarrow.string())),
            ],
            {"by": "someone"},
        )
        table = pyarrow.table([[1, 2], [3, None], ["x", "y"]], schema=schema)
        pyarrow.parquet.write_table(table, tmp_path / "in.parquet")
        with (
            open_table(tmp_path / "in.parquet") as read,
            create_table(
                tmp_path / "out.parquet",
                [*read.names, "score", "note"],
                schema=read.schema,
                kinds={"score": float, "note": str},
            ) as writer,
        ):
            for chunk in read:
                writer.write([*chunk.columns, [None, 0.5], [None, None]])
        back = pyarrow.parquet.read_table(tmp_path / "out.parquet")
        assert back.select(["id", "when", "kind"]).equals(table, check_metadata=False)
        assert back.schema.metadata[b"by"] == b"someone"
        assert [str(type_) for type_ in back.schema.types[3:]] == ["double", "string"]
        assert back["score"].to_pylist() == [None, 0.5]

    def test_types_come_from_the_first_rows(self, tmp_path):
        write(tmp_path / "a.parquet", ["a", "b"], [[1, None], [None, None]], [[3], ["x"]])
        back = pyarrow.parquet.read_table(tmp_path / "a.parquet")
        assert back.to_pydict() == {"a": [1, None, 3], "b": [None, None, "x"]}

    def test_a_value_of_another_type_is_refused(self, tmp_path):
        with pytest.raises(
            InputError, match=r"row 3: column `a` must hold int64, .* Received: 'x'; write \.jsonl"
        ):
            write(tmp_path / "a.parquet", ["a"], [[1]], [[2, "x"]])
        assert list(tmp_path.iterdir()) == []

    def test_mixed_first_rows_are_refused(self, tmp_path):
        with pytest.raises(InputError, match=r"a\.parquet, column `a`: .*cannot mix"):
            write(tmp_path / "a.parquet", ["a"], [[1, ["x"]]])

    def test_no_rows(self, tmp_path):
        write(tmp_path / "a.parquet", ["a", "n"], kinds={"n": int})
        back = pyarrow.parquet.read_table(tmp_path / "a.parquet")
        assert [str(type_) for type_ in back.schema.types] == ["string", "int64"]
        with open_table(tmp_path / "a.parquet") as table:
            assert list(table) == []


class TestWholeOrNotAtAll:
    @pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "a.parquet"])
    @pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
    def test_a_failure_leaves_what_was_there(self, tmp_path, name, error):
        path = tmp_path / name
        path.write_text("before")

        def fail():
            with create_table(path, ["a"]) as writer:
                writer.write([["x"] * 100_000])
                raise error

        with pytest.raises(error):
            fail()
        assert path.read_text() == "before"
        assert [entry.name for entry in tmp_path.iterdir()] == [name]

    def test_the_name_is_taken_at_the_end(self, tmp_path):
        path = tmp_path / "a.csv"
        with create_table(path, ["a"]) as writer:
            writer.write([["x"]])
            assert not path.exists()
        assert [entry.name for entry in tmp_path.iterdir()] == ["a.csv"]

    def test_the_file_may_be_read_and_written_at_once(self, tmp_path):
        path = tmp_path / "a.csv"
        write(path, ["a"], [[str(i) for i in range(1000)]])
        with open_table(path, chunk_rows=10) as table, create_table(path, ["a", "b"]) as writer:
            for chunk in table:
                writer.write([*chunk.columns, chunk.columns[0]])
        with open_table(path) as table:
            assert sum(map(len, table)) == 1000

    def test_a_link_is_followed(self, tmp_path):
        (tmp_path / "folder").mkdir()
        (tmp_path / "a.csv").symlink_to(tmp_path / "folder" / "b.csv")
        write(tmp_path / "a.csv", ["a"], [["x"]])
        assert (tmp_path / "a.csv").is_symlink()
        assert (tmp_path / "folder" / "b.csv").read_text() == "a\nx\n"

    def test_permissions_are_those_of_any_new_file(self, tmp_path):
        write(tmp_path / "a.csv", ["a"], [["x"]])
        (tmp_path / "b.csv").write_text("")
        assert (tmp_path / "a.csv").stat().st_mode == (tmp_path / "b.csv").stat().st_mode

    def test_no_such_folder(self, tmp_path):
        with pytest.raises(InputError, match=r"cannot be written: the folder .*no does not exist"):
            write(tmp_path / "no" / "a.csv", ["a"])

    def test_a_folder_of_that_name(self, tmp_path):
        with pytest.raises(InputError, match=r"expected a file to write\. Received: a folder"):
            write(tmp_path, ["a"])

    def test_a_name_that_is_too_long(self, tmp_path):
        with pytest.raises(InputError, match="cannot be written: File name too long"):
            write(tmp_path / ("x" * 999), ["a"])

    @pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="needs a Linux /proc")
    def test_a_folder_that_takes_no_files(self):
        # Root may write everywhere but there.
        with pytest.raises(InputError, match=r"/proc/self/a\.csv: cannot be written: "):
            write("/proc/self/a.csv", ["a"])

    @pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
    def test_a_folder_without_permission(self, tmp_path):
        tmp_path.chmod(0o500)
        with pytest.raises(InputError, match="cannot be written: Permission denied"):
            write(tmp_path / "a.csv", ["a"])

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs the device /dev/full")
    @pytest.mark.parametrize("format", ["csv", "tsv", "jsonl", "parquet"])
    def test_a_full_device(self, format):
        with pytest.raises(InputError, match="/dev/full: cannot be written: No space left"):
            write("/dev/full", ["a"], [["x"] * 100_000], format=format)
        assert Path("/dev/full").is_char_device()

    @pytest.mark.skipif(os.name != "posix", reason="needs a limit on file sizes")
    @pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "a.parquet"])
    def test_a_disk_that_fills_up_leaves_nothing(self, tmp_path, name):
        program = (
            "import random, resource, signal\n"
            "from abcnn.tables import create_table\n"
            "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
            "resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))\n"
            f"with create_table({name!r}, ['a']) as writer:\n"
            "    for _ in range(10):\n"
            "        writer.write([[str(random.random()) for _ in range(5000)]])\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True
        )
        assert done.returncode == 1
        assert done.stderr.splitlines()[-1] == (
            f"abcnn.errors.OutputError: {name}: cannot be written: File too large"
        )
        assert list(tmp_path.iterdir()) == []


class TestStdout:
    def run(self, statement):
        program = f"from abcnn.tables import create_table\n{statement}"
        return subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)

    @pytest.mark.parametrize("format", ["csv", "parquet"])
    def test_a_table_goes_through_a_pipe(self, tmp_path, format):
        done = self.run(
            f"with create_table('-', ['a', 'b'], format={format!r}) as writer:\n"
            "    writer.write([['x'], ['é']])"
        )
        (tmp_path / "a").write_bytes(done.stdout)
        with open_table(tmp_path / "a") as table:
            assert [list(map(chunk.column, "ab")) for chunk in table] == [[["x"], ["é"]]]

    def test_a_reader_that_leaves_is_no_failure_of_the_file(self):
        reading, writing = os.pipe()
        os.close(reading)
        with (
            os.fdopen(writing, "wb", buffering=0),
            pytest.raises(BrokenPipeError),
            whole_file(f"/dev/fd/{writing}") as stream,
        ):
            stream.write(b"x")
