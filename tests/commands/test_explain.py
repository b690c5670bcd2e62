"""`abcnn explain` and `abcnn report` as a user runs them."""

from __future__ import annotations

import json
import sys

import pytest
from click.testing import CliRunner

from abcnn.commands import main
from tests.commands.process import abcnn, error_of, files_in

PAIR = ("--left", "The doctor wrote it", "--right", "It was written by the doctor")


def run(*arguments):
    """The command in this process, which has the backend already."""
    done = CliRunner().invoke(main, [*map(str, arguments)])
    assert done.exit_code == 0, done.stderr
    return done


def test_one_pair_in_the_terminal(trained, tmp_path):
    done = abcnn("explain", trained("entailment").folder, *PAIR, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    for words in ("block_1, input", "block_1, pooling", "cosine similarity, average", "negation"):
        assert words in done.stdout
    assert "\x1b" not in done.stdout


def test_every_kind_of_file(trained, tmp_path):
    folder = trained("paraphrase").folder
    for kind, beginning in (
        ("json", b"{"),
        ("html", b"<!doctype html>"),
        ("png", b"\x89PNG"),
        ("SVG", b"<?xml"),
    ):
        run("explain", folder, *PAIR, "-o", tmp_path / f"why.{kind}")
        assert (tmp_path / f"why.{kind}").read_bytes().startswith(beginning)
    record = json.loads((tmp_path / "why.json").read_text())
    assert record["left"]["tokens"] == PAIR[1].split()


def test_rows_of_a_table(trained, tmp_path):
    made = trained("answer-selection")
    chosen = ("explain", made.folder, "--input", made.test_file, "--rows", "5,2")
    run(*chosen, "-o", tmp_path / "why.json")
    records = json.loads((tmp_path / "why.json").read_text())
    lines = made.test_file.read_text().splitlines()
    assert [one["right"]["text"] for one in records] == [lines[n].split("\t")[3] for n in (5, 2)]
    run(*chosen, "-o", tmp_path / "why.png")
    assert {"why-5.png", "why-2.png"} < set(files_in(tmp_path))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*PAIR, "-o", "why.gif"), "why.gif: expected a name that ends in .png, .svg, .html"),
        ((*PAIR, "-o", "none/why.png"), "none/why.png: the folder none does not exist"),
        (("--input", "in.csv", "--rows", "3"), "in.csv: `--rows` must be among the rows"),
    ],
)
def test_bad_input(trained, tmp_path, arguments, message):
    (tmp_path / "in.csv").write_text("left,right\na,b\nc,!\n")
    before = files_in(tmp_path)
    done = abcnn("explain", trained("paraphrase").folder, *arguments, cwd=tmp_path)
    assert error_of(done).startswith(message)
    assert files_in(tmp_path) == before


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--left", "x"),
        (*PAIR, "--input", "x"),
        (*PAIR, "--rows", "1"),
        ("--input", "x"),
        ("--input", "x", "--rows", "1,x"),
        ("--input", "x", "--rows", "0"),
    ],
)
def test_bad_usage(arguments):
    done = CliRunner().invoke(main, ["explain", "folder", *arguments])
    assert done.exit_code == 2
    assert "Error" in done.stderr


@pytest.mark.parametrize(("package", "output"), [("rich", None), ("jinja2", "why.html")])
def test_what_to_install_when_a_package_is_missing(trained, monkeypatch, package, output):
    monkeypatch.setitem(sys.modules, package, None)
    to_file = () if output is None else ("-o", output)
    done = CliRunner().invoke(main, ["explain", str(trained("paraphrase").folder), *PAIR, *to_file])
    assert done.exit_code == 1
    assert done.stderr == f"Error: {package} is not installed: pip install 'abcnn[explain]'\n"


def test_a_report(trained, tmp_path):
    made = trained("paraphrase")
    done = run("report", made.folder, made.test_file, "-o", tmp_path / "r.html", "--cases", 1)
    accuracy = made.matcher.metrics["test"]["accuracy"]
    assert f"accuracy: {accuracy:.4f} (" in done.stderr
    assert (tmp_path / "r.html").read_text().startswith("<!doctype html>")


def test_a_report_without_labels(trained, tmp_path):
    (tmp_path / "in.csv").write_text("left,right\na,b\n")
    before = files_in(tmp_path)
    done = abcnn("report", trained("paraphrase").folder, "in.csv", "-o", "r.html", cwd=tmp_path)
    assert "label" in error_of(done)
    assert files_in(tmp_path) == before


def test_calibrated_training(trained, tmp_path):
    """The score of every pair is another one, and no order is."""
    made = trained("answer-selection")
    data = ("--train", made.train_file, "--dev", made.dev_file, "--vectors", tmp_path / "v.txt")
    (tmp_path / "v.txt").write_text("the 1 0\na 0 1\n")
    small = ("--model", "bcnn", "--filters", 2, "--epochs", 1)
    for kind in ("none", "isotonic"):
        run(
            "train",
            "answer-selection",
            *data,
            *small,
            "--calibrate",
            kind,
            "--out",
            tmp_path / kind,
        )
    measures = {
        kind: json.loads((tmp_path / kind / "metrics.json").read_text())["dev"]
        for kind in ("none", "isotonic")
    }
    assert measures["none"]["map"] == pytest.approx(measures["isotonic"]["map"], abs=1e-12)
    errors = [measures[kind]["expected_calibration_error"] for kind in ("none", "isotonic")]
    assert errors[1] < errors[0]
    config = json.loads((tmp_path / "isotonic" / "config.json").read_text())
    assert len(config["calibration"][0]) > 1
    assert config["about"]["calibration"] == "isotonic"
