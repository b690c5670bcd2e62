"""The fast encoder against the plain one: the same ids, the same features."""

import copy
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abcnn.features.encoder import PairEncoder
from abcnn.features.lexical import LEXICAL
from abcnn.features.pair_features import PairFeatures
from abcnn.runtime import FastEncoder, encodable
from abcnn.runtime.counting import BIGRAMS, CHARACTERS, COUNTED, SUBSEQUENCES
from abcnn.text.tokenizer import Tokenizer
from abcnn.text.vocabulary import EMPTY, Vocabulary
from tests.text.test_tokenizer import TEXTS

WORDS = ("the", "ferry", "Nobody", "not", "n't", "moved", "do", "J.", "5", "it", "C", "é", ".", ",")
# Letters and one mark: the mark is cut off before the tokeniser sees it, but behind what may be an
# abbreviation.
MARKED = ("ferries,", "moved)", "ferries.", "cannot.", "gotta;", "prof.", "Capt.", "mr.", "n,")
SENTENCES = st.lists(
    st.sampled_from((*WORDS, *MARKED, "don't", "it.", "C.", "\x00", "FERRY")), max_size=12
)
TEXT = SENTENCES.map(" ".join) | TEXTS
PAIRS = st.lists(st.tuples(TEXT, TEXT), max_size=8)


def encoder_of(
    kind: str = "word", lowercase: bool = False, names=tuple(LEXICAL), *, rests: bool = False
) -> PairEncoder:
    tokenizer = Tokenizer(kind, lowercase)
    train = [["the", "ferry", "moved"], ["nobody", "moved", "it", "."], ["not", "the", "ferry"]]
    features = PairFeatures.fit(names, train, train[1:] + train[:1])
    return PairEncoder(tokenizer, Vocabulary((*WORDS, EMPTY)), features, 7, rests)


ENCODERS = [
    encoder_of(kind, lower, rests=True)
    for kind in ("word", "whitespace")
    for lower in (False, True)
]
# They remember from one example to the next, as they do from chunk to chunk of a table.
FAST = [FastEncoder(encoder) for encoder in ENCODERS]


def test_every_feature_of_text_alone_is_known():
    assert {*COUNTED, *BIGRAMS, *SUBSEQUENCES, *CHARACTERS} == {*LEXICAL}


@settings(max_examples=400, deadline=None)
@given(PAIRS, st.integers(0, len(ENCODERS) - 1))
def test_ids_and_features_are_those_of_the_plain_encoder(pairs, number):
    left, right = [one for one, _ in pairs], [other for _, other in pairs]
    expected, actual = ENCODERS[number](left, right), FAST[number](left, right)
    assert len(actual.rests) == len(expected.rests) == 2
    for one, other in (
        (actual.left, expected.left),
        (actual.right, expected.right),
        *zip(actual.rests, expected.rests, strict=True),
    ):
        np.testing.assert_array_equal(one.ids, other.ids, strict=True)
        np.testing.assert_array_equal(one.offsets, other.offsets, strict=True)
    assert actual.truncated == expected.truncated
    np.testing.assert_allclose(actual.features, expected.features, rtol=1e-6, atol=1e-6)
    assert (actual.features.dtype, len(actual)) == (np.float32, len(pairs))


FEW = st.lists(st.sampled_from(("the", "ferry", "5", "it")), max_size=200).map(" ".join)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(FEW, FEW), max_size=4))
def test_features_of_long_sentences_of_few_words(pairs):
    """Longer than a machine word has bits, and the same words over and over."""
    left, right = [one for one, _ in pairs], [other for _, other in pairs]
    expected, actual = ENCODERS[0](left, right), FAST[0](left, right)
    np.testing.assert_allclose(actual.features, expected.features, rtol=1e-6, atol=1e-6)


def test_what_it_does_not_know_is_told():
    assert encodable(encoder_of())
    assert not encodable(encoder_of("character"))
    assert not encodable(encoder_of(names=("left_length", "left_bleu_1")))


def test_it_forgets_before_it_grows_without_end(monkeypatch):
    monkeypatch.setattr("abcnn.runtime.encoding._MOST_CHUNKS", 3)
    encoder = encoder_of()
    fast = FastEncoder(encoder)
    for text in ("the ferry moved it .", "nobody", "the ferry", ""):
        expected, actual = encoder([text], ["moved"]), fast([text], ["moved"])
        np.testing.assert_array_equal(actual.left.ids, expected.left.ids)
        np.testing.assert_allclose(actual.features, expected.features, rtol=1e-6)


def test_words_that_are_half_learnt_are_forgotten(monkeypatch):
    """After Ctrl-C within a notebook the next call is right."""
    encoder = encoder_of()
    fast = FastEncoder(encoder)
    fast(["the ferry"], ["nobody moved"])

    def interrupted(tokens):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("abcnn.runtime.chunks.Tokens.learn", interrupted)
        with pytest.raises(KeyboardInterrupt):
            fast(["the 5 ferries moved ."], ["not new"])
    for text in ("the 5 ferries moved .", "not new"):
        expected, actual = encoder([text], ["5 new"]), fast([text], ["5 new"])
        np.testing.assert_array_equal(actual.left.ids, expected.left.ids)
        np.testing.assert_allclose(actual.features, expected.features, rtol=1e-6)


def test_threads_take_turns_and_copies_start_anew():
    encoder = encoder_of()
    fast = copy.deepcopy(FastEncoder(encoder))
    tables = [[f"the ferry {part} {row % 40}." for row in range(300)] for part in range(8)]
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda texts: fast(texts, texts[::-1]), tables))
    for texts, actual in zip(tables, results, strict=True):
        expected = encoder(texts, texts[::-1])
        np.testing.assert_array_equal(actual.right.ids, expected.right.ids)
        np.testing.assert_allclose(actual.features, expected.features, rtol=1e-6, atol=1e-6)


def test_many_chunks_and_long_ones():
    """More than there is room for at first, several times over."""
    encoder = encoder_of("whitespace")
    texts = [" ".join(f"w{word}" for word in range(at, at + 90)) for at in range(0, 6_000, 60)]
    texts += ["x" * 50_000, "the " * 9_000, " ".join(map(chr, range(0x4E00, 0x5E00)))]
    fast = FastEncoder(encoder)
    for some in (texts, texts[::-1]):
        expected, actual = encoder(some, some[::-1]), fast(some, some[::-1])
        np.testing.assert_array_equal(actual.right.ids, expected.right.ids)
        np.testing.assert_allclose(actual.features, expected.features, rtol=1e-6, atol=1e-6)


def test_chunks_with_the_same_hash_are_different_words():
    letters = np.random.default_rng(0).integers(97, 123, (400_000, 8), dtype=np.uint8)
    hashed = np.full(len(letters), 0xCBF29CE484222325, np.uint64)
    for column in letters.T:
        hashed = (hashed ^ column) * np.uint64(0x100000001B3)
    keys = (hashed ^ (hashed >> np.uint64(32))).astype(np.uint32)
    order = np.argsort(keys, kind="stable")
    same = np.flatnonzero(np.diff(keys[order]) == 0)
    pairs = [[letters[order[at + side]].tobytes().decode() for side in (0, 1)] for at in same]
    pairs = [pair for pair in pairs if len({*pair}) == 2]
    assert pairs
    for pair in pairs:
        encoder = PairEncoder(
            Tokenizer(), Vocabulary(tuple(pair)), PairFeatures.fit(LEXICAL, [pair], [pair]), 7
        )
        np.testing.assert_array_equal(FastEncoder(encoder)(pair, pair[::-1]).left.ids, [2, 3])


@pytest.mark.parametrize("texts", [[], [""], ["", "\x00"]])
def test_nothing_at_all(texts):
    encoded = FastEncoder(encoder_of())(texts, texts)
    assert (len(encoded), encoded.left.ids.size, encoded.features.shape) == (
        len(texts),
        0,
        (len(texts), len(LEXICAL)),
    )
