"""Tables scored by several processes, and several tables."""

from __future__ import annotations

import gc
import pickle

import numpy as np
import pytest

from abcnn.errors import InputError, WorkerError
from abcnn.scoring import threads
from abcnn.scoring.files import score_files
from abcnn.scoring.inputs import jobs_of
from abcnn.scoring.tables import TableCounts
from abcnn.scoring.threads import Threads
from abcnn.scoring.workers import BundleScorer, Workers
from abcnn.tables import create_table, open_table
from tests.commands.process import files_in
from tests.scoring.toy import CHUNK_ROWS, rows_of, toy


def score(scorer, source, output, **options):
    return score_files(scorer, [source], output, chunk_rows=CHUNK_ROWS, **options)


@pytest.mark.parametrize(
    ("name", "engine"),
    [("out.csv.gz", "keras"), ("out.parquet", "keras"), ("out.csv", "fast")],
)
def test_the_bytes_do_not_depend_on_the_workers(tmp_path, name, engine):
    (tmp_path / "in.csv").write_text(rows_of(5_000))
    scorer, told = toy(tmp_path, task="answer-selection", engine=engine), list[int]()
    alone = score(scorer, tmp_path / "in.csv", tmp_path / f"1-{name}")
    many = score(
        scorer, tmp_path / "in.csv", tmp_path / f"3-{name}", workers=3, on_rows=told.append
    )
    assert (tmp_path / f"1-{name}").read_bytes() == (tmp_path / f"3-{name}").read_bytes()
    assert alone == many == TableCounts(5_000, 5_000 - 52, 20)
    assert told == list(range(CHUNK_ROWS, 5_001, CHUNK_ROWS))


@pytest.mark.parametrize("count", [2, 3])
def test_pieces_of_threads_are_all_rows_in_order(tmp_path, monkeypatch, count):
    monkeypatch.setattr(threads, "PIECE_ROWS", 100)
    monkeypatch.setattr(threads, "FEWEST_ROWS", 10)
    scorer = toy(tmp_path)
    for rows, pieces in ((0, 1), (1, 1), (19, 2), (20, 2), (357, 4)):
        left = [f"left {row}" if row % 7 else None for row in range(rows)]
        right = [f"right {row * row}" for row in range(rows)]
        with Threads(scorer, count) as started:
            started.start(large=False)
            found = started.submit(left, right)()
            assert found.truncated == pieces  # The scorer says one a call.
            with pytest.raises(InputError, match="a text is bad"):
                started.submit([*left, "a"], [*right, "bad"])()
        expected = scorer(left, right)
        np.testing.assert_array_equal(found.values, expected.values)
        np.testing.assert_array_equal(found.faults, expected.faults)


def test_objects_that_a_program_has_frozen_stay_so(tmp_path):
    (tmp_path / "in.csv").write_text(rows_of(10))
    score(toy(tmp_path), tmp_path / "in.csv", tmp_path / "out.csv")
    assert gc.get_freeze_count() == 0
    gc.freeze()
    try:
        score(toy(tmp_path), tmp_path / "in.csv", tmp_path / "again.csv")
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()


def test_small_tables_start_no_workers(tmp_path):
    (tmp_path / "in.csv").write_text(rows_of(4 * CHUNK_ROWS))
    for kind in (Workers, Threads):
        with kind(toy(tmp_path), 2) as workers:
            assert workers.submit(["a"], ["b"])().scored == 1
            assert workers.ahead == 0
    # A worker could not: it would end the process that scores.
    scorer = toy(tmp_path)
    score(scorer, tmp_path / "in.csv", tmp_path / "out.csv", workers=2)
    assert (tmp_path / "out.csv").exists()


@pytest.mark.parametrize(
    ("text", "error", "message", "engine"),
    [
        ("bad", InputError, "^a text is bad$", "keras"),
        ("bad", InputError, "^a text is bad$", "fast"),
        ("die", WorkerError, "a worker process ended before", "keras"),
    ],
)
def test_what_goes_wrong_in_a_worker_is_one_line(tmp_path, text, error, message, engine):
    (tmp_path / "in.csv").write_text(rows_of(3_000) + f"q1,Who?,{text}\n")
    with pytest.raises(error, match=message):
        score(toy(tmp_path, engine=engine), tmp_path / "in.csv", tmp_path / "out.csv", workers=2)
    assert not (tmp_path / "out.csv").exists()
    # The input has to be changed, or the machine.
    assert (tmp_path / "out.csv.parts").exists() == (text == "die")


def test_the_unit_of_work_is_small_to_send():
    scorer = BundleScorer("bundle", "keras", "cpu", "float32", 64)
    assert pickle.loads(pickle.dumps(scorer)) == scorer  # noqa: S301
    assert len(pickle.dumps(scorer)) < 500


def write(path, rows):
    with create_table(path, ["left", "right"]) as table:
        table.write([[f"l{row}" for row in rows], [f"r{row}" for row in rows]])


def read(path):
    with open_table(path) as table:
        return [value for chunk in table for value in chunk.column("left")]


@pytest.fixture
def parts(tmp_path):
    folder = tmp_path / "parts"
    folder.mkdir()
    write(folder / "a.csv", range(1_500))
    write(folder / "b.parquet", range(3))
    write(folder / "c.jsonl.gz", range(2))
    (folder / "_SUCCESS").touch()
    (folder / ".c.csv.crc").touch()
    return folder


@pytest.mark.parametrize("kind", ["folder", "pattern", "files"])
def test_several_tables_keep_their_names(tmp_path, parts, kind):
    names = ["a.csv", "b.parquet", "c.jsonl.gz"]
    inputs = {
        "folder": [parts],
        "pattern": [parts / "[a-c].*"],
        "files": [parts / n for n in names],
    }
    counts = score_files(toy(tmp_path), inputs[kind], tmp_path / "out", chunk_rows=CHUNK_ROWS)
    assert counts.rows == counts.scored == 1_505
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == names
    assert [len(read(tmp_path / "out" / name)) for name in names] == [1_500, 3, 2]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bundle", "out", "parts"]


def test_many_small_tables_are_scored_by_workers(tmp_path):
    (tmp_path / "parts").mkdir()
    for number in range(9):
        write(tmp_path / "parts" / f"{number}.csv", range(number + 1))
    told = list[int]()
    one, two = (
        score_files(toy(tmp_path), [tmp_path / "parts"], tmp_path / name, workers=workers, **more)
        for name, workers, more in (("one", 1, {}), ("two", 2, {"on_rows": told.append}))
    )
    assert one == two == TableCounts(45, 45, 9)
    assert told[-1] == 45
    assert files_in(tmp_path / "one") == files_in(tmp_path / "two")


def test_another_format_is_another_suffix(tmp_path, parts):
    score_files(toy(tmp_path), [parts], tmp_path / "out", output_format="parquet")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        *("a.parquet", "b.parquet", "c.parquet")
    ]


def test_tables_that_are_finished_are_not_scored_again(tmp_path, parts):
    def stop(rows):
        if rows == 1_503:
            raise KeyboardInterrupt

    scorer = toy(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        score_files(scorer, [parts], tmp_path / "out", on_rows=stop)
    finished = (tmp_path / "out" / "a.csv").stat().st_ino
    with pytest.raises(InputError, match=r"out\.parts: holds the finished parts"):
        score_files(scorer, [parts], tmp_path / "out")
    assert score_files(scorer, [parts], tmp_path / "out", resume=True).rows == 1_505
    assert (tmp_path / "out" / "a.csv").stat().st_ino == finished
    assert len(read(tmp_path / "out" / "c.jsonl.gz")) == 2
    assert not (tmp_path / "out.parts").exists()


@pytest.mark.parametrize(
    ("inputs", "output", "message"),
    [
        (["parts"], "out.csv", "several inputs are written to a folder, each under its own name"),
        (["parts", "-"], "out", "several inputs need a folder as output, and files"),
        (["parts"], "-", "several inputs need a folder as output, and files"),
        (["parts"], "parts/a.csv", "several inputs need a folder as output, and files"),
        (["parts"], "parts", r"parts/a\.csv: would be replaced by its output"),
        (["parts"], "none/out", "none/out: the folder none does not exist"),
        (["none*.csv"], "out", r"none\*\.csv: there is no such file"),
        (
            ["parts/a.csv", "more/a.csv"],
            "out",
            r"more/a\.csv: its output would have the name a\.csv",
        ),
        (["empty"], "out", "empty: expected a folder with tables"),
    ],
)
def test_inputs_that_have_no_outputs(tmp_path, parts, monkeypatch, inputs, output, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "more").mkdir()
    write(tmp_path / "more" / "a.csv", range(2))
    with pytest.raises(InputError, match=message):
        score_files(toy(tmp_path), inputs, output)
    assert not (tmp_path / "out").exists()


def test_one_file_may_have_a_pattern_s_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "a[1].csv", range(2))
    (jobs, one_file) = jobs_of(["a[1].csv"], "out.csv")
    assert (one_file, jobs[0].source) == (True, "a[1].csv")
    (jobs, one_file) = jobs_of(["a[1].csv"], "out/")
    assert (one_file, jobs[0].output) == (False, "out/a[1].csv")


def test_parts_need_files(tmp_path):
    (tmp_path / "in.csv").write_text(rows_of(10))
    for option in ("resume", "ray"):
        with pytest.raises(InputError, match=r"needs files as input and output, no pipes"):
            score_files(toy(tmp_path), [tmp_path / "in.csv"], "-", **{option: True})
