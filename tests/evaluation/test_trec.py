"""TREC files: what is read, what is refused with file and line, what is written."""

from __future__ import annotations

from pathlib import Path

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abcnn.errors import AbcnnError, InputError
from abcnn.evaluation.trec import Qrels, Run, read_qrels, read_run, write_qrels, write_run

WORD = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters=" "), min_size=1)
KEYS = st.lists(st.tuples(WORD, WORD), min_size=1, max_size=8, unique=True)


def test_reads_spaces_tabs_line_ends_and_a_byte_order_mark(tmp_path):
    path = tmp_path / "qrels"
    path.write_bytes("\ufeffq1 0 ä 2\r\nq1\t0\tb\t-1\n\n  q2   Q0 c\u00a0d 0  \n".encode())
    assert read_qrels(path) == Qrels(
        groups=("q1", "q1", "q2"),
        candidate_ids=("ä", "b", "c\u00a0d"),
        relevance=(2, -1, 0),
        source=str(path),
    )


def test_reads_a_run_whatever_its_second_column_and_rank(tmp_path):
    path = tmp_path / "run"
    path.write_text("1 0 0 0 0.0374 0\n1\tQ0\t1\t7\t-1e-3\ttag\n2 Q0 0 1 3 tag")
    assert read_run(path) == Run(
        groups=("1", "1", "2"),
        candidate_ids=("0", "1", "0"),
        scores=(0.0374, -0.001, 3.0),
        source=str(path),
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", ": expected lines `question 0 candidate relevance`. Received: an empty file"),
        (b"\n \n", ": expected lines `question 0 candidate relevance`. Received: an empty file"),
        (
            b"q 0 a 1\nq 0 b\n",
            ", line 2: expected 4 columns, `question 0 candidate relevance`. Received: 3",
        ),
        (
            b"q Q0 a 1 0.5 t\n",
            ", line 1: expected 4 columns, `question 0 candidate relevance`. Received: 6, "
            "as in a run file",
        ),
        (
            b"q 0 a 1\nq 0 b yes\n",
            ", line 2: the relevance must be a whole number. Received: 'yes'",
        ),
        (b"q 0 a 0.5\n", ", line 1: the relevance must be a whole number. Received: '0.5'"),
        (b"q 0 a 1_0\n", ", line 1: the relevance must be a whole number. Received: '1_0'"),
        (
            b"q 0 a 1\nr 0 a 1\n\nq 0 a 0\n",
            ", line 4: candidates must be unique in their question. Received: candidate 'a' of "
            "question 'q', which stands in line 1",
        ),
        (b"q 0 a 1\nq 0 b\0 1\n", ", line 2: expected text. Received: a NUL byte"),
        ("q 0 a 1\n".encode("utf-16"), ", line 1: expected text. Received: a NUL byte"),
        (b"q 0 a 1\nq 0 \xe4 1\n", ", line 2: expected UTF-8. Received: the byte 0xe4"),
    ],
)
def test_bad_qrels(tmp_path, content, message):
    path = tmp_path / "bad.qrels"
    path.write_bytes(content)
    with pytest.raises(InputError) as error:
        read_qrels(path)
    assert str(error.value) == f"{path}{message}"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "q 0 a 1",
            "expected 6 columns, `question Q0 candidate rank score tag`. Received: 4, as in",
        ),
        ("q Q0 a 1 high t", "the score must be a finite number. Received: 'high'"),
        ("q Q0 a 1 nan t", "the score must be a finite number. Received: 'nan'"),
        ("q Q0 a 1 -inf t", "the score must be a finite number. Received: '-inf'"),
        ("q Q0 a 1 1e999 t", "the score must be a finite number. Received: '1e999'"),
        ("q Q0 a 1 1_0 t", "the score must be a finite number. Received: '1_0'"),
        ("x Q0 a 1 1 t", "candidates must be unique in their question. Received: candidate 'a'"),
    ],
)
def test_bad_run(tmp_path, line, message):
    path = tmp_path / "bad.run"
    path.write_text(f"x Q0 a 1 0.5 t\n{line}\n")
    with pytest.raises(InputError) as error:
        read_run(path)
    assert str(error.value).startswith(f"{path}, line 2: {message}")


def test_missing_file(tmp_path):
    with pytest.raises(InputError, match=r"none\.qrels: cannot be read. No such file"):
        read_qrels(tmp_path / "none.qrels")


@given(KEYS, st.data())
def test_files_come_back_as_written(tmp_path_factory, keys, data):
    path = tmp_path_factory.mktemp("trec") / "file"
    groups, ids = zip(*keys, strict=True)
    size = {"min_size": len(keys), "max_size": len(keys)}
    relevance = tuple(data.draw(st.lists(st.integers(-2, 4), **size)))
    write_qrels(path, Qrels(groups, ids, relevance))
    assert read_qrels(path) == Qrels(groups, ids, relevance, source=str(path))

    scores = data.draw(st.lists(st.floats(allow_nan=False, allow_infinity=False), **size))
    write_run(path, Run(groups, ids, tuple(scores)))
    back = read_run(path)
    entries = zip(back.groups, back.candidate_ids, back.scores, strict=True)
    assert sorted(entries) == sorted(zip(groups, ids, scores, strict=True))


def test_run_is_sorted_best_first_with_trec_eval_ties(tmp_path):
    path = tmp_path / "run"
    above = 0.1 + 2**-56
    write_run(path, Run(tuple("bababa"), tuple("uvwxyz"), (0.1, above, 7.0, 0.1, 0.1, 0.1)))
    assert path.read_text() == (
        "b Q0 w 1 7.0 abcnn\n"
        "b Q0 y 2 0.1 abcnn\n"
        "b Q0 u 3 0.1 abcnn\n"
        "a Q0 v 1 0.10000000000000002 abcnn\n"
        "a Q0 z 2 0.1 abcnn\n"
        "a Q0 x 3 0.1 abcnn\n"
    )


def test_files_are_read_by_another_program(tmp_path):
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    write_qrels(qrels, Qrels(("q", "q"), ("a", "b"), (0, 1)))
    write_run(run, Run(("q", "q"), ("a", "b"), (0.5, 0.25)), tag="first")
    assert list(ir_measures.read_trec_qrels(str(qrels))) == [
        ir_measures.Qrel("q", "a", 0, "0"),
        ir_measures.Qrel("q", "b", 1, "0"),
    ]
    assert list(ir_measures.read_trec_run(str(run))) == [
        ir_measures.ScoredDoc("q", "a", 0.5),
        ir_measures.ScoredDoc("q", "b", 0.25),
    ]


@pytest.mark.parametrize(
    ("group", "candidate", "score", "message"),
    [
        ("what is it", "a", 1.0, "row 2: the question id must be one word .* 'what is it'"),
        ("q", "", 1.0, "row 2: the candidate id must be one word .* ''"),
        ("q", "\ud800", 1.0, "row 2: the candidate id must be one word"),
        ("q", "a", float("nan"), "`scores`, row 2: expected a finite number. Received: nan"),
        ("p", "a", 1.0, "Rows 1 and 2: question 'p' has the candidate 'a' twice"),
    ],
)
def test_what_is_not_written(tmp_path, group, candidate, score, message):
    path = tmp_path / "run"
    path.write_text("as before")
    with pytest.raises(InputError, match=message):
        write_run(path, Run(("p", group), ("a", candidate), (0.0, score)))
    assert path.read_text() == "as before"


def test_tag_of_two_words(tmp_path):
    with pytest.raises(InputError, match="the tag must be one word"):
        write_run(tmp_path / "run", Run(("q",), ("a",), (0.0,)), tag="my run")


def test_failed_writing_leaves_nothing_behind(tmp_path):
    qrels = Qrels(("q",), ("a",), (1,))
    with pytest.raises(
        AbcnnError, match=r"no/qrels: cannot be written: the folder .* does not exist"
    ):
        write_qrels(tmp_path / "no" / "qrels", qrels)
    with pytest.raises(AbcnnError, match=r"expected a file to write\. Received: a folder"):
        write_qrels(tmp_path, qrels)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs the device /dev/full")
def test_full_disk(tmp_path):
    link = tmp_path / "qrels"
    link.symlink_to("/dev/full")
    with pytest.raises(AbcnnError, match=r"qrels: cannot be written: No space left on device"):
        write_qrels(link, Qrels(("q",), ("a",), (1,)))
    assert link.is_symlink()
    assert not Path("/dev/full").is_file()


def test_a_link_stays_a_link_to_the_new_content(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    link.symlink_to(target)
    write_qrels(link, Qrels(("q",), ("a",), (1,)))
    assert link.is_symlink()
    assert target.read_text() == "q 0 a 1\n"
