"""`abcnn compare` on tables that `abcnn predict` writes, and on TREC runs."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from abcnn.commands import main
from tests.commands.process import abcnn, error_of

QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 a 0\nq2 0 b 1\nq3 0 a 0\nq3 0 b 1\n"
BEST = (
    "q1 Q0 a 1 0.9 t\nq1 Q0 b 2 0.1 t\nq2 Q0 b 1 5 t\nq2 Q0 a 2 4 t\nq3 Q0 b 1 2 t\nq3 Q0 a 2 1 t\n"
)
WORST = BEST.replace(" a ", " - ").replace(" b ", " a ").replace(" - ", " b ")

RANKED = (
    "question_id,question,candidate_id,answer,label,score,predicted_label,rank,note\n"
    "q1,who,a,me,1,0.9,1,1,\nq1,who,b,you,0,0.2,0,2,\n"
    "q2,what,a,this,0,0.8,1,1,\nq2,what,b,that,1,0.3,0,2,\n"
)
ORDERED = (
    "question_id,question,candidate_id,answer,label,score,predicted_label,rank,note\n"
    "q2,what,b,that,1,0.7,1,1,\nq2,what,a,this,0,0.4,0,2,\n"
    "q1,who,a,me,1,0.6,1,1,\nq1,who,b,you,0,,,,answer is empty\n"
)
PAIRS = (
    "left,right,label,score,predicted_label,note\n"
    "a,b,yes,0.9,yes,\nc,d,no,0.8,yes,\ne,f,yes,0.7,yes,\ng,,no,,,right is empty\n"
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "qrels.txt": QRELS,
        "best.txt": BEST,
        "worst.txt": WORST,
        "ranked.csv": RANKED,
        "ordered.csv": ORDERED,
        "pairs.csv": PAIRS,
    }.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(main, ["compare", *arguments])


def compared(*arguments):
    done = run(*arguments, "--json", "--rounds", "200")
    assert done.exit_code == 0, done.output
    return {one["measure"]: one for one in json.loads(done.output)}


def refused(*arguments):
    done = run(*arguments)
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    return done.stderr


def test_runs_by_a_real_process(folder):
    done = abcnn("compare", "worst.txt", "best.txt", "--qrels", "qrels.txt", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    _, ap, rr, rules = done.stdout.splitlines()
    # Each of three questions goes from 1/2 to 1: p is (1 + 1/4 of the rounds) / (1 + rounds).
    assert ap.split()[:4] == ["MAP", "0.5000", "1.0000", "+0.5000"]
    assert ap.split()[4:6] == ["[+0.5000,", "+0.5000]"]
    assert float(ap.split()[6]) == pytest.approx(1 / 4, abs=0.02)
    assert ap.split()[7:] == ["3", "of", "3"]
    assert rr.split()[0] == "MRR"
    assert "10,000 rounds, seed 0" in rules
    wrong = abcnn("compare", "best.txt", "best.txt", "--qrels", "ranked.csv", cwd=folder)
    assert error_of(wrong).startswith("ranked.csv, line 1: expected 4 columns")


def test_tables_of_ranks_are_matched_by_question_and_candidate(folder):
    found = compared("ranked.csv", "ordered.csv")
    assert (found["MAP"]["first"], found["MAP"]["second"]) == (0.75, 1.0)
    assert (found["MAP"]["units"], found["MAP"]["unit"]) == (2, "question")
    pairs = compared("ranked.csv", "ordered.csv", "--unit", "pair")
    # Right are two of four; then all but the one that has no score.
    assert (pairs["accuracy"]["first"], pairs["accuracy"]["second"]) == (0.5, 0.75)
    assert (pairs["F1 of 1"]["first"], pairs["F1 of 1"]["second"]) == (0.5, 1.0)


def test_pairs_are_matched_row_by_row(folder):
    (folder / "other.csv").write_text(PAIRS.replace("no,0.8,yes", "no,0.1,no"))
    found = compared("pairs.csv", "other.csv")
    assert (found["accuracy"]["first"], found["accuracy"]["second"]) == (0.5, 0.75)
    assert found["F1 of yes"]["first"] == pytest.approx(4 / 5)
    assert found["F1 of yes"]["second"] == 1
    assert found["accuracy"]["differing"] == 1


def test_three_labels_have_a_mean_f1(folder):
    text = "premise,hypothesis,gold,score,label\na,b,N,.5,N\nc,d,E,.5,N\ne,f,C,.5,C\n"
    (folder / "one.csv").write_text(text)
    (folder / "two.csv").write_text(text.replace(".5,N", ".5,E"))
    found = compared("one.csv", "two.csv", "--label-column", "gold")
    assert found["accuracy"]["first"] == pytest.approx(2 / 3)
    assert found["macro F1"]["first"] == pytest.approx((2 / 3 + 0 + 1) / 3)
    assert found["macro F1"]["second"] == pytest.approx((0 + 2 / 3 + 1) / 3)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("pairs.csv", PAIRS.replace("e,f", "e,x"), "must have the same rows. Received: row 3"),
        ("pairs.csv", PAIRS.replace("c,d,no", "c,d,yes"), "row 2: must have the label of"),
        ("pairs.csv", PAIRS + "h,i,no,0.5,yes,\n", "Received: 4 and 5"),
        ("pairs.csv", PAIRS.replace("0.9", "high"), "column `score` must hold a number"),
        ("pairs.csv", PAIRS.replace("score", "points"), "a table that `abcnn predict` wrote"),
        ("ranked.csv", RANKED.replace("q2,what,b", "q2,what,c"), "candidate 'b' of 'q2'"),
        ("ranked.csv", RANKED.replace("q2,what,b", "q2,what,a"), "Received: 'a' of 'q2' twice"),
    ],
)
def test_tables_that_do_not_match_are_refused_in_one_line(folder, name, text, message):
    (folder / "other.csv").write_text(text)
    assert message in refused(name, "other.csv")


def test_runs_of_different_candidates_are_refused(folder):
    (folder / "other.txt").write_text(BEST.replace("q3 Q0 a 2 1 t\n", ""))
    for files in (("best.txt", "other.txt"), ("other.txt", "best.txt")):
        message = refused(*files, "--qrels", "qrels.txt")
        assert "candidate 'a' of question 'q3' in best.txt only" in message


def test_questions_need_two_labels(folder):
    (folder / "three.csv").write_text(PAIRS.replace("e,f,yes", "e,f,maybe"))
    assert "need two labels" in refused("three.csv", "three.csv", "--unit", "question")
