"""`abcnn measure` as a user runs it: the real process."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 a 0\nq2 0 b 1\nq3 0 a 0\n"
RUN = "q1 Q0 a 1 0.9 t\nq1 Q0 b 2 0.1 t\nq2 Q0 a 1 0.5 t\nq2 Q0 b 2 0.5 t\nq3 Q0 a 1 0.5 t\n"


def measure(*arguments, cwd, stdin=None):
    return subprocess.run(
        [sys.executable, str(ROOT / "cli.py"), "measure", *map(str, arguments)],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "run.txt").write_text(RUN)
    return tmp_path


def test_the_example_of_the_help(folder):
    shown = measure("--help", cwd=folder).stdout.rstrip().splitlines()[-1]
    prefix, _, command = shown.partition("abcnn measure ")
    assert prefix.strip() == "Example:"
    done = measure(*command.split(), cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    measures = json.loads(done.stdout)
    # q1 1; q2 tied, 1 or 1/2; q3 has no answer.
    assert measures["map"] == measures["mrr"] == 0.875
    assert measures["p_at_1"] == 0.75
    assert (measures["questions"], measures["questions_without_answer"]) == (2, 1)


def test_help_imports_nothing_heavy(folder):
    code = (
        "import sys; from abcnn.commands import main\n"
        "try: main(['measure', '--help'])\n"
        "except SystemExit: print(sorted({'numpy', 'keras', 'tensorflow'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_rules_are_options(folder):
    options = ["--ties", "trec", "--no-answer", "zero", "--json"]
    measures = json.loads(measure("qrels.txt", "run.txt", *options, cwd=folder).stdout)
    # b stands before a.
    assert (measures["map"], measures["questions"]) == (pytest.approx(2 / 3), 3)
    assert (measures["ties"], measures["no_answer"]) == ("trec", "zero")


def test_table(folder):
    done = measure("qrels.txt", "run.txt", "--mixed-only", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0].split() == ["MAP", "0.8750"]
    assert done.stdout.splitlines()[-1].endswith("mixed questions only)")


def test_what_does_not_match_is_said_on_stderr(folder):
    (folder / "qrels.txt").write_text(QRELS + "q4 0 a 1\n")
    done = measure("qrels.txt", "run.txt", "--json", cwd=folder)
    assert done.stderr == "questions of the qrels that are not in the run, in no mean: 1\n"
    measures = json.loads(done.stdout)
    assert (measures["questions"], measures["questions_not_ranked"]) == (2, 1)


def test_standard_input(folder):
    done = measure("qrels.txt", "-", "--json", cwd=folder, stdin=RUN)
    assert json.loads(done.stdout)["map"] == 0.875
    both = measure("-", "-", cwd=folder, stdin=RUN)
    assert both.returncode == 2
    assert "Only one of QRELS and RUN can be the standard input." in both.stderr


@pytest.mark.parametrize(
    ("qrels", "run", "message"),
    [
        ("", RUN, "qrels.txt: expected lines `question 0 candidate relevance`. Received: an empty"),
        (QRELS, RUN + "q3 Q0 b 1 nan t\n", "run.txt, line 6: the score must be a finite number."),
        (RUN, QRELS, "qrels.txt, line 1: expected 4 columns,"),
        (QRELS, "Q1 Q0 a 1 1 t\n", "qrels.txt and run.txt must share ids, but share no question."),
        ("q1 0 a 0\n", RUN, "Nothing to measure: expected a question with a right candidate."),
    ],
)
def test_bad_input_is_one_line_on_stderr(folder, qrels, run, message):
    (folder / "qrels.txt").write_text(qrels)
    (folder / "run.txt").write_text(run)
    done = measure("qrels.txt", "run.txt", "--json", cwd=folder)
    assert done.returncode == 1
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"Error: {message}")


def test_missing_file(folder):
    done = measure("none.txt", "run.txt", cwd=folder)
    assert done.returncode == 2
    assert "'none.txt' does not exist" in done.stderr


@pytest.mark.corpora
def test_wikiqa_anchor(corpora):
    wikiqa = corpora.resolve() / "wikiqa"
    ranking = wikiqa / "emnlp-table" / "WikiQA.CNN.test.rank"
    done = measure(wikiqa / "WikiQA-test-filtered.ref", ranking, "--json", cwd=ROOT)
    measures = json.loads(done.stdout)
    assert round(measures["map"], 4) == 0.6190
    assert round(measures["mrr"], 4) == 0.6281
    assert measures["questions"] == 237
    assert done.stderr == "questions of the run that are not in the qrels, ignored: 396\n"
