"""Graded pairs through the commands: what each says, and bad grades."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from click.testing import CliRunner

from abcnn.commands import main
from tests.commands.process import SAMPLES, TINY, abcnn, error_of, files_in

FILES = {name: SAMPLES / "similarity" / f"{name}.tsv" for name in ("train", "dev", "test")}
HEADER = "sentence1\tsentence2\tlabel\n"
GOOD = "a cat sits\tthe dog\t1.5\na red cat\ta cat sits\t4\na dog\ta cat and a dog\t3\n"


def run(*arguments: object) -> str:
    """stdout of a command that works."""
    done = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert done.exit_code == 0, done.output
    return done.stdout


def columns(file) -> dict[str, list[str]]:
    with file.open(newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    return {name: [row[name] for row in rows] for name in rows[0]}


def test_predict_evaluate_compare_and_report(trained, tmp_path):
    folder, scored = trained("similarity").folder, tmp_path / "scored.tsv"
    run("predict", folder, FILES["test"], "-o", scored)
    cells = columns(scored)
    assert list(cells) == ["sentence1", "sentence2", "label", "score", "note"]
    true, said = (np.array(cells[name], float) for name in ("label", "score"))
    assert ((said >= 1) & (said <= 5)).all()
    measures = json.loads(run("evaluate", folder, FILES["test"], "--json"))
    assert measures["pearson"] == pytest.approx(np.corrcoef(true, said)[0, 1])
    assert measures["mse"] == pytest.approx(np.mean((true - said) ** 2))
    assert set(measures) == {"pearson", "spearman", "mse", "pairs"}
    assert f"Pearson   {measures['pearson']:.4f}" in run("evaluate", folder, FILES["test"])

    worse = tmp_path / "worse.tsv"
    text = [
        f"{a}\t{b}\t{label}\t3\t\n" for a, b, label in zip(*list(cells.values())[:3], strict=True)
    ]
    worse.write_text("sentence1\tsentence2\tlabel\tscore\tnote\n" + "".join(text))
    pearson, mse = json.loads(run("compare", worse, scored, "--json", "--rounds", "300"))
    assert (pearson["measure"], mse["measure"]) == ("Pearson", "MSE")
    assert pearson["first"] == 0
    assert pearson["second"] == pytest.approx(measures["pearson"])
    assert mse["difference"] == pytest.approx(measures["mse"] - np.mean((true - 3) ** 2))
    assert pearson["low"] <= pearson["difference"] <= pearson["high"]

    one = json.loads(run("predict", folder, "--left", "a cat", "--right", "the old dog", "--json"))
    assert list(one) == ["score"]
    run(
        *("explain", folder, "--left", "a cat", "--right", "the old dog"),
        *("-o", tmp_path / "why.json"),
    )
    explained = json.loads((tmp_path / "why.json").read_text())
    assert explained["label"] is None
    assert explained["score"] == pytest.approx(one["score"], abs=1e-5)
    run("report", folder, FILES["test"], "-o", tmp_path / "report.html")
    assert "Scores by true grade" in (tmp_path / "report.html").read_text()


def test_candidates_are_ranked_by_their_grades(trained, tmp_path):
    table = tmp_path / "pairs.tsv"
    rows = [line.split("\t")[:2] for line in FILES["test"].read_text().splitlines()[1:7]]
    lines = [f"{left}\t{right}\tq{place % 2}\n" for place, (left, right) in enumerate(rows)]
    table.write_text("left\tright\tq\n" + "".join(lines))
    scored = tmp_path / "scored.tsv"
    run("predict", trained("similarity").folder, table, "-o", scored, "--group-column", "q")
    cells = columns(scored)
    for group in ("q0", "q1"):
        rows = [n for n in range(6) if cells["q"][n] == group]
        by_score = sorted(rows, key=lambda n: -float(cells["score"][n]))
        assert [cells["rank"][n] for n in by_score] == ["1", "2", "3"]


def test_the_distribution_from_a_stream_and_from_memory_is_one(tmp_path):
    common = ("train", "similarity", "--train", FILES["train"], "--dev", FILES["dev"], *TINY)
    common += ("--epochs", 1, "--loss", "distribution", "--range", "0,6", "--device", "cpu")
    for out, more in {"a": (), "b": ("--memory-map",)}.items():
        run(*common, *more, "--out", tmp_path / out)
    config = json.loads((tmp_path / "a" / "config.json").read_text())
    assert config["network"]["outputs"] == 7
    assert config["grades"] == {"low": 0, "high": 6, "stated": True}
    assert config["about"]["data"]["train"]["labels"].keys() == {
        "1 to 2",
        "2 to 3",
        "3 to 4",
        "4 to 5",
    }
    one, other = (files_in(tmp_path / name)["weights.npz"] for name in ("a", "b"))
    assert one == other
    assert "Scores are grades from 0 to 6." in (tmp_path / "a" / "README.md").read_text()
    bad = tmp_path / "bad.tsv"
    bad.write_text(HEADER + GOOD + "a b\tc\t6.5\n")
    done = CliRunner().invoke(main, ["evaluate", str(tmp_path / "a"), str(bad)])
    assert done.exit_code == 1
    assert "row 4: column `label` must be a number from 0 to 6. Received: '6.5'" in done.output


BAD = {
    "a word": ("a b\tc\tvery\n", (), "row 4: column `label` must be a finite number. Received: 'v"),
    "no number": ("a b\tc\tnan\n", (), "row 4: column `label` must be a finite number. Received: "),
    "empty": (
        "a b\tc\t\n",
        (),
        "row 4 (line 5): column `label` must hold a label. Received: an empty",
    ),
    "outside": (
        "a b\tc\t5.5\n",
        ("--range", "1,5"),
        "row 4: column `label` must be a number from 1 to 5. Received: '5.5'",
    ),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("part", ["train", "dev", "mapped"])
def test_a_bad_grade_is_told_by_its_row(tmp_path, monkeypatch, name, part):
    monkeypatch.chdir(tmp_path)
    row, options, message = BAD[name]
    for file in ("good.tsv", "bad.tsv"):
        (tmp_path / file).write_text(HEADER + GOOD + (row if file == "bad.tsv" else ""))
    train, dev = ("good.tsv", "bad.tsv") if part == "dev" else ("bad.tsv", "good.tsv")
    before = files_in(tmp_path)
    options += ("--memory-map",) if part == "mapped" else ()
    arguments = ["train", "similarity", "--train", train, "--dev", dev, "--out", "out", *options]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 1
    assert done.stderr.splitlines()[-1].startswith(f"Error: bad.tsv, {message}")
    assert files_in(tmp_path) == before


OPTIONS = {
    ("--range", "1"): "`--range` must be two numbers divided by a comma",
    ("--range", "5,1"): "`grade_range` must be two finite numbers, the lower first",
    ("--range", "1,inf"): "`grade_range` must be two finite numbers, the lower first",
    ("--range", "0.5,5", "--loss", "distribution"): "`loss` must be mse, unless the range",
    ("--loss", "distribution"): "`loss` must be mse, unless the range",
    ("--loss", "pointwise"): "`loss` must be one of mse, distribution for similarity",
    ("--class-weight", "balanced"): "`class_weight` must be none for similarity",
    ("--refit", "svm"): "`refit` must be none for similarity",
    ("--calibrate", "isotonic"): "`calibrate` must be none for similarity",
    ("--model", "seq2seq"): "`model` must be another for similarity",
    ("--preset", "paper"): "`preset` paper is for answer-selection",
}


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_options_that_do_not_fit(tmp_path, options):
    file = tmp_path / "good.tsv"
    file.write_text(HEADER + GOOD)
    arguments = ["train", "similarity", "--train", file, "--dev", file, "--out", tmp_path / "out"]
    done = CliRunner().invoke(main, [*map(str, arguments), *options])
    assert done.exit_code == 1
    assert OPTIONS[options] in done.stderr.splitlines()[-1]
    assert not (tmp_path / "out").exists()


def test_grades_all_the_same_and_a_range_for_labels(tmp_path):
    same = tmp_path / "same.tsv"
    same.write_text(HEADER + "a b\tc\t3\n" * 4)
    done = abcnn(*("train", "similarity", "--train", same, "--out", tmp_path / "out"), cwd=tmp_path)
    expected = f"{same}: column `label` must hold at least two different grades. Received: 3 in all"
    assert error_of(done).startswith(expected)
    done = CliRunner().invoke(
        main,
        ["train", "paraphrase", "--train", str(same), "--out", "x", "--range", "1,5"],
    )
    assert "`grade_range` must be None for paraphrase" in done.stderr


def test_tables_of_grades_and_of_labels_are_not_compared(tmp_path):
    rows = {
        "a.tsv": "left\tright\tlabel\tscore\na\tb\t3\t2.5\n",
        "b.tsv": "left\tright\tlabel\tscore\tpredicted_label\na\tb\t1\t0.5\t1\n",
        "c.tsv": "left\tright\tlabel\tscore\na\tb\thigh\t2.5\n",
        "d.tsv": "left\tright\tlabel\tscore\na\tb\t3\t\n",
    }
    for name, text in rows.items():
        (tmp_path / name).write_text(text)

    def error(*arguments: str) -> str:
        places = [str(tmp_path / one) if one in rows else one for one in arguments]
        done = CliRunner().invoke(main, ["compare", *places])
        assert done.exit_code == 1
        return done.stderr

    assert "must both have labels or both have grades" in error("a.tsv", "b.tsv")
    assert "c.tsv, row 1 (line 2): column `label` must hold a number" in error("c.tsv", "a.tsv")
    assert "expected a pair with a score in both" in error("a.tsv", "d.tsv")
    assert "questions need two labels" in error("a.tsv", "a.tsv", "--unit", "question")
