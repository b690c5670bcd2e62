"""`abcnn embeddings` as a user runs it: the real process."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from abcnn.text.vectors import read_vectors

ROOT = Path(__file__).parents[2]
PAIRS = """question,answer,label
Who can't swim?,The cat can't.,1
Who can't swim?,A dog swims in Paris.,0
Where is it?,It is in Paris.,1
"""


def embeddings(*arguments, cwd, stdin=None):
    return subprocess.run(
        [sys.executable, str(ROOT / "cli.py"), "embeddings", *map(str, arguments)],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "pairs.csv").write_text(PAIRS)
    return tmp_path


def test_the_example_of_the_help(folder):
    shown = embeddings("train", "--help", cwd=folder).stdout.rstrip().splitlines()[-1]
    prefix, _, command = shown.partition("abcnn embeddings ")
    assert prefix.strip() == "Example:"
    done = embeddings(*command.split(), cwd=folder)
    assert done.returncode == 0
    assert done.stdout == ""
    # Who ca n't swim ? The cat ca n't . A dog swims in Paris . Where is it ? It is in Paris .
    assert done.stderr.splitlines() == [
        "5 different sentences, 25 tokens",
        "vectors.bin: 17 words x 100",
    ]
    assert (folder / "vectors.bin").read_bytes().startswith(b"17 100\n")
    vectors = read_vectors(folder / "vectors.bin", ["n't"])
    assert {"n't", "ca", "Paris", "Where"} < set(vectors.words)


def test_help_imports_nothing_heavy(folder):
    code = (
        "import sys; from abcnn.commands import main\n"
        "try: main(['embeddings', 'train', '--help'])\n"
        "except SystemExit: print(sorted({'numpy', 'gensim', 'keras'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_options(folder):
    (folder / "more.tsv").write_text("7\tein Hund\teine Katze\n")
    options = ["--dim", 4, "--epochs", 2, "--window", 2, "--min-count", 1, "--seed", 3]
    files = ["more.tsv", "--columns", "_,left,right", "--tokenizer", "character", "--lowercase"]
    for output in ("one.txt", "two.txt"):
        done = embeddings("train", *files, *options, "--output", output, cwd=folder)
        assert done.returncode == 0, done.stderr
    assert (folder / "one.txt").read_bytes() == (folder / "two.txt").read_bytes()
    vectors = read_vectors(folder / "one.txt", ["e"])
    assert set(vectors.words) == set("einhundkatze")
    assert vectors.dim == 4
    done = embeddings("train", *files, *options, "--min-count", 3, "-o", "-", cwd=folder)
    # e: ein, eine (twice), Katze; i and n: ein, eine; n: Hund.
    assert done.stdout.startswith("2 4\n")
    assert {line.split(" ")[0] for line in done.stdout.splitlines()[1:]} == {"e", "n"}


def test_several_files_and_the_standard_input(folder):
    done = embeddings(
        "train", "pairs.csv", "-", "-o", "v.txt", "--dim", 2, cwd=folder,
        stdin="left,right\nzebra,It is in Paris.\n",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    vectors = read_vectors(folder / "v.txt", ["zebra", "swim"], most_frequent=0)
    assert set(vectors.words) == {"zebra", "swim"}
    assert np.isfinite(vectors.matrix).all()


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["pairs.csv", "-o", "none/v.bin"], 1, "none/v.bin: the folder none does not exist"),
        (["pairs.csv", "-o", "old.bin"], 1, "old.bin: exists already; --force replaces it"),
        (["none.csv", "-o", "v.bin"], 1, "none.csv"),
        (["empty.csv", "-o", "v.bin"], 1, "empty.csv"),
        (["pairs.csv", "-o", "v.bin", "--left-column", "premise"], 1, "premise"),
        (["pairs.csv", "-o", "v.bin", "--min-count", "9"], 1, "no word that occurs 9 times"),
        (["pairs.csv", "-o", "v.bin", "--dim", "0"], 2, "0 is not in the range"),
        (["-o", "v.bin"], 2, "Missing argument 'FILES...'"),
    ],
)
def test_bad_input(folder, arguments, code, message):
    (folder / "old.bin").write_text("old")
    (folder / "empty.csv").write_text("")
    before = sorted(folder.iterdir())
    done = embeddings("train", *arguments, cwd=folder)
    assert done.returncode == code
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert sorted(folder.iterdir()) == before
    assert (folder / "old.bin").read_text() == "old"


def test_force_replaces_the_output(folder):
    (folder / "old.bin").write_text("old")
    done = embeddings("train", "pairs.csv", "-o", "old.bin", "--force", "--dim", 3, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert (folder / "old.bin").read_bytes().startswith(b"17 3\n")


VECTORS = "cat 1 0\ndog 0.8 0.6\nhorse -1 0\nwho 0 2\n"


def test_neighbours(folder):
    (folder / "v.txt").write_text(VECTORS)
    done = embeddings("neighbours", "Cat", "--vectors", "v.txt", "--count", 2, cwd=folder)
    assert done.stdout == "0.8000\tdog\n0.0000\twho\n"
    few = ["--frequent-words", 1, "--json"]
    done = embeddings("neighbours", "horse", "--vectors", "v.txt", *few, cwd=folder)
    assert json.loads(done.stdout) == [{"word": "cat", "cosine": -1.0}]
    done = embeddings("neighbours", "zebra", "--vectors", "v.txt", cwd=folder)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("Error: v.txt: none of the 1 words was found")


def test_coverage(folder):
    """Who (twice, by its lower case), cat and dog: 4 of 30 tokens, 3 of 17 types."""
    (folder / "v.txt").write_text(VECTORS)
    done = embeddings("coverage", "--vectors", "v.txt", "pairs.csv", cwd=folder)
    lines = done.stdout.splitlines()
    assert lines[0] == "pairs.csv: coverage: 17.6% of 17 types, 13.3% of 30 tokens"
    (folder / "more.csv").write_text(PAIRS)
    more = ["pairs.csv", "more.csv", "--json", "--missing", 1]
    record = json.loads(embeddings("coverage", "--vectors", "v.txt", *more, cwd=folder).stdout)
    assert record["files"]["all files"]["tokens"] == 60
    assert record["missing"] == {"ca": 6}
