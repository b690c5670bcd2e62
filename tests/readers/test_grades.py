"""Grades: read from files of several kinds, checked by row, and their range."""

from __future__ import annotations

import json

import numpy as np
import pytest

from abcnn.errors import InputError
from abcnn.pairs import Pair, PairBatch
from abcnn.readers import Grades, read_pairs, true_values
from abcnn.readers.grades import grade_bins, grade_values, range_of, scale_of

SICK = (
    "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"
    "1\tA man runs\tA person is running\t4.5\tENTAILMENT\n"
    "2\tA man runs\tA dog sleeps\t1.2\tNEUTRAL\n"
)


def graded(*grades: str) -> PairBatch:
    return PairBatch.of([Pair("a b", "c", grade) for grade in grades], source="x.csv")


def test_sick_has_both_grades_and_labels(tmp_path):
    file = tmp_path / "SICK_trial.txt"
    file.write_text(SICK)
    assert read_pairs(file, graded=True).pairs.labels == ("4.5", "1.2")
    assert read_pairs(file).pairs.labels == ("ENTAILMENT", "NEUTRAL")
    named = read_pairs(file, graded=True, label_column="pair_ID").pairs
    assert (named.labels, named.label_column) == (("1", "2"), "pair_ID")


@pytest.mark.parametrize("column", ["label", "score", "similarity", "Similarity Score", "grade"])
@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet"])
def test_a_table_of_any_kind(tmp_path, column, suffix):
    file, rows = tmp_path / f"pairs.{suffix}", [("a b", "c", 2.5), ("d", "e f", 0.0)]
    names = ("sentence1", "sentence2", column)
    if suffix == "jsonl":
        lines = (json.dumps(dict(zip(names, row, strict=True))) for row in rows)
        file.write_text("\n".join(lines) + "\n")
    elif suffix == "parquet":
        pyarrow = pytest.importorskip("pyarrow")
        parquet = pytest.importorskip("pyarrow.parquet")
        columns = zip(names, map(list, zip(*rows, strict=True)), strict=True)
        parquet.write_table(pyarrow.table(dict(columns)), file)
    else:
        mark = "," if suffix == "csv" else "\t"
        text = [mark.join(names), *(mark.join(map(str, row)) for row in rows)]
        file.write_text("\n".join(text) + "\n")
    pairs = read_pairs(file, graded=True, require_labels=True).pairs
    np.testing.assert_array_equal(grade_values(pairs), [2.5, 0])


def test_a_corpus_without_grades_and_a_table_without_any(tmp_path):
    quora = tmp_path / "quora.tsv"
    quora.write_text("id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n1\t1\t2\ta\tb c\t1\n")
    with pytest.raises(InputError, match="no column of grades is known of quora"):
        read_pairs(quora, graded=True, require_labels=True)
    table = tmp_path / "x.csv"
    table.write_text("left,right\na,b c\n")
    with pytest.raises(InputError, match=r"no column of grades found .*label, grade"):
        read_pairs(table, graded=True, require_labels=True)


@pytest.mark.parametrize("bad", ["much", "nan", "inf", "-inf", "1_000", "4,5"])
def test_a_grade_must_be_a_finite_number(bad):
    for scale in (Grades(1, 5), Grades(1, 5, stated=True)):
        expected = "a number from 1 to 5" if scale.stated else "a finite number"
        with pytest.raises(InputError) as error:
            true_values(graded("3", "4.5", bad), scale)
        assert str(error.value) == (
            f"x.csv, row 3: column `label` must be {expected}. Received: {bad!r}"
        )


def test_a_range_that_is_stated_binds_and_one_of_the_data_does_not():
    np.testing.assert_array_equal(true_values(graded("0.5", "6"), Grades(1, 5)), [0.5, 6])
    with pytest.raises(InputError, match=r"row 2: .* a number from 1 to 5. Received: '5.1'"):
        true_values(graded("5", "5.1"), Grades(1, 5, stated=True))


def test_ranges():
    assert range_of(np.array([3, 1.5, 4]), "x", "y") == Grades(1.5, 4)
    with pytest.raises(InputError, match=r"two different grades. Received: 2 in all 3 rows"):
        range_of(np.array([2.0, 2, 2]), "x", "y")
    assert Grades(1.0, 5.0).whole == (1, 2, 3, 4, 5)
    assert Grades(0.5, 5.0).whole == ()
    assert Grades(0.0, 1e9).whole == ()
    shares = Grades(1, 5).shares(np.array([1, 2, 5]))
    np.testing.assert_array_equal(shares, [0, 0.25, 1])
    np.testing.assert_array_equal(Grades(1, 5).grades(shares), [1, 2, 5])
    found = grade_bins(np.array([1, 1.9, 2, 5]))
    assert found == ["1 to 2", "1 to 2", "2 to 3", "4 to 5"]
    assert scale_of({"labels": ["0", "1"]}) == ("0", "1")
    assert scale_of({"labels": [], "grades": Grades(0, 1).to_dict()}) == Grades(0, 1)
