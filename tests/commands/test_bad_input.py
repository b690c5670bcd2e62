"""Bad input: one clear line, a failure, and nothing left behind. Each in its real process."""

from __future__ import annotations

import gzip
import json
import shutil
import struct
import subprocess
import sys

import pytest
from click.testing import CliRunner

from abcnn.commands import main
from tests.commands.process import SAMPLES, abcnn, error_of, files_in

PAIRS = "sentence1,sentence2,label\n"
ROWS = "a red cat,a cat sits,0\na dog sits,a red dog,1\n" * 10
ANSWERS = "question_id,question,candidate_id,answer,label\n"
QUESTION = "q1,who sits?,c1,a cat sits,1\nq1,who sits?,c2,a red dog,0\n"
SIDES = (
    "question/answer, question/sentence, sentence1/sentence2, sentence_A/sentence_B, "
    "premise/hypothesis, question1/question2, text_a/text_b, left/right, #1 String/#2 String"
)
# Task, content, and the message that `train` and `evaluate` end with, which begins with the file.
FILES = {
    "empty": ("paraphrase", "", ": expected a table. Received: an empty file"),
    "only blank lines": ("paraphrase", "\n \n\n", ": expected a table. Received: an empty file"),
    "header only": (
        "paraphrase",
        PAIRS,
        ": expected rows of pairs. Received: a header without rows",
    ),
    "missing column": (
        "paraphrase",
        "sentence1,label\na,0\n",
        f": no column of sentences found (looked for {SIDES}). Received: the columns sentence1, "
        "label; name it with --left-column and --right-column",
    ),
    "missing label column": (
        "paraphrase",
        "sentence1,sentence2\na,b\n",
        ": no column of labels found (looked for label, gold_label, entailment_judgment, "
        "is_duplicate, quality, relevance). Received: the columns sentence1, sentence2; "
        "name it with --label-column",
    ),
    "a column twice": (
        "paraphrase",
        "sentence1,sentence1,label\na,b,0\n",
        ", header: the column name 'sentence1' stands twice",
    ),
    "stray quote": (
        "paraphrase",
        PAIRS + ROWS + 'the 12" disc,a disc,1\n' + ROWS,
        ", row 21 (line 22), cell 1: a stray quote in 'the 12\" disc'; a cell with quotes is "
        "quoted as a whole, each quote in it written twice",
    ),
    "open quote": (
        "paraphrase",
        PAIRS + ROWS + '"the disc,a disc,1\n' + ROWS,
        ", row 21 (line 22), cell 1: the quote that opens on line 22 is never closed",
    ),
    "too few cells": (
        "paraphrase",
        PAIRS + ROWS + "a red cat,1\n",
        ", row 21 (line 22): expected 3 cells. Received: 2",
    ),
    "too many cells": (
        "paraphrase",
        PAIRS + ROWS + "a cat, a red one,a dog,1\n",
        ", row 21 (line 22): expected 3 cells. Received: 4; a cell that holds ',' must be in "
        "quotes",
    ),
    "not UTF-8": (
        "paraphrase",
        (PAIRS + ROWS).encode() + b"a caf\xe9,a bar,1\n",
        ", line 22: expected text in utf-8. Received: byte e9 at offset 491; pass --encoding if "
        "the file has another",
    ),
    "NUL": (
        "paraphrase",
        PAIRS + ROWS + "a \0 cat,a dog,1\n",
        ", line 22: holds a NUL character, which no text does; if the file is in UTF-16, pass "
        "--encoding utf-16",
    ),
    "no label": (
        "paraphrase",
        PAIRS + ROWS + "a cat,a dog,\n",
        ", row 21 (line 22): column `label` must hold a label. Received: an empty cell",
    ),
    "a web page": (
        "paraphrase",
        "<!DOCTYPE html>\n<html><body>Not found</body></html>\n",
        ": expected a table. Received: a web page (HTML); download it again",
    ),
    "cut gzip": (
        "paraphrase",
        gzip.compress((PAIRS + ROWS * 9).encode(), mtime=0)[:60],
        ": the gzip data is cut short",
    ),
    "a question without candidates": (
        "answer-selection",
        ANSWERS + QUESTION + "q2,who runs?,c1,,0\n",
        ", row 3 (line 4): column `answer` must hold a sentence. Received: an empty cell",
    ),
    "a candidate without an id": (
        "answer-selection",
        ANSWERS + QUESTION + "q2,who runs?,,a dog,0\n",
        ", row 3 (line 4): column `candidate_id` must hold the name of a candidate. "
        "Received: an empty cell",
    ),
    "duplicate candidate ids": (
        "answer-selection",
        ANSWERS + QUESTION + "q1,who sits?,c1,a red dog,0\n",
        ", row 3: column `candidate_id` must differ within a question. "
        "Received: 'c1' of 'q1' again, as in row 1",
    ),
}


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())


@pytest.mark.parametrize("name", FILES)
def test_a_bad_file(trained, tmp_path, name):
    task, content, message = FILES[name]
    write(tmp_path / "bad.csv", content)
    before = files_in(tmp_path)
    done = abcnn("evaluate", trained(task).folder, "bad.csv", cwd=tmp_path)
    assert error_of(done) == f"bad.csv{message}"
    done = abcnn("train", task, "--train", "bad.csv", "--out", "out", cwd=tmp_path)
    assert error_of(done) == f"bad.csv{message}"
    assert files_in(tmp_path) == before
    assert not (tmp_path / "out").exists()
    assert not (tmp_path / "out.training").exists()


def test_bad_labels(trained, tmp_path):
    write(tmp_path / "good.csv", PAIRS + ROWS)
    write(tmp_path / "long.csv", PAIRS + ROWS * 1_000 + "a dog,a cat,yes\n" + ROWS)
    write(tmp_path / "one.csv", PAIRS + "a cat,a dog,1\n" * 30)
    write(tmp_path / "three.csv", PAIRS + ROWS + "a cat,a dog,2\n" * 5)
    expected = "row 20001: column `label` must be one of 0, 1. Received: 'yes'"
    done = abcnn("evaluate", trained("paraphrase").folder, "long.csv", cwd=tmp_path)
    assert error_of(done) == f"long.csv, {expected}"
    train = ["train", "paraphrase", "--out", "out", "--train"]
    for part in ("--dev", "--test"):
        given = ["--dev", "good.csv"] if part == "--test" else []
        done = abcnn(*train, "good.csv", *given, part, "long.csv", cwd=tmp_path)
        assert error_of(done) == f"long.csv, {expected}"
    for file, told in (
        ("one.csv", "at least two different labels. Received: '1' in all 30 rows"),
        ("three.csv", "two different labels for paraphrase. Received: 0, 1, 2"),
    ):
        assert error_of(abcnn(*train, file, cwd=tmp_path)) == (
            f"{file}: column `label` must hold {told}"
        )
    assert {path.suffix for path in tmp_path.iterdir()} == {".csv"}


def test_dev_and_test_pairs_by_which_nothing_can_be_ranked(tmp_path):
    write(tmp_path / "right.csv", ANSWERS + QUESTION.replace(",0\n", ",1\n"))
    write(tmp_path / "wrong.csv", ANSWERS + QUESTION.replace(",1\n", ",0\n"))
    train = ["train", "answer-selection", "--train", SAMPLES / "answer-selection" / "train.tsv"]
    train += ["--out", "out", "--loss", "pairwise"]
    for part, kind, label in (("dev", "right", 0), ("dev", "wrong", 1), ("test", "wrong", 1)):
        missing = {"right": "wrong", "wrong": "right"}[kind]
        done = abcnn(*train, f"--{part}", f"{kind}.csv", cwd=tmp_path)
        assert error_of(done, alone=part == "dev") == (
            f"{kind}.csv: expected a {missing} candidate among the {part} pairs, column `label` "
            f"'{label}'. Received: none in 2 rows"
        )
    assert len(list(tmp_path.iterdir())) == 2


def test_what_is_wrong_with_a_file_is_told_before_the_backend_is_imported(trained, tmp_path):
    """All cases above in one fresh process, which is asked what it has imported."""
    lines = []
    for number, (task, content, _) in enumerate(FILES.values()):
        write(tmp_path / f"{number}.csv", content)
        lines.append(["evaluate", str(trained(task).folder), f"{number}.csv"])
        lines.append(["train", task, "--train", f"{number}.csv", "--out", "out"])
    bundle = str(trained("paraphrase").folder)
    lines.append(["predict", bundle, "none.csv", "-o", "out.csv"])
    lines.append(["predict", bundle, "0.csv", "-o", "out.csv"])
    code = (
        "import sys, json; from click.testing import CliRunner; from abcnn.commands import main\n"
        "codes = {CliRunner().invoke(main, line).exit_code for line in json.loads(sys.argv[1])}\n"
        "print(json.dumps([sorted(codes), sorted({'keras', 'tensorflow'} & set(sys.modules))]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, json.dumps(lines)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == [[1], []]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--train", "none.csv"], "none.csv: there is no such file"),
        (["--train", "folder"], "folder: expected a file. Received: a folder"),
        (["--dev", "none.csv"], "none.csv: there is no such file"),
        (["--encoding", "klingon"], "`encoding` must be the name of a text encoding such as"),
        (["--encoding", "base64"], "`encoding` must be the name of a text encoding such as"),
        (["--format", "word"], "`format` must be one of wikiqa, msrp, sick, multinli, snli,"),
        (["--format", "wikiqa"], "good.csv, header: expected the columns of wikiqa: QuestionID,"),
        (["--left-column", "first"], "good.csv: `--left-column` must be one of the columns"),
        (["--label-column", "sentence"], "good.csv: `--label-column` must be one of the columns"),
        (["--columns", "a,a"], "`columns` must be different names, `_` to skip one. Received:"),
        (["--columns", "left,right"], "good.csv"),
        (["--columns", "sentence1,sentence2,label"], "good.csv, row 1 (line 1): expected data,"),
        (["--epochs", 0], "`epochs` must be at least 1. Received: 0"),
        (["--patience", 0], "`patience` must be at least 1. Received: 0"),
        (["--batch-size", 0], "`batch_size` must be at least 1. Received: 0"),
        (["--seed", -1], "`seed` must be from 0 to 4294967295. Received: -1"),
        (["--learning-rate", "nan"], "`learning_rate` must be above 0. Received: nan"),
        (["--vector-dropout", 1], "`vector_dropout` must be at least 0 and below 1. Received: 1.0"),
        (["--word-dropout", 1], "`word_dropout` must be at least 0 and below 1. Received: 1.0"),
        (["--warmup", 1], "`warmup` must be at least 0 and below 1. Received: 1.0"),
        (["--dev-share", 1], "`dev_share` must be between 0 and 1. Received: 1.0"),
        (["--dev-share", 0.999], "good.csv: too few pairs to hold out a dev part"),
        (["--loss", "pairwise"], "`loss` must be one of pointwise for paraphrase. Received:"),
        (["--device", "tpu"], "`device` must be auto, cpu, gpu or gpu:N. Received: 'tpu'"),
        (["--out", "good.csv"], "good.csv: expected a folder to write. Received: a file"),
        (["--out", "good.csv/out"], "good.csv/out.training: cannot be written: Not a directory"),
        (["--out", "/proc/out"], "/proc/out.training: cannot be written: "),
        (["--out", "."], "`out` must name a folder to make. Received: '.'"),
        (["--out", "/"], "`out` must name a folder to make. Received: '/'"),
        (["--out", "folder"], "folder: is not empty and no whole bundle, so it is left alone ("),
        (["--out", "folder", "--force"], "folder: is not empty and no whole bundle, so it is left"),
        (["--out", "o" * 300], "o" * 300 + ": cannot be written: File name too long"),
    ],
)
def test_bad_arguments_of_train(tmp_path, arguments, message):
    write(tmp_path / "good.csv", PAIRS + ROWS)
    (tmp_path / "folder").mkdir()
    write(tmp_path / "folder" / "config.json", '{"model_type": "another program\'s"}')
    before = files_in(tmp_path)
    given = {"--train": "good.csv", "--out": "out"}
    names = [name for name in given if name in arguments]
    rest = [word for name in given if name not in names for word in (name, given[name])]
    done = abcnn("train", "paraphrase", *rest, *arguments, cwd=tmp_path)
    assert error_of(
        done, alone="cannot be written" not in message and "tpu" not in arguments
    ).startswith(message)
    assert files_in(tmp_path) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "good.csv"]


def test_a_gpu_that_is_not_there(trained, tmp_path):
    pair = ["--left", "a cat", "--right", "a dog"]
    done = abcnn(
        "predict", trained("paraphrase").folder, *pair, "--device", "gpu",
        cwd=tmp_path, CUDA_VISIBLE_DEVICES="", KERAS_BACKEND="tensorflow",
    )  # fmt: skip
    assert error_of(done) == (
        "`device` is 'gpu', but tensorflow sees 0 GPUs; `abcnn doctor` says more"
    )


@pytest.mark.parametrize("backend", ["abacus", "jax"])
@pytest.mark.parametrize("command", ["train", "evaluate", "predict", "explain", "export"])
def test_a_backend_that_cannot_be_used(trained, tmp_path, command, backend):
    """One that is none, and one that is not installed; by the commands that need Keras."""
    place, without = tmp_path / "place", tmp_path / "without"
    place.mkdir()
    without.mkdir()
    write(place / "good.csv", PAIRS + ROWS)
    write(without / "jax.py", "raise ModuleNotFoundError('no jax', name='jax')")
    before = files_in(place)
    folder, pair = trained("paraphrase").folder, ("--left", "a cat", "--right", "two dogs")
    arguments = {
        "train": ("paraphrase", "--train", "good.csv", "--out", "out"),
        "evaluate": (folder, "good.csv", "--engine", "keras"),
        "predict": (folder, *pair, "--engine", "keras"),
        "explain": (folder, *pair),
        "export": (folder, "--format", "onnx", "-o", "out"),
    }[command]
    done = abcnn(command, *arguments, cwd=place, KERAS_BACKEND=backend, PYTHONPATH=str(without))
    message = error_of(done, alone=command != "train")
    assert message.startswith(f"the backend {backend} (KERAS_BACKEND) cannot be used: ")
    assert files_in(place) == before


@pytest.mark.parametrize("command", ["train", "compare-models"])
def test_a_missing_library_is_told_before_anything_is_read(tmp_path, command):
    place, without = tmp_path / "place", tmp_path / "without"
    place.mkdir()
    without.mkdir()
    (without / "nltk.py").write_text("raise ModuleNotFoundError('no nltk', name='nltk')")
    done = abcnn(
        command, "paraphrase", "--train", "absent.csv", "--features", "translation", "--out", "out",
        cwd=place, PYTHONPATH=str(without),
    )  # fmt: skip
    message = error_of(done, alone=True)
    assert message == "nltk is not installed: pip install 'abcnn[features]'"
    assert not list(place.iterdir())


BINARY = b"2 3\n" + b"cat " + struct.pack("<3f", 1, 2, 3) + b"\ndog " + struct.pack("<3f", 1, 2, 3)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("cat 1 2 3\ndog 1 2\n", ", line 2: every vector must have 3 values, as the header or the"),
        (
            "2 3\ncat 1 2 3\n",
            ": the header says 2 rows of 3 values, but the file ends after 1 rows",
        ),
        (BINARY[:-5], ": the header says 2 rows of 3 values, but the file ends in the middle of"),
        ("<html><body>Not found</body></html>", ": expected word vectors. Received: HTML, a web"),
        ("", ": expected word vectors. Received: an empty file"),
        ("cat 1 nan 3\n", ": the vector of 'cat' must be finite numbers. Received: NaN or"),
        ("cat 1 two 3\n", ", line 1: expected a header `rows size`, or a word and numbers."),
        ("zebra 1 2 3\n", ": none of the 5 words was found; is it the right language,"),
        (gzip.compress(b"cat 1 2 3\ndog 3 2 1\n" * 99, mtime=0)[:50], ": damaged gzip file, is it"),
        (None, ": No such file or directory"),
    ],
    ids=[
        "mixed",
        "cut",
        "cut-binary",
        "html",
        "empty",
        "nan",
        "no-number",
        "other",
        "gzip",
        "none",
    ],
)
def test_bad_vectors(tmp_path, content, message):
    write(tmp_path / "good.csv", PAIRS + ROWS)
    if content is not None:
        write(tmp_path / "vectors.txt", content)
    before = files_in(tmp_path)
    files = [f"--train={tmp_path / 'good.csv'}", f"--vectors={tmp_path / 'vectors.txt'}"]
    arguments = ["train", "paraphrase", *files, "--frequent-words=0", f"--out={tmp_path / 'out'}"]
    done = CliRunner().invoke(main, arguments)
    assert (done.exit_code, done.stdout) == (1, "")
    line = done.stderr.splitlines()[-1]
    assert line.startswith(f"Error: {tmp_path / 'vectors.txt'}{message}")
    assert files_in(tmp_path) == before
    assert not (tmp_path / "out.training").exists()


@pytest.mark.parametrize("file", ["weights.npz", "vocabulary.txt", "metrics.json", "config.json"])
@pytest.mark.parametrize("fault", ["missing", "cut", "changed"])
def test_a_bundle_with_a_file_that_is_not_as_it_was_written(trained, tmp_path, file, fault):
    shutil.copytree(trained("paraphrase").folder, tmp_path / "run")
    path = tmp_path / "run" / file
    content = path.read_bytes()
    middle = len(content) // 2
    if fault == "missing":
        path.unlink()
    elif fault == "cut":
        path.write_bytes(content[:middle])
    else:
        path.write_bytes(content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :])
    write(tmp_path / "in.csv", PAIRS + ROWS)
    command = {"missing": "predict", "cut": "evaluate", "changed": "info"}[fault]
    rest = {"predict": ["in.csv", "-o", "out.csv"], "evaluate": ["in.csv"], "info": []}[command]
    message = error_of(abcnn(command, "run", *rest, cwd=tmp_path))
    assert message.startswith(f"run/{file}: ")
    assert ("is missing" if fault == "missing" else "was cut or changed after") in message
    assert not (tmp_path / "out.csv").exists()


def test_what_is_no_bundle_of_this_version(trained, tmp_path):
    shutil.copytree(trained("paraphrase").folder, tmp_path / "run")
    config = json.loads((tmp_path / "run" / "config.json").read_text())
    write(tmp_path / "run" / "config.json", json.dumps(config | {"format": 99}))
    assert error_of(abcnn("info", "run", cwd=tmp_path)) == (
        "run/config.json: the bundle has format 99, this version of abcnn reads format 2; "
        f"train it anew, or use the version that wrote it: {config['about']['versions']['abcnn']}"
    )
    for content in ("", "[]", "null", "3", '"text"', "{}", '{"format": 1}'):
        write(tmp_path / "run" / "config.json", content)
        assert error_of(abcnn("info", "run", cwd=tmp_path)) == (
            "run/config.json: was cut or changed after it was written"
        )
    assert error_of(abcnn("info", "none", cwd=tmp_path)) == "none: there is no such folder"
    assert "there is no such folder" in error_of(abcnn("info", "run/config.json", cwd=tmp_path))
    assert "config.json: is missing" in error_of(abcnn("info", ".", cwd=tmp_path))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.csv", "-o", "out.csv"], "none.csv: there is no such file"),
        (["bad.csv", "-o", "out.csv"], "bad.csv: no column of sentences found"),
        (["good.csv", "-o", "none/out.csv"], "none/out.csv: the folder none does not exist"),
        (["good.csv", "-o", "out.csv", "--left-column", "x"], "good.csv: `--left-column` must be"),
        (["good.csv", "-o", "out.csv", "--encoding", "x"], "`encoding` must be the name of a text"),
        (["--left", "", "--right", "a cat"], "`--left` must be a sentence. Received: ''"),
        (["--left", "a cat", "--right", " \n"], "`--right` must be a sentence. Received: ' \\n'"),
    ],
)
def test_bad_arguments_of_predict(trained, tmp_path, arguments, message):
    write(tmp_path / "good.csv", PAIRS + ROWS)
    write(tmp_path / "bad.csv", "a,b\n1,2\n")
    before = files_in(tmp_path)
    done = abcnn("predict", trained("paraphrase").folder, *arguments, cwd=tmp_path)
    assert error_of(done).startswith(message)
    assert files_in(tmp_path) == before


@pytest.mark.parametrize(
    ("task", "arguments", "message"),
    [
        (
            "paraphrase",
            ["good.csv", "--run-file", "run"],
            "`--run-file` and `--qrels-file` are for",
        ),
        (
            "answer-selection",
            ["qa.csv", "--run-file", "none/run"],
            "none/run: the folder none does",
        ),
        ("answer-selection", ["qa.csv", "--qrels-file", "none/q"], "none/q: the folder none does"),
        ("paraphrase", ["good.csv", "--device", "gpu:one"], "`device` must be auto, cpu, gpu or"),
    ],
)
def test_bad_arguments_of_evaluate(trained, tmp_path, task, arguments, message):
    write(tmp_path / "good.csv", PAIRS + ROWS)
    write(tmp_path / "qa.csv", ANSWERS + QUESTION)
    before = files_in(tmp_path)
    done = abcnn("evaluate", trained(task).folder, *arguments, cwd=tmp_path)
    assert error_of(done).startswith(message)
    assert files_in(tmp_path) == before
