"""From text to numbers: the same numbers in training and, through a saved bundle, in scoring."""

from dataclasses import replace

import numpy as np
import pytest

from abcnn.bundle import load_bundle
from abcnn.features.encoder import PairEncoder, rest_tokens
from abcnn.features.lexical import LEXICAL
from abcnn.features.pair_features import PairFeatures
from abcnn.features.sentence import Sentence
from abcnn.readers import read_pairs
from abcnn.tasks import TASKS
from abcnn.text.tokenizer import Tokenizer
from abcnn.text.vocabulary import EMPTY, FIRST_WORD, OOV, Vocabulary
from abcnn.training.options import TrainingOptions
from abcnn.training.prepare import prepare
from tests.trained import OPTIONS


def encoder_of(max_length: int) -> PairEncoder:
    tokenizer = Tokenizer("word", lowercase=False)
    sentences = [tokenizer("The cat sat"), tokenizer("A dog")]
    return PairEncoder(
        tokenizer,
        Vocabulary(("The", "cat", "dog")),
        PairFeatures.fit(("left_length", "right_length"), sentences, sentences[::-1]),
        max_length,
    )


def test_ids_truncation_and_features_of_the_whole_sentence():
    encoder = encoder_of(max_length=2)
    pairs = encoder(["The cat ran away", "", "CAT"], ["dog", "The cat", "dog dog dog"])
    np.testing.assert_array_equal(pairs.left.ids, [2, 3, 3])  # lower-cased `CAT` is `cat`
    np.testing.assert_array_equal(pairs.left.lengths, [2, 0, 1])
    np.testing.assert_array_equal(pairs.right.lengths, [1, 2, 2])
    assert (pairs.left.truncated, pairs.right.truncated, pairs.truncated) == (1, 1, 2)
    lengths = pairs.features * encoder.features.scale + encoder.features.mean
    np.testing.assert_allclose(lengths, [[4, 1], [0, 2], [1, 3]], atol=1e-6)


def test_unknown_words_share_one_id():
    assert encoder_of(9)(["unicorn gryphon"], ["dog"]).left.ids.tolist() == [OOV, OOV]


def rests_in_words(left: str, right: str, max_length: int = 9) -> list[list[str]]:
    words = ("the", "cat", "dog", EMPTY)
    encoder = replace(encoder_of(max_length), vocabulary=Vocabulary(words), rests=True)
    pairs = encoder(["a", left], ["a b", right])
    names = {OOV: "?"} | dict(enumerate(words, FIRST_WORD))
    return [[names[id] for id in rest.ids[rest.offsets[1] :].tolist()] for rest in pairs.rests]


def test_the_rests_are_the_words_that_the_other_sentence_lacks():
    assert encoder_of(9)(["the cat"], ["dog"]).rests == ()
    # Every time it stands there, in its order, and whatever the case.
    assert rests_in_words("The cat the dog", "A CAT") == [["the", "the", "dog"], ["?"]]
    assert rests_in_words("the Dog", "dog The") == [[EMPTY], [EMPTY]]
    assert rests_in_words("", "dog") == [[EMPTY], ["dog"]]
    # Words, not ids: both are unknown, and different.
    assert rests_in_words("unicorn cat", "gryphon cat") == [["?"], ["?"]]
    assert rests_in_words("unicorn cat", "unicorn") == [["cat"], [EMPTY]]


def test_the_rest_is_that_of_the_whole_sentences_and_then_cut():
    """As long as the features `left_rest` and `right_rest` say, where it is not cut."""
    left, right = "dog dog the the cat cat cat", "dog unicorn the"
    assert rests_in_words(left, right, 2) == [["cat", "cat"], ["?"]]
    tokens = left.split(), right.split()
    statistics = encoder_of(9).features.statistics
    one, other = (Sentence(words, statistics) for words in tokens)
    counts = [LEXICAL[name](one, other) for name in ("left_rest", "right_rest")]
    assert [len(rest) for rest in rest_tokens(*tokens)] == counts == [3, 1]


def test_no_pairs():
    pairs = encoder_of(9)([], [])
    assert len(pairs) == 0
    assert pairs.features.shape == (0, 2)


@pytest.mark.parametrize("name", TASKS)
def test_a_loaded_bundle_reads_text_as_training_did(trained, name):
    train = read_pairs(trained(name).train_file, require_labels=True).pairs
    options = TrainingOptions(**OPTIONS).for_task(TASKS[name])
    there = prepare(train, TASKS[name], options, None).pairs
    here = load_bundle(trained(name).folder).encoder(train.left, train.right)
    np.testing.assert_array_equal(here.features, there.features)
    for side in ("left", "right"):
        np.testing.assert_array_equal(getattr(here, side).ids, getattr(there, side).ids)
        np.testing.assert_array_equal(getattr(here, side).offsets, getattr(there, side).offsets)
