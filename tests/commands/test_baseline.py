"""`abcnn baseline` as a user runs it."""

from __future__ import annotations

import json

from tests.commands.process import SAMPLES, abcnn, error_of

FILES = ("--train", SAMPLES / "answer-selection" / "train.tsv")


def test_a_table_and_the_same_as_json(tmp_path):
    test = ("--test", SAMPLES / "answer-selection" / "test.tsv")
    done = abcnn("baseline", "answer-selection", *FILES, *test, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    head, *rows = done.stdout.split("\n\n")[0].splitlines()
    assert head.split() == [
        word for part in ("dev", "test") for name in ("MAP", "MRR", "P@1") for word in (part, name)
    ]
    shown = {name: values for name, *values in map(str.split, rows)}
    assert list(shown) == [
        "constant",
        "word_count",
        "weighted_word_count",
        "mean_vector",
        "lexical",
    ]
    assert "pairs held out of" in done.stderr
    printed = abcnn("baseline", "answer-selection", *FILES, *test, "--json", cwd=tmp_path)
    measures = json.loads(printed.stdout)
    assert f"{measures['lexical']['test']['map']:.4f}" == shown["lexical"][3]
    assert measures["constant"]["test"]["questions_with_ties"] > 0
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_label_is_told_by_file_and_row(tmp_path):
    (tmp_path / "dev.csv").write_text("question,answer,label\nwho,me,1\nwho,you,maybe\n")
    done = abcnn("baseline", "answer-selection", *FILES, "--dev", "dev.csv", cwd=tmp_path)
    assert error_of(done).startswith("dev.csv, row 2: column `label` must be one of 0, 1.")
