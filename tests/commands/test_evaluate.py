"""`abcnn evaluate` as a user runs it: the real process."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from abcnn.commands import main
from tests.commands.process import abcnn, error_of


def evaluate(*arguments, stdin=None):
    """The command in this process, which has the backend already; its stdout."""
    done = CliRunner().invoke(main, ["evaluate", *map(str, arguments)], input=stdin)
    assert done.exit_code == 0, done.stderr
    return done.stdout


def test_a_ranking_and_its_trec_files(trained, tmp_path):
    made = trained("answer-selection")
    files = ["--run-file", "run.txt", "--qrels-file", "qrels.txt"]
    done = abcnn("evaluate", made.folder, made.test_file, "--json", *files, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    measures = json.loads(done.stdout)
    assert measures == made.matcher.metrics["test"]
    rows = [line.split("\t") for line in made.test_file.read_text().splitlines()[1:]]
    answered = {row[0] for row in rows if row[4] == "1"}
    questions = {row[0] for row in rows}
    assert measures["questions"] == len(answered)
    assert measures["questions_without_answer"] == len(questions - answered)
    assert 0 < measures["p_at_1"] <= measures["map"] <= measures["mrr"] <= 1
    qrels = [line.split() for line in (tmp_path / "qrels.txt").read_text().splitlines()]
    assert qrels == [[row[0], "0", row[2], row[4]] for row in rows]

    # The same measures from the files alone, under every rule.
    ties = set()
    for rules in ([], ["--ties", "trec"], ["--no-answer", "zero"], ["--mixed-only"]):
        measured = abcnn("measure", "qrels.txt", "run.txt", "--json", *rules, cwd=tmp_path)
        here = json.loads(evaluate(made.folder, made.test_file, "--json", *rules))
        there = json.loads(measured.stdout)
        assert here.pop("expected_calibration_error") == measures["expected_calibration_error"]
        assert {key: there[key] for key in here} == here
        ties.add((here["ties"], here["no_answer"], here["questions"]))
    assert len(ties) >= 3
    without = len(questions - answered)
    zero = json.loads(evaluate(made.folder, made.test_file, "--json", "--no-answer", "zero"))
    assert zero["questions"] == len(questions)
    assert zero["map"] * len(questions) == pytest.approx(measures["map"] * len(answered))
    assert without == zero["questions_without_answer"]


def test_a_ranking_as_a_table(trained):
    made = trained("answer-selection")
    measures = made.matcher.metrics["test"]
    lines = evaluate(made.folder, made.test_file).splitlines()
    assert [line.split()[:2] for line in lines[:3]] == [
        ["MAP", f"{measures['map']:.4f}"],
        ["MRR", f"{measures['mrr']:.4f}"],
        ["P@1", f"{measures['p_at_1']:.4f}"],
    ]
    assert str(measures["questions"]) in "".join(lines[3:])


def test_equal_scores_follow_the_rule_for_ties(trained, tmp_path):
    """Two candidates of one text: expected, half of 1 + 1/2; trec_eval puts c2 first."""
    made = trained("answer-selection")
    file = tmp_path / "ties.csv"
    file.write_text(
        "question_id,question,candidate_id,answer,label\n"
        "q,Who came?,c1,The king came.,1\nq,Who came?,c2,The king came.,0\n"
    )
    for rule, expected in (("expected", 0.75), ("trec", 0.5)):
        measures = json.loads(evaluate(made.folder, file, "--json", "--ties", rule))
        assert measures["map"] == expected


def test_classes(trained, tmp_path):
    made = trained("entailment")
    done = abcnn("evaluate", made.folder, made.test_file, "--json", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    measures = json.loads(done.stdout)
    assert measures == made.matcher.metrics["test"]
    labels = ["contradiction", "neutral", "entailment"]
    matrix = measures["confusion"]
    assert sum(map(sum, matrix)) == measures["pairs"]
    right = sum(matrix[place][place] for place in range(3))
    assert measures["accuracy"] == pytest.approx(right / measures["pairs"])
    assert list(measures["labels"]) == labels
    for place, label in enumerate(labels):
        of_label = measures["labels"][label]
        found, there = of_label["predicted"], of_label["pairs"]
        assert found == sum(row[place] for row in matrix)
        assert there == sum(matrix[place])
        assert of_label["recall"] == pytest.approx(matrix[place][place] / there)
        assert of_label["f1"] == pytest.approx(2 * matrix[place][place] / (found + there))
        assert found == 0 or of_label["precision"] == pytest.approx(matrix[place][place] / found)


def test_two_labels_as_a_table(trained):
    made = trained("paraphrase")
    measures = made.matcher.metrics["test"]
    lines = evaluate(made.folder, made.test_file).splitlines()
    assert lines[0].split() == ["pairs", str(measures["pairs"])]
    assert lines[1].split() == ["accuracy", f"{measures['accuracy']:.4f}"]
    error = measures["expected_calibration_error"]
    assert lines[-1].startswith(f"expected calibration error of the score: {error:.4f} (")
    # The lines before are the confusion matrix; its diagonal is what was right.
    matrix = [[int(cell) for cell in line.split()[1:]] for line in lines[-3:-1]]
    assert sum(map(sum, matrix)) == measures["pairs"]
    assert (matrix[0][0] + matrix[1][1]) / measures["pairs"] == measures["accuracy"]


def test_the_standard_input_and_rows_without_a_label(trained, tmp_path):
    """SNLI's `-` is no label: such rows are left out and counted."""
    made = trained("entailment")
    rows = [
        {"gold_label": label, "sentence1": "A girl is running.", "sentence2": "A girl runs."}
        for label in ("entailment", "-", "neutral", "-")
    ]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    done = abcnn("evaluate", made.folder, "-", "--json", cwd=tmp_path, stdin=lines)
    assert json.loads(done.stdout)["pairs"] == 2
    assert done.stderr == "2 rows without a label were left out\n"


def test_nothing_to_rank(trained, tmp_path):
    (tmp_path / "in.csv").write_text("question,answer,label\nWho came?,The king came.,0\n")
    done = abcnn("evaluate", trained("answer-selection").folder, "in.csv", cwd=tmp_path)
    assert "a question with a right candidate" in error_of(done)


def test_trec_files_of_questions_without_names(trained, tmp_path):
    """Questions and candidates are numbered; without a group column a question is its text."""
    made = trained("answer-selection")
    (tmp_path / "in.csv").write_text(
        "question,answer,label\nWho came?,The king.,1\nWho left?,Me.,1\nWho came?,A dog.,0\n"
    )
    run, qrels = tmp_path / "run.txt", tmp_path / "qrels.txt"
    evaluate(made.folder, tmp_path / "in.csv", "--run-file", run, "--qrels-file", qrels)
    assert qrels.read_text() == "1 0 1 1\n2 0 2 1\n1 0 3 0\n"
    assert [line.split()[:3] for line in sorted(run.read_text().splitlines())] == [
        ["1", "Q0", "1"],
        ["1", "Q0", "3"],
        ["2", "Q0", "2"],
    ]
