"""Pairs in a row with one left sentence, of which the compiled loops share what they can."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from keras import ops
from numba import njit

from abcnn.network import build_network, set_named_weights
from abcnn.network_config import NetworkConfig
from abcnn.runtime import fold, logits
from abcnn.runtime.folding import FoldedNetwork
from abcnn.runtime.seen_words import forget, no_words, take_slots
from abcnn.text.batches import EncodedPairs
from tests.runtime.networks import (
    FEATURES,
    Case,
    configs,
    pairs_of,
    ragged,
    sentences,
    some,
    weights_of,
)

MODELS = ("bcnn", "abcnn-1", "abcnn-2", "abcnn-3")
# Words enough to fill the table of a run several times, and sentences longer than the table.
WORDS, LONGEST = 900, 300
CONFIG = NetworkConfig(
    *(WORDS, 6, FEATURES, 1, ("cosine", "euclidean")), filters=5, width=3, max_length=LONGEST
)


def alone(network: FoldedNetwork, pairs: EncodedPairs) -> np.ndarray:
    """The logits of pairs, each computed without any other."""
    return np.concatenate([logits(network, some(pairs, [pair])) for pair in range(len(pairs))])


@st.composite
def cases_of_runs(draw: st.DrawFn) -> Case:
    """Few left sentences, the empty one among them, each in several pairs in a row or not."""

    def side(number: int) -> list[list[int]]:
        few = [[], *draw(st.lists(sentences, min_size=1, max_size=2))]
        return draw(st.lists(st.sampled_from(few), min_size=number, max_size=number))

    def others(number: int) -> list[list[int]]:
        return draw(st.lists(sentences, min_size=number, max_size=number))

    number, seed = draw(st.integers(2, 12)), draw(st.integers(0, 1000))
    config, pairs = draw(configs()), pairs_of(side(number), others(number), seed)
    if config.rest_network:
        # Whose runs are others than those of the sentences.
        pairs = replace(pairs, rests=(ragged(side(number)), ragged(others(number))))
    return Case(config, seed, pairs)


@settings(max_examples=60, deadline=None)
@given(cases_of_runs())
def test_a_pair_in_a_run_scores_as_alone_to_the_last_bit(case):
    network = fold(case.config, weights_of(case.config, case.seed))
    np.testing.assert_array_equal(logits(network, case.pairs), alone(network, case.pairs))


def runs(number: int, longest: int) -> EncodedPairs:
    """Runs of all lengths up to 40 pairs, with right words frequent and rare, twice in a row too.

    Every third left sentence is empty; every second has the length of another.
    """
    generator = np.random.default_rng(5)

    def sentence(length: int) -> list[int]:
        drawn = WORDS * generator.random(length) ** 2
        words: list[int] = np.maximum(drawn, 1).astype(int).tolist()
        words[-1:] = words[:1]
        return words

    left: list[list[int]] = []
    while len(left) < number:
        length = (0, 4, int(generator.integers(1, 20)))[len(left) % 3]
        left += [sentence(length)] * int(generator.integers(1, 41))
    right = [sentence(int(generator.integers(0, longest + 1))) for _ in left]
    return pairs_of(left, right)


@pytest.mark.parametrize("conv_layers", [1, 2, 3])
@pytest.mark.parametrize("model", MODELS)
def test_runs_of_more_words_than_are_kept(model, conv_layers):
    """Forty sentences of one run have more, and some sentences alone."""
    config = replace(CONFIG, model=model, conv_layers=conv_layers)
    weights = weights_of(config, 1)
    reference = build_network(config)
    set_named_weights(reference, weights)
    network = fold(config, weights)
    for longest, number in ((35, 120), (LONGEST, 12)):
        pairs = runs(number, longest)
        actual = logits(network, pairs)
        np.testing.assert_array_equal(actual, alone(network, pairs))
        inputs = pairs.inputs(np.arange(len(pairs)), LONGEST)
        expected = ops.convert_to_numpy(reference(inputs))
        np.testing.assert_allclose(actual, expected, atol=1e-5)


@pytest.mark.parametrize("match_score", ["euclidean", "cosine", "dot"])
@pytest.mark.parametrize("model", MODELS)
def test_a_left_sentence_that_comes_back_is_computed_anew(model, match_score):
    """Between its pairs stand those of one as long, of a part of it and of none."""
    config = replace(CONFIG, model=model, conv_layers=2, match_score=match_score)
    network = fold(config, weights_of(config, 2))
    left, right = [[3, 4, 5], [3, 4, 6], [3, 4], []], [[4, 9, 4], [], [9, 3, 7, 8, 9]]
    order = [0, 0, 1, 0, 2, 2, 0, 3, 0, 3, 3, 1, 1, 1, 0]
    table = [(left[which], sentence) for which, sentence in product(order, right)]
    pairs = pairs_of([one for one, _ in table], [other for _, other in table])
    np.testing.assert_array_equal(logits(network, pairs), alone(network, pairs))


@njit
def slots_of(words, offsets, longest, forgotten):
    """The slots of all words, and the number of words before each sentence."""
    seen = no_words(longest)
    slots, before = np.zeros(len(words), np.int32), np.zeros(len(offsets) - 1, np.int64)
    for sentence in range(len(offsets) - 1):
        if forgotten[sentence]:
            forget(seen)
        start, stop = offsets[sentence], offsets[sentence + 1]
        before[sentence] = take_slots(seen, words[start:stop], slots[start:stop])
    return slots, before, len(seen.words)


@pytest.mark.parametrize("longest", [40, 700])
def test_a_word_keeps_its_slot_until_it_is_forgotten(longest):
    generator = np.random.default_rng(7)
    some_words = generator.integers(0, 2**31 - 1, 400)
    told = [
        generator.choice(some_words, generator.integers(0, longest + 1)).tolist()
        for _ in range(300)
    ]
    forgotten = generator.random(len(told)) < 0.1
    sentences = ragged(told)
    slots, before, room = slots_of(sentences.ids, sentences.offsets, longest, forgotten)
    known: dict[int, int] = {}
    times_full = 0
    for sentence, words in enumerate(told):
        full = len(known) + len(words) > room
        times_full += full and not forgotten[sentence]
        if full or forgotten[sentence]:
            known = {}
        assert before[sentence] == len(known)
        for word in words:
            known.setdefault(word, len(known))
        start, stop = sentences.offsets[sentence : sentence + 2]
        assert slots[start:stop].tolist() == [known[word] for word in words]
    assert times_full > 1
