"""Words to ids and back, and the file of words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abcnn.errors import InputError
from abcnn.text.vocabulary import OOV, PAD, Vocabulary, with_lower_case

ODD = (
    "a\u2028b",
    "\u0085",
    "\u00a0",
    "\r",
    " x ",
    "\x0b\x1c",
    "'",
    '"',
    "👩‍🚀",
    "\ud800",
    "é",
    "É",
)


def test_ids():
    vocabulary = Vocabulary(("the", "cat", "Paris"))
    assert (PAD, OOV) == (0, 1)
    assert len(vocabulary) == 5
    assert [vocabulary.lookup(word) for word in ("the", "cat", "Paris")] == [2, 3, 4]


def test_lookup_is_cased_then_lower_cased():
    vocabulary = Vocabulary(("us", "US", "Paris"))
    tokens = ["US", "us", "Us", "Paris", "paris", "PARIS", "dog"]
    # "paris" is not "Paris": only the token is lower-cased.
    assert vocabulary.encode(tokens).tolist() == [3, 2, 2, 4, OOV, OOV, OOV]
    assert [vocabulary.lookup(token) for token in tokens] == [3, 2, 2, 4, OOV, OOV, OOV]
    assert "Us" in vocabulary
    assert "paris" not in vocabulary


def test_encode_gives_int32():
    for tokens in ([], ["a"]):
        ids = Vocabulary(("a",)).encode(tokens)
        assert ids.dtype == np.int32
        assert ids.shape == (len(tokens),)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("a", "b", "a"), "must differ. Received twice: 'a'"),
        (("a", ""), "one line of text. Received: ''"),
        (("a\nb",), r"one line of text. Received: 'a\\nb'"),
    ],
)
def test_words_that_are_no_vocabulary(words, message):
    with pytest.raises(InputError, match=message):
        Vocabulary(words)


WORD = st.text(min_size=1, max_size=5).filter(lambda word: "\n" not in word)


@given(words=st.lists(WORD, unique=True, max_size=20))
def test_saved_and_loaded_words_are_the_same(tmp_path_factory, words):
    path = tmp_path_factory.mktemp("vocabulary") / "vocabulary.txt"
    for vocabulary in (Vocabulary(tuple(words)), Vocabulary(ODD)):
        vocabulary.save(path)
        assert Vocabulary.load(path) == vocabulary
        assert path.read_bytes().count(b"\n") == len(vocabulary.words)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "No such file"),
        (b"a\nb", "must end with a line feed. Received: 'b'"),
        (b"a\n\xff\n", "must be UTF-8. Received: invalid start byte at byte 2"),
        (b"a\n\nb\n", "one line of text. Received: ''"),
        (b"a\nb\na\n", "Received twice: 'a'"),
    ],
)
def test_files_that_are_no_vocabulary(tmp_path, content, message):
    path = tmp_path / "vocabulary.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=rf"^{path}: .*{message}"):
        Vocabulary.load(path)


def test_with_lower_case():
    assert with_lower_case(["The", "the", "US"]) == {"The", "the", "US", "us"}
