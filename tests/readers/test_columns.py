"""Which columns are taken."""

from __future__ import annotations

import pytest

from abcnn.errors import InputError
from abcnn.readers.columns import USUAL_SIDES, Selection, choose_columns
from abcnn.readers.formats import WIKIQA


def choose(*names, **options):
    return choose_columns(names, source="a.csv", **options)


@pytest.mark.parametrize(("left", "right"), USUAL_SIDES)
def test_usual_names_in_any_place(left, right):
    assert choose("x", right, "id", left) == Selection(left, right)


@pytest.mark.parametrize(
    ("left", "right"), [("SENTENCE_1", "Sentence-2"), ("Text A", "textB"), ("Question", "ANSWER")]
)
def test_usual_names_in_any_writing(left, right):
    assert choose(left, right) == Selection(left, right)


def test_labels_groups_and_candidates():
    names = ("QuestionID", "question", "SentenceID", "sentence", "Label", "DocumentID")
    assert choose(*names) == Selection("question", "sentence", "Label", "QuestionID", "SentenceID")
    for label in ("gold_label", "Quality", "is_duplicate", "entailment_judgment", "relevance"):
        assert choose("left", "right", label).label == label


def test_names_that_are_given_come_first():
    chosen = choose(
        "left", "right", "label", "a", "b", "c", "d", "e",
        left_column="a", right_column="b", label_column="c", group_column="d", candidate_column="e",
    )  # fmt: skip
    assert chosen == Selection("a", "b", "c", "d", "e")


def test_one_side_given():
    assert choose("a", "answer", left_column="a") == Selection("a", "answer")
    assert choose("question", "b", right_column="b") == Selection("question", "b")
    # The usual name of the side that is given is not taken for the other.
    assert choose("right", "answer", left_column="right") == Selection("right", "answer")


def test_columns_of_a_corpus_come_before_usual_names():
    names = (*WIKIQA.header, "left", "right")
    assert choose(*names, corpus=WIKIQA).right == "Sentence"
    assert choose(*names, corpus=WIKIQA, right_column="left").right == "left"


@pytest.mark.parametrize(
    ("names", "options", "message"),
    [
        (
            ("a", "b"),
            {},
            "a.csv: no column of sentences found (looked for question/answer, question/sentence, "
            "sentence1/sentence2, sentence_A/sentence_B, premise/hypothesis, question1/question2, "
            "text_a/text_b, left/right, #1 String/#2 String). Received: the columns a, b; name it "
            "with --left-column and --right-column",
        ),
        (
            ("a", "b"),
            {"left_column": "a"},
            "no column of right sentences found (looked for answer,",
        ),
        (
            ("a", "b"),
            {"right_column": "a"},
            "no column of left sentences found (looked for question",
        ),
        (
            ("left", "right"),
            {"label_column": "gold"},
            "a.csv: `--label-column` must be one of the columns left, right. Received: 'gold'",
        ),
        (
            ("left", "right"),
            {"require_labels": True},
            "a.csv: no column of labels found (looked for label, gold_label, entailment_judgment, "
            "is_duplicate, quality, relevance). Received: the columns left, right; name it with "
            "--label-column",
        ),
        (
            ("left", "right", "Label", "label"),
            {},
            "a.csv: expected one label column. Received: Label, label; choose with --label-column",
        ),
        (
            ("left", "right"),
            {"left_column": "right", "right_column": "right"},
            "a.csv: left and right must be two columns. Received: 'right' twice",
        ),
    ],
)
def test_what_is_not_there_is_an_error(names, options, message):
    with pytest.raises(InputError) as raised:
        choose(*names, **options)
    assert message in str(raised.value)


def test_two_label_columns_and_a_choice():
    assert choose("left", "right", "Label", "label", label_column="Label").label == "Label"
