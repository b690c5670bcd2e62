"""The order of labels, their numbers, and the checks before training."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abcnn.errors import InputError
from abcnn.pairs import PairBatch
from abcnn.readers import label_ids, label_names, require_unique_candidates


def batch(*labels, **columns):
    n = len(labels)
    return PairBatch(("a",) * n, ("b c",) * n, labels=labels, source="pairs.csv", **columns)


@pytest.mark.parametrize(
    "names",
    [
        ("0", "1"),
        ("2", "10"),
        ("-1", "0", "1"),
        ("0.5", "1", "1.5"),
        ("CONTRADICTION", "NEUTRAL", "ENTAILMENT"),
        ("contradiction", "neutral", "entailment"),
        ("neutral", "entailment"),
        ("not_entailment", "entailment"),
        ("No", "Yes"),
        ("False", "True"),
        ("not_duplicate", "duplicate"),
        ("apple", "bean", "corn"),
        ("1", "no", "yes"),
        ("nan",),
        ("inf", "nan"),
        (),
    ],
)
def test_stated_order(names):
    assert label_names([*reversed(names), *names]) == names


@given(labels=st.lists(st.sampled_from(["yes", "no", "Yes", "0", "1", "00", "x", "entailment"])))
def test_order_is_of_the_set_alone(labels):
    names = label_names(labels)
    assert names == label_names(reversed(labels))
    assert sorted(names) == sorted(set(labels))
    if labels:
        ids = label_ids(batch(*labels), names)
        assert [names[index] for index in ids] == labels


def test_an_unknown_label_names_its_row():
    many = batch(*["0", "1"] * 10_000, "yes", label_column="Quality")
    with pytest.raises(InputError) as raised:
        label_ids(many, ("0", "1"))
    assert str(raised.value) == (
        "pairs.csv, row 20001: column `Quality` must be one of 0, 1. Received: 'yes'"
    )
    with pytest.raises(InputError, match="row 7: column `label` must"):
        label_ids(batch("0", "2", rows=(3, 7)), ("0", "1"))


def test_no_labels():
    unlabelled = PairBatch(("a",), ("b c",), source="pairs.csv")
    with pytest.raises(InputError, match=r"pairs.csv: expected labelled pairs"):
        label_ids(unlabelled, ("0",))


def test_unique_candidates():
    require_unique_candidates(batch("0", "1"))
    require_unique_candidates(batch("0", "1", groups=("q", "r"), candidate_ids=("c", "c")))
    twice = batch("0", "1", "0", groups=("q",) * 3, candidate_ids=("c", "d", "c"), rows=(2, 3, 5))
    with pytest.raises(InputError) as raised:
        require_unique_candidates(twice)
    assert str(raised.value) == (
        "pairs.csv, row 5: column `candidate_id` must differ within a question. "
        "Received: 'c' of 'q' again, as in row 2"
    )


def test_unique_candidates_of_a_question_without_an_id():
    with pytest.raises(InputError, match="'c' of 'a' again"):
        require_unique_candidates(batch("0", "1", candidate_ids=("c", "c")))
