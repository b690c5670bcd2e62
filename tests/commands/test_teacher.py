"""`abcnn train --teacher-column` as a user runs it, in real processes."""

import pytest

from tests.commands.process import SAMPLES, TINY, abcnn, error_of

FOLDER = SAMPLES / "paraphrase"


@pytest.fixture
def taught(tmp_path):
    """A training file whose column `t` is right but for row 3."""
    head, *rows = (FOLDER / "train.tsv").read_text(encoding="utf-8").splitlines()
    cells = ["0.5"] * len(rows)
    cells[2] = "often"
    lines = [f"{head}\tt", *(f"{row}\t{cell}" for row, cell in zip(rows, cells, strict=True))]
    (tmp_path / "taught.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            ["--teacher-column", "t"],
            "taught.tsv, row 3: column `t` must be a probability from 0 to 1. Received: 'often'",
        ),
        (["--teacher-column", "u"], "`--teacher-column` must be one of the columns"),
        (["--teacher-column", "t", "--memory-map"], "`memory_map` goes without a teacher"),
        (["--teacher-weight", "0.3"], "`teacher_weight` needs --teacher-column"),
        (["--teacher-column", "t", "--teacher-weight", "2"], "`teacher_weight` must be from 0"),
    ],
)
def test_one_line_says_what_is_wrong(taught, options, said):
    files = ["--train", "taught.tsv", "--dev", FOLDER / "dev.tsv", "--out", "run"]
    assert said in error_of(abcnn("train", "paraphrase", *TINY, *files, *options, cwd=taught))
    assert [path.name for path in taught.iterdir()] == ["taught.tsv"]
