"""Every lexical feature against values counted by hand."""

import math

import pytest

from abcnn.features.lexical import LEXICAL, NEGATIONS
from abcnn.features.sentence import Sentence
from abcnn.features.words import WordStatistics

# Four different sentences, one of them twice and once in another case: `cat` stands in two of
# the four, `dogs` in one, `the` in three.
SENTENCES = [
    ["The", "cat", "sat"],
    ["the", "cat", "sat"],
    ["the", "cat", "ran"],
    ["the", "dogs"],
    ["2", "birds"],
    ["2", "birds"],
]
STATISTICS = WordStatistics.of(SENTENCES)


def sentence(tokens: list[str]) -> Sentence:
    return Sentence(tokens, STATISTICS)


def value(name: str, left: str, right: str) -> float:
    return LEXICAL[name](sentence(left.split()), sentence(right.split()))


def test_idf_counts_each_distinct_lower_cased_sentence_once():
    assert STATISTICS.weight("the") == pytest.approx(math.log(4 / 3))
    assert STATISTICS.weight("cat") == pytest.approx(math.log(2))
    assert STATISTICS.weight("dogs") == pytest.approx(math.log(4))


def test_idf_counts_a_word_once_a_sentence():
    statistics = WordStatistics.of([["a", "a", "a"], ["b"]])
    assert statistics.weight("a") == pytest.approx(math.log(2))


def test_an_unseen_word_weighs_like_one_seen_once():
    assert STATISTICS.weight("unicorn") == pytest.approx(math.log(4))


def test_statistics_of_nothing():
    assert WordStatistics.of([]).weight("word") == 0


@pytest.mark.parametrize(
    ("word", "content"),
    [("cat", True), ("2", True), ("don't", True), ("the", False), ("?", False), ("...", False)],
)
def test_content_words_are_words_and_numbers_but_no_stop_words(word, content):
    assert STATISTICS.is_content(word) is content


# Seven tokens and four: `the` twice on the left, `cat` and `2` shared, `.` shared but no word.
LEFT, RIGHT = "the cat saw the 2 birds .", "2 of cat ."


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("left_length", 7),
        ("right_length", 4),
        ("word_count", 2),
        ("weighted_word_count", math.log(2) + math.log(4)),
        ("left_rest", 4),
        ("right_rest", 1),
        ("left_overlap", 3 / 7),
        ("right_overlap", 3 / 4),
        ("left_bigram_overlap", 0),
        ("right_bigram_overlap", 0),
        (
            "left_weighted_overlap",
            (math.log(2) + 2 * math.log(4)) / (2 * math.log(4 / 3) + math.log(2) + 4 * math.log(4)),
        ),
        (
            "right_weighted_overlap",
            (math.log(2) + 2 * math.log(4)) / (math.log(2) + 3 * math.log(4)),
        ),
        ("left_subsequence", 2 / 7),  # cat .
        ("right_subsequence", 2 / 4),
        ("character_overlap", 3 / 26),  # " ca", "cat", "at " of 21 and 8
        ("length_difference", 3),
        ("negation", 0),
        ("number_mismatch", 0),
        ("number_inclusion", 0),
    ],
)
def test_values(name, expected):
    assert value(name, LEFT, RIGHT) == pytest.approx(expected)


def test_there_is_a_value_for_every_feature():
    (parameters,) = (mark for mark in test_values.pytestmark if mark.name == "parametrize")
    assert {name for name, _ in parameters.args[1]} == set(LEXICAL)


def test_shared_words_count_once_and_repeated_tokens_each():
    assert value("word_count", "cat cat dogs", "cat") == 1
    assert value("left_rest", "cat cat dogs dogs", "cat") == 2
    assert value("left_overlap", "cat cat dogs dogs", "cat") == 1 / 2
    assert value("right_overlap", "cat cat dogs dogs", "cat") == 1


def test_bigrams_are_neighbours_in_order():
    left, right = "a b c d", "b c a b x"  # ab bc cd; bc ca ab bx
    assert value("left_bigram_overlap", left, right) == pytest.approx(2 / 3)
    assert value("right_bigram_overlap", left, right) == pytest.approx(2 / 4)
    assert value("left_bigram_overlap", "a b", "b a c") == 0


@pytest.mark.parametrize("word", sorted(NEGATIONS))
def test_negation_is_in_exactly_one_sentence(word):
    assert value("negation", f"it is {word}", "it is") == 1
    assert value("negation", "it is", f"it is {word} so") == 1
    assert value("negation", f"it is {word}", "it did n't") == 0


def test_numbers_are_compared_as_sets_of_tokens_with_a_digit():
    assert value("number_mismatch", "5 cats and 5 dogs", "dogs 5") == 0
    assert value("number_mismatch", "5 cats", "50 cats ran") == 1
    assert value("number_mismatch", "5 cats", "cats") == 1
    assert value("number_mismatch", "cats", "dogs ran") == 0


@pytest.mark.parametrize("name", LEXICAL)
def test_empty_sentences_and_single_words_have_finite_values(name):
    for left, right in (("", ""), ("", "cat sat"), ("cat sat", ""), ("cat", "cat sat down")):
        assert math.isfinite(value(name, left, right))


@pytest.mark.parametrize("name", LEXICAL)
@pytest.mark.timeout(20)
def test_very_long_sentences_take_no_time(name):
    left = [f"w{number}" for number in range(60_000)]
    right = [f"w{number}" for number in range(30_000, 100_000)]
    assert math.isfinite(LEXICAL[name](sentence(left), sentence(right)))
