"""WordNet's relations and learnt antonyms, on a WordNet of seven words."""

from __future__ import annotations

import numpy as np
import pytest

from abcnn.errors import InputError
from abcnn.features.antonyms import learn_antonyms, word_cosines
from abcnn.features.catalogue import FEATURES
from abcnn.features.sentence import Sentence
from abcnn.features.wordnet import ancestors, installed_wordnet, senses, synonyms
from abcnn.features.words import WordStatistics
from abcnn.text.vectors import WordVectors

STOPWORDS = frozenset({"a", "the", "is"})


def value(name: str, left: str, right: str, statistics: WordStatistics) -> float:
    return FEATURES[name].compute(
        Sentence(left.split(), statistics), Sentence(right.split(), statistics)
    )


@pytest.fixture
def statistics(wordnet):
    return WordStatistics(
        {}, 0.0, STOPWORDS, antonyms=frozenset({("closed", "open")}), wordnet=wordnet
    )


def test_the_lexicon_is_read_in_every_inflected_form(wordnet):
    assert installed_wordnet() == wordnet == "tiny:1"
    assert senses(wordnet, "dogs") == senses(wordnet, "hound") == {"tiny-dog-n"}
    assert synonyms(wordnet, "dogs") == {"dog", "hound"}
    assert synonyms(wordnet, "animal") == {"animal"}  # "living thing" is no single word
    assert ancestors(wordnet, "dogs") == {"tiny-canine-n", "tiny-animal-n"}
    assert senses(wordnet, "unicorn") == ancestors(wordnet, "unicorn") == frozenset()


def test_a_lexicon_that_is_not_installed_is_named(no_wordnet):
    assert installed_wordnet() is None
    assert not no_wordnet.exists() or not list(no_wordnet.iterdir())  # nor is one made
    with pytest.raises(InputError, match=r"WordNet oewn:2024.*python -m wn download oewn:2024"):
        senses("oewn:2024", "dog")


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("the dog ran", "a hound is here", 1),
        ("the dogs ran", "a hound is here", 1),
        ("a dog", "a dog and a hound", 0),  # `dog` is in both, so in no NONOVER copy
        ("a dog a dog", "a hound the hound", 1),  # different words
        ("a dog", "a cat", 0),
        ("dog cat", "hound hounds cats", 3),  # dog with hound and hounds, cat with cats
    ],
)
def test_synonyms_are_pairs_of_words(left, right, expected, statistics):
    assert value("synonyms", left, right, statistics) == expected
    assert value("synonyms", right, left, statistics) == expected


def test_hypernyms_are_words_with_one_in_the_other_sentence(statistics):
    # Both dog and cat have animal above them; dog also canine.
    left, right = "the dog and the cat", "an animal is a canine"
    assert value("left_hypernyms", left, right, statistics) == 2
    assert value("right_hypernyms", left, right, statistics) == 0
    assert value("right_hypernyms", right, left, statistics) == 2


def test_antonyms_are_learnt_pairs_of_which_each_sentence_has_one(statistics):
    assert value("antonyms", "the door is open", "the door is closed", statistics) == 1
    assert value("antonyms", "the door is closed", "the door is open", statistics) == 1
    assert value("antonyms", "open and closed", "closed", statistics) == 0
    assert value("antonyms", "open", "shut", statistics) == 0


def learnt(pairs, statistics, cosine=lambda word, other: 1.0):
    return learn_antonyms(
        (
            (Sentence(left.split(), statistics), Sentence(right.split(), statistics), holds)
            for left, right, holds in pairs
        ),
        cosine,
    )


AGAINST = [("the door is open", "the door is shut", False), ("a shut box", "a open box", False)]


def test_antonyms_stand_in_two_pairs_that_do_not_hold(statistics):
    assert learnt(AGAINST, statistics) == {("open", "shut")}
    assert learnt(AGAINST[:1], statistics) == set()
    assert learnt([*AGAINST, ("open", "shut", True)], statistics) == set()


def test_antonyms_have_like_vectors(statistics):
    vectors = WordVectors(
        ("open", "shut", "far"), np.array([[3.0, 4.0], [4.0, 3.0], [-4.0, 3.0]]), "v"
    )
    cosine = word_cosines(vectors)
    assert cosine("open", "shut") == pytest.approx(24 / 25)
    assert cosine("open", "far") == cosine("open", "unicorn") == 0
    assert learnt(AGAINST, statistics, cosine) == {("open", "shut")}
    assert learnt(AGAINST, statistics, lambda word, other: 0.4) == set()


def test_synonyms_and_hypernyms_are_no_antonyms(statistics):
    for word, other in (("dog", "hound"), ("dog", "animal"), ("animal", "cat")):
        assert learnt([(word, other, False)] * 2, statistics) == set()
    assert learnt([("dog", "cat", False)] * 2, statistics) == {("cat", "dog")}
