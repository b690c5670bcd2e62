"""Several sets of vectors: a token's row is what each set alone knows of it, side by side."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abcnn.errors import InputError
from abcnn.text.vector_sets import outweighing, read_vector_sets, side_by_side, vector_files
from abcnn.text.vectors import WordVectors
from abcnn.text.vocabulary import FIRST_WORD, OOV, Vocabulary

WORDS = ["a", "A", "the", "The", "THE", "Paris", "paris", "7", "n't", "Ä", "ä"]


def test_side_by_side_by_hand():
    """`Paris` is looked up lower-cased in the second set; what a set lacks is 0."""
    first = WordVectors(("the", "Paris"), np.array([[1, 2, 3], [4, 5, 6]], np.float32), "one", 1)
    second = WordVectors(("a", "the", "paris"), np.array([[7, 7], [8, 8], [9, 9]], np.float32), "b")
    joined = side_by_side([first, second])
    assert joined.words == ("the", "Paris", "a", "paris")
    np.testing.assert_array_equal(
        joined.matrix, [[1, 2, 3, 8, 8], [4, 5, 6, 9, 9], [0, 0, 0, 7, 7], [0, 0, 0, 9, 9]]
    )
    assert joined.matrix.dtype == np.float32
    assert (joined.source, joined.skipped, joined.dim) == ("one, b", 1, 5)
    assert side_by_side([first]) is first


def test_a_set_that_outweighs_the_others_is_told():
    short = WordVectors(("a", "b", "c"), np.array([[3, 4], [0, 5], [0, 0]], np.float32), "short")
    long = WordVectors(("a", "b"), np.array([[30.0], [12.0]], np.float32), "long")
    assert outweighing([short, long]) == (
        "vectors: those of long are 4.2 times as long as those of short and count for more; "
        "--normalize-vectors unit makes all alike"
    )
    alike = WordVectors(("a",), np.array([[19.0]], np.float32), "alike")
    nothing = WordVectors(("a",), np.zeros((1, 2), np.float32), "nothing")
    assert outweighing([short, nothing, long]) == outweighing([short, long])
    for sets in ([short, alike], [long], [nothing, nothing], []):
        assert outweighing(sets) is None


@given(st.lists(st.lists(st.sampled_from(WORDS), unique=True, min_size=1), min_size=2, max_size=3))
def test_a_token_s_row_is_what_each_set_alone_says_of_it(all_words):
    sets = [
        WordVectors(tuple(words), np.full((len(words), dim), 0, np.float32), f"set {dim}")
        for dim, words in enumerate(all_words, start=1)
    ]
    for number, one in enumerate(sets, start=1):
        one.matrix[:] = 100 * number + np.arange(1, len(one) + 1)[:, None]
    joined = side_by_side(sets)
    vocabulary, alone = Vocabulary(joined.words), [Vocabulary(one.words) for one in sets]
    for token in WORDS:
        found = vocabulary.lookup(token)
        rows = [known.lookup(token) for known in alone]
        assert (found == OOV) == (set(rows) == {OOV})
        if found != OOV:
            expected = [
                np.zeros(one.dim) if row == OOV else one.matrix[row - FIRST_WORD]
                for one, row in zip(sets, rows, strict=True)
            ]
            np.testing.assert_array_equal(
                joined.matrix[found - FIRST_WORD], np.concatenate(expected)
            )


def test_every_file_tells_what_it_has_of_the_first_one_s_words(tmp_path):
    """`dog` is no wanted word, but a frequent one of the first file: the second file's is kept too,
    and its own frequent words are not."""
    (tmp_path / "a.txt").write_text("dog 1 1\nCat 2 2\nemu 3 3\n")
    (tmp_path / "b.txt").write_text("yak 9\ncat 8\ndog 7\nthe 6\n")
    files = vector_files([str(tmp_path / "a.txt"), tmp_path / "b.txt"])
    first, second = read_vector_sets(files, {"Cat", "cat", "the"}, most_frequent=1)
    assert first.words == ("dog", "Cat")
    assert second.words == ("cat", "dog", "the")
    with pytest.raises(InputError, match=r"c\.txt: No such file"):
        read_vector_sets([*files, tmp_path / "c.txt"], {"Cat", "cat"})


def test_files_are_one_or_several_or_none(tmp_path):
    assert vector_files(None) == vector_files(()) == ()
    assert vector_files("a.txt") == vector_files(["a.txt"])
    assert [file.name for file in vector_files(("a.txt", tmp_path / "b"))] == ["a.txt", "b"]
