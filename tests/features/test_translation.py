"""Every measure of translation against values computed by hand."""

from __future__ import annotations

import math

import pytest

from abcnn.features.catalogue import FEATURES, GROUPS
from abcnn.features.sentence import Sentence
from abcnn.features.translation import LONGEST
from abcnn.features.words import WordStatistics

pytest.importorskip("sacrebleu")
pytest.importorskip("rouge_score")


def value(name: str, left: str, right: str, wordnet: str | None = None) -> float:
    statistics = WordStatistics({}, 0.0, frozenset(), wordnet=wordnet)
    return FEATURES[name].compute(
        Sentence(left.split(), statistics), Sentence(right.split(), statistics)
    )


# Four tokens and five. Shared are a, b, d and the neighbours a b.
LEFT, RIGHT = "A b c d", "a b d e f"
SHORT = math.exp(1 - 5 / 4)  # BLEU's brevity penalty of four words for five
# A translation of four fifths of the reference, where two thirds would halve the score.
SHORTER = math.exp(math.log(0.5) / math.log(1.5) ** 2 * math.log(4 / 5) ** 2)
INFORMATION = math.log2(5)  # of a word that is one of five


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("left_bleu_1", 100 * SHORT * 3 / 4),
        ("left_bleu_2", 100 * SHORT * (3 / 4 * 1 / 3) ** (1 / 2)),
        # No trigram of two is shared, which counts half a match, nor the one of four words.
        ("left_bleu_3", 100 * SHORT * (3 / 4 * 1 / 3 * 1 / 4) ** (1 / 3)),
        ("left_bleu_4", 100 * SHORT * (3 / 4 * 1 / 3 * 1 / 4 * 1 / 4) ** (1 / 4)),
        ("right_bleu_1", 100 * 3 / 5),
        ("right_bleu_2", 100 * (3 / 5 * 1 / 4) ** (1 / 2)),
        ("right_bleu_3", 100 * (3 / 5 * 1 / 4 * 1 / 6) ** (1 / 3)),
        ("right_bleu_4", 100 * (3 / 5 * 1 / 4 * 1 / 6 * 1 / 8) ** (1 / 4)),
        # "a b" says no more of the reference than "a".
        *((f"left_nist_{order}", SHORTER * INFORMATION * 3 / 4) for order in range(1, 6)),
        *((f"right_nist_{order}", math.log2(4) * 3 / 5) for order in range(1, 6)),
        # Orders 1 to 4 of "abcd" in "abdef": 3 of 4, 1 of 3, 0 of 2, 0 of 1; and back: 3 of 5, 1
        # of 4.
        ("left_chrf", 100 * 5 * (13 / 48) * (17 / 80) / (4 * 13 / 48 + 17 / 80)),
        ("right_chrf", 100 * 5 * (17 / 80) * (13 / 48) / (4 * 17 / 80 + 13 / 48)),
        ("left_ter", 100 * 3 / 5),  # c, d become d, e, and f is added
        ("right_ter", 100 * 3 / 4),
        # Three words match in two chunks.
        ("left_meteor", (1 - 0.5 * (2 / 3) ** 3) * (3 / 4 * 3 / 5) / (0.9 * 3 / 4 + 0.1 * 3 / 5)),
        ("right_meteor", (1 - 0.5 * (2 / 3) ** 3) * (3 / 4 * 3 / 5) / (0.9 * 3 / 5 + 0.1 * 3 / 4)),
        ("left_rouge_1", 3 / 4),
        ("right_rouge_1", 3 / 5),
        ("left_rouge_2", 1 / 3),
        ("right_rouge_2", 1 / 4),
        ("left_rouge_l", 3 / 4),  # a b d
        ("right_rouge_l", 3 / 5),
    ],
)
def test_values(name, expected):
    assert value(name, LEFT, RIGHT) == pytest.approx(expected)


def test_there_is_a_value_for_every_feature():
    (parameters,) = (mark for mark in test_values.pytestmark if mark.name == "parametrize")
    assert {name for name, _ in parameters.args[1]} == set(GROUPS["translation"])


def test_nist_rewards_what_is_rare_in_the_reference():
    # Of "a b a c", a says log2(4/2), b log2(4/1), and "a b" log2(2/1); two words for four.
    penalty = math.exp(math.log(0.5) / math.log(1.5) ** 2 * math.log(1 / 2) ** 2)
    assert value("left_nist_1", "a b", "a b a c") == pytest.approx(penalty * (1 + 2) / 2)
    for order in (2, 3, 5):
        assert value(f"left_nist_{order}", "a b", "a b a c") == pytest.approx(penalty * 2.5)


def test_ter_counts_a_shift_as_one_edit():
    assert value("left_ter", "c d a b", "a b c d e") == pytest.approx(100 * 2 / 5)


def test_meteor_matches_stems_and_synonyms(wordnet):
    assert value("left_meteor", "he walks", "he walked") == pytest.approx(1 - 0.5 / 8)
    assert value("left_meteor", "the dog", "the hound", wordnet) == pytest.approx(1 - 0.5 / 8)
    assert value("left_meteor", "the dog", "the hound") == pytest.approx(0.5 * (1 - 0.5))


@pytest.mark.parametrize("name", GROUPS["translation"])
def test_sentences_without_a_shared_word_or_any_word(name):
    nothing = 100 if name.endswith("ter") else 0
    for left, right in (("", "cat sat"), ("cat sat", "")):
        assert value(name, left, right) == nothing
    assert value(name, "", "") == 0
    assert value(name, "dd", "cat sat") == pytest.approx(
        100 * 2 if name == "right_ter" else nothing
    )


@pytest.mark.parametrize("name", GROUPS["translation"])
def test_only_the_first_words_of_very_long_sentences_are_read(name):
    left = " ".join(f"w{number}" for number in range(3 * LONGEST))
    right = "x " * LONGEST + "w0 w1 w2 " * LONGEST
    nothing = 100 if name.endswith("ter") else 0
    assert value(name, left.replace("w0", "v"), right.replace("w1", "u")) == pytest.approx(
        nothing, abs=5
    )
