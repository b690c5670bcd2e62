"""Holding out dev pairs: whole questions, shares of each label, the same for the same seed."""

from collections import Counter

import pytest

from abcnn.errors import InputError
from abcnn.pairs import PairBatch
from abcnn.training.split import hold_out


def labelled(labels: list[str], groups: list[str] | None = None) -> PairBatch:
    return PairBatch(
        left=tuple(f"left {n}" for n in range(len(labels))),
        right=tuple(f"right {n}" for n in range(len(labels))),
        labels=tuple(labels),
        groups=None if groups is None else tuple(groups),
        source="pairs.csv",
    )


def questions(count: int) -> PairBatch:
    """Questions of three candidates; every fourth one has no right candidate. Rows are mixed."""
    labels = ["1" if row < count and row % 4 else "0" for row in range(3 * count)]
    return labelled(labels, [f"q{row % count}" for row in range(3 * count)])


@pytest.mark.parametrize("by_group", [False, True])
def test_every_pair_is_in_one_part_in_its_order(by_group):
    pairs = questions(40)
    train, dev = hold_out(pairs, share=0.25, seed=1, by_group=by_group)
    assert train.rows is not None
    assert dev.rows is not None
    assert sorted(train.rows + dev.rows) == list(range(1, 121))
    assert list(train.rows) == sorted(train.rows)
    assert list(dev.rows) == sorted(dev.rows)
    for part in (train, dev):
        for index, row in enumerate(part.rows or ()):
            assert part.left[index] == pairs.left[row - 1]
            assert part.labels is not None
            assert pairs.labels is not None
            assert part.labels[index] == pairs.labels[row - 1]


def test_a_share_of_each_label_is_held_out():
    pairs = labelled(["a"] * 100 + ["b"] * 20 + ["c"] * 40)
    _, dev = hold_out(pairs, share=0.1, seed=3, by_group=False)
    assert Counter(dev.labels) == {"a": 10, "b": 2, "c": 4}


def test_questions_stay_whole_and_those_without_an_answer_are_shared_out():
    pairs = questions(40)
    train, dev = hold_out(pairs, share=0.2, seed=5, by_group=True)
    assert not set(train.groups or ()) & set(dev.groups or ())
    assert Counter(dev.groups or ()) == dict.fromkeys(dev.groups or (), 3)
    answered = {
        group
        for group, label in zip(dev.groups or (), dev.labels or (), strict=True)
        if label == "1"
    }
    assert len(set(dev.groups or ())) == 8
    assert len(answered) == 6


def test_without_groups_the_left_sentence_is_the_question():
    left = tuple(f"question {n // 2}" for n in range(40))
    pairs = PairBatch(left, tuple("abcd" * 10), labels=("1", "0") * 20)
    train, dev = hold_out(pairs, share=0.2, seed=0, by_group=True)
    assert len(dev) == 8
    assert not set(train.left) & set(dev.left)


def test_the_seed_decides():
    pairs = questions(40)

    def dev_rows(seed: int) -> tuple[int, ...] | None:
        return hold_out(pairs, share=0.2, seed=seed, by_group=True)[1].rows

    assert dev_rows(1) == dev_rows(1)
    assert dev_rows(1) != dev_rows(2)


def test_a_label_that_stands_once_is_trained_on():
    pairs = labelled(["a"] * 50 + ["b"] * 49 + ["rare"])
    for seed in range(12):
        train, dev = hold_out(pairs, share=0.2, seed=seed, by_group=False)
        assert "rare" in (train.labels or ())
        assert 19 <= len(dev) <= 20


@pytest.mark.timeout(30)
def test_hundreds_of_thousands_of_pairs_take_no_time():
    pairs = labelled(["a", "b", "b", "c"] * 75_000)
    _, dev = hold_out(pairs, share=0.1, seed=0, by_group=False)
    assert Counter(dev.labels) == {"a": 7_500, "b": 15_000, "c": 7_500}


@pytest.mark.parametrize("by_group", [False, True])
def test_too_little_to_split(by_group):
    pairs = labelled(["0", "1"], ["q1", "q1"])
    kind = "questions" if by_group else "pairs"
    with pytest.raises(InputError, match=f"^pairs.csv: too few {kind} .*--dev.*Received: [12] "):
        hold_out(pairs, share=0.1, seed=0, by_group=by_group)
