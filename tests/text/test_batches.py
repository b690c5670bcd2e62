"""Ragged sentences and the batches cut from them, against loops."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abcnn.text.batches import (
    EncodedPairs,
    Ragged,
    encode,
    group_batches,
    mixed_groups,
    shuffled_batches,
    sorted_batches,
)
from abcnn.text.vocabulary import OOV, PAD, Vocabulary

sentence_lists = st.lists(st.lists(st.integers(1, 50), max_size=12), min_size=1, max_size=25)
seeds = st.integers(0, 1000)


def ragged(sentences: list[list[int]]) -> Ragged:
    offsets = np.cumsum([0, *map(len, sentences)])
    ids = np.array([token for sentence in sentences for token in sentence], dtype=np.int32)
    return Ragged(ids, offsets.astype(np.int64))


def pairs_of(lengths: list[tuple[int, int]]) -> EncodedPairs:
    left = ragged([[1] * one for one, _ in lengths])
    right = ragged([[1] * other for _, other in lengths])
    return EncodedPairs(left, right, np.arange(len(lengths), dtype=np.float32)[:, None])


@settings(max_examples=50, deadline=None)
@given(sentence_lists, st.integers(1, 15), st.randoms(use_true_random=False))
def test_padded_is_what_loops_give(sentences, length, random):
    indices = random.choices(range(len(sentences)), k=5)
    expected = [
        [
            sentences[index][place] if place < len(sentences[index]) else PAD
            for place in range(length)
        ]
        for index in indices
    ]
    padded = ragged(sentences).padded(np.array(indices), length)
    assert padded.dtype == np.int32
    np.testing.assert_array_equal(padded, expected)


def test_encode_looks_up_cuts_and_counts():
    encoded = encode(
        [["b", "a"], [], ["a", "x", "b", "a"], ["a", "b", "a"]], Vocabulary(("a", "b")), 3
    )
    np.testing.assert_array_equal(encoded.ids, [3, 2, 2, OOV, 3, 2, 3, 2])
    np.testing.assert_array_equal(encoded.offsets, [0, 2, 2, 5, 8])
    np.testing.assert_array_equal(encoded.lengths, [2, 0, 3, 3])
    assert encoded.truncated == 1  # a sentence of exactly three is whole
    assert (encoded.ids.dtype, len(encoded)) == (np.int32, 4)


def test_encode_nothing():
    encoded = encode([], Vocabulary(("a",)), 3)
    assert len(encoded) == 0
    assert encoded.padded(np.array([], dtype=int), 4).shape == (0, 4)


@pytest.mark.parametrize(
    ("longest", "max_length", "expected"),
    [((0, 1), 40, (8, 8)), ((8, 9), 40, (8, 16)), ((17, 33), 36, (24, 36)), ((5, 3), 6, (6, 6))],
)
def test_inputs_are_as_long_as_the_longest_rounded_up(longest, max_length, expected):
    pairs = pairs_of([(0, 0), longest, (0, 1), (99, 99)])
    inputs = pairs.inputs(np.array([1, 0, 2]), max_length)
    assert inputs["left"].shape == (3, expected[0])
    assert inputs["right"].shape == (3, expected[1])
    np.testing.assert_array_equal((inputs["left"] != PAD).sum(axis=1), [longest[0], 0, 0])
    np.testing.assert_array_equal((inputs["right"] != PAD).sum(axis=1), [longest[1], 0, 1])
    np.testing.assert_array_equal(inputs["features"], [[1], [0], [2]])


length_lists = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=60)


@settings(max_examples=50, deadline=None)
@given(length_lists, st.integers(1, 9), seeds, st.integers(1, 4))
def test_every_pair_stands_in_one_batch_of_an_epoch(lengths, batch_size, seed, pool):
    pairs = pairs_of(lengths)
    everyone = list(range(len(lengths)))
    for batches in (
        list(sorted_batches(pairs, batch_size)),
        shuffled_batches(pairs, batch_size, np.random.default_rng(seed), pool),
    ):
        assert sorted(np.concatenate(batches).tolist()) == everyone
        assert max(map(len, batches)) <= batch_size
        assert len(batches) <= -(-len(lengths) // batch_size) + len(lengths) // (batch_size * pool)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=60), st.integers(1, 20), seeds)
def test_a_group_is_never_split(numbers, batch_size, seed):
    groups = np.array(numbers)
    batches = group_batches(groups, batch_size, np.random.default_rng(seed))
    assert sorted(np.concatenate(batches).tolist()) == list(range(len(numbers)))
    for group in set(numbers):
        assert sum(group in groups[batch] for batch in batches) == 1
    # A batch is closed as soon as it is full: without its last group it is not.
    for batch in batches:
        last = groups[batch[-1]]
        assert sum(groups[batch] != last) < batch_size
    assert all(len(batch) >= batch_size for batch in batches[:-1])


def test_sorted_batches_hold_like_lengths():
    pairs = pairs_of([(2, 9), (5, 1), (1, 9), (9, 1), (3, 1), (3, 9)])
    batches = [sorted(batch.tolist()) for batch in sorted_batches(pairs, 3)]
    assert batches == [[1, 3, 4], [0, 2, 5]]


def test_shuffled_batches_depend_on_the_generator_alone():
    pairs = pairs_of([(length % 7, length % 5) for length in range(100)])

    def batches(seed: int) -> list[list[int]]:
        generator = np.random.default_rng(seed)
        return [batch.tolist() for batch in shuffled_batches(pairs, 8, generator)]

    assert batches(1) == batches(1)
    assert sorted(map(sorted, batches(1))) != sorted(map(sorted, batches(2)))


def test_mixed_groups_are_those_with_a_right_and_a_wrong_candidate():
    groups = np.array([7, 3, 7, 5, 3, 9, 9])
    labels = np.array([0, 1, 1, 0, 1, 1, 0])  # 7: both, 3: right only, 5: wrong only, 9: both
    assert mixed_groups(groups, labels).tolist() == [0, 2, 5, 6]
    assert mixed_groups(groups[:0], labels[:0]).tolist() == []
