"""Corpora in the form their authors publish them, in a few rows written here."""

from __future__ import annotations

import json

import pytest

from abcnn.errors import InputError
from abcnn.readers import read_pairs
from abcnn.readers.formats import CORPORA, recognise_corpus
from abcnn.readers.quoting import has_quoted_cells

QUORA = "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n"


def snli(*labels, **more):
    rows = [
        {"gold_label": label, "sentence1": f"A dog {i}.", "sentence2": "No.", "pairID": "x"} | more
        for i, label in enumerate(labels, start=1)
    ]
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.mark.parametrize("corpus", CORPORA, ids=lambda corpus: corpus.name)
def test_each_header_shows_its_corpus(corpus):
    assert recognise_corpus([*reversed(corpus.header), "more"]) is corpus
    assert recognise_corpus(corpus.header[1:]) is not corpus
    for column in (corpus.left, corpus.right, corpus.label, corpus.group, corpus.candidate):
        assert column is None or column in corpus.header


@pytest.mark.parametrize(("more", "name"), [({}, "snli"), ({"genre": "travel"}, "multinli")])
def test_pairs_without_a_gold_label_are_skipped_and_counted(tmp_path, more, name):
    path = tmp_path / "a.jsonl"
    path.write_text(snli("neutral", "-", "entailment", "-", **more))
    reading = read_pairs(path, require_labels=True)
    assert (reading.format, reading.skipped) == (name, 2)
    assert reading.pairs.labels == ("neutral", "entailment")
    assert reading.pairs.left == ("A dog 1.", "A dog 3.")
    assert reading.pairs.rows == (1, 3)


def test_only_pairs_without_a_gold_label(tmp_path):
    (tmp_path / "a.jsonl").write_text(snli("-", "-"))
    with pytest.raises(InputError, match=r"expected labelled pairs\. Received: 2 rows without"):
        read_pairs(tmp_path / "a.jsonl")


def test_a_dash_is_a_label_like_any_other_elsewhere(tmp_path):
    (tmp_path / "a.csv").write_text("left,right,label\na,bc,-\n")
    assert read_pairs(tmp_path / "a.csv").pairs.labels == ("-",)


def test_snli_as_tab_separated_text(tmp_path):
    path = tmp_path / "snli_1.0_dev.txt"
    header = "gold_label\tsentence1_parse\tsentence1\tsentence2\tcaptionID\tlabel1\n"
    path.write_text(header + 'neutral\t(ROOT ("))\tHe said "no.\tHe spoke.\t1#1\tneutral\n')
    reading = read_pairs(path)
    assert (reading.format, reading.selection.label) == ("snli", "gold_label")
    assert reading.pairs.left == ('He said "no.',)


def test_quoras_own_file_has_quoted_cells(tmp_path):
    path = tmp_path / "quora_duplicate_questions.tsv"
    path.write_text(
        f'{QUORA}0\t1\t2\t"What does ""x"" mean?"\tWhat is x?\t0\n'
        '1\t3\t4\t"Two\nlines?"\tOne line?\t1\n'
    )
    reading = read_pairs(path)
    assert reading.format == "quora"
    assert reading.pairs.left == ('What does "x" mean?', "Two\nlines?")
    assert reading.pairs.labels == ("0", "1")


def test_quoras_pairs_in_glue_have_none(tmp_path):
    path = tmp_path / "train.tsv"
    path.write_text(f'{QUORA}0\t1\t2\tWhat is "x" or "y?\tWhat is y?\t0\n1\t3\t4\t"A\tB\t1\n')
    reading = read_pairs(path)
    assert reading.format == "quora"
    assert reading.pairs.left == ('What is "x" or "y?', '"A')


def test_quoras_pairs_as_csv(tmp_path):
    path = tmp_path / "train.csv"
    header = QUORA.strip().replace("\t", '","')
    path.write_text(f'"{header}"\n"0","1","2","A, ""b""?","C?","1"\n')
    reading = read_pairs(path)
    assert (reading.format, reading.pairs.left) == ("quora", ('A, "b"?',))


@pytest.mark.parametrize(
    ("sample", "quoted"),
    [
        ("", False),
        ("a\tb\n", False),
        ('"whole"\tb\n', False),
        ('"whole"\tb\n"x ""y"""\tb\n', True),
        ('"opens here\nand closes"\tb\n', True),
        ('6" nail\tb\n"x ""y"""\tb\n', False),
        ('"one" and "two"\tb\n', False),
        ('a\t"this line is cut', False),
    ],
)
def test_quoting_shows_in_the_first_telling_cell(sample, quoted):
    assert has_quoted_cells(sample) is quoted


def test_a_named_format_must_be_that_of_the_file(tmp_path):
    (tmp_path / "a.csv").write_text("left,right,label\na,bc,0\n")
    with pytest.raises(InputError, match=r"expected the columns of sick: pair_ID, .*: left, right"):
        read_pairs(tmp_path / "a.csv", format="sick")
    with pytest.raises(InputError, match=r"`format` must be one of wikiqa, .*'trec'"):
        read_pairs(tmp_path / "a.csv", format="trec")
    assert read_pairs(tmp_path / "a.csv", format="table").format == "table"
    assert read_pairs(tmp_path / "a.csv", format="csv").format == "table"


def test_a_table_format_leaves_the_columns_to_their_names(tmp_path):
    (tmp_path / "a.txt").write_text(f"{QUORA}0\t1\t2\tA?\tB, c?\t1\n")
    reading = read_pairs(tmp_path / "a.txt", format="tsv")
    assert reading.format == "table"
    assert reading.selection.label == "is_duplicate"
    assert reading.pairs.right == ("B, c?",)
