"""Vectors trained on text, the same for the same seed, and written for every reader."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from abcnn.errors import InputError
from abcnn.text.vectors import WordVectors, read_vectors
from abcnn.text.word2vec import train_vectors, write_vectors


def sentences(count=200):
    """Two sets of words that never meet: a0 to a39 and b0 to b39."""
    generator = np.random.default_rng(0)
    return [[f"{'ab'[i % 2]}{n}" for n in generator.integers(0, 40, 10)] for i in range(count)]


def test_words_that_meet_are_alike():
    vectors = train_vectors(sentences(2000), dim=20, seed=1)
    assert set(vectors.words) == {f"{topic}{n}" for topic in "ab" for n in range(40)}
    assert vectors.matrix.shape == (80, 20)
    assert vectors.matrix.dtype == np.float32
    unit = vectors.matrix / np.linalg.norm(vectors.matrix, axis=1, keepdims=True)
    topics = np.array([word[0] for word in vectors.words])
    similarity = unit @ unit.T
    same = topics[:, None] == topics
    assert similarity[same].mean() > similarity[~same].mean() + 0.3


def test_most_frequent_first_and_rare_words_left_out():
    text = [["b", "a", "b"], ["b", "a", "c"]]
    assert train_vectors(text, dim=3, epochs=1).words == ("b", "a", "c")
    assert train_vectors(text, dim=3, epochs=1, min_count=2).words == ("b", "a")


def test_no_token_of_a_long_sentence_is_lost():
    text = [[f"w{number}" for number in range(25_000)]]
    assert len(train_vectors(text, dim=2, epochs=1)) == 25_000


def test_text_that_gives_no_vectors():
    with pytest.raises(InputError, match="no word that occurs 1 times or more"):
        train_vectors([[], []])
    with pytest.raises(InputError, match="no word that occurs 3 times"):
        train_vectors([["a", "b"]], min_count=3)
    with pytest.raises(InputError, match="readable again"):
        train_vectors(iter([["a"]]))


PRINT = """
import sys
from abcnn.text.word2vec import train_vectors
from tests.text.test_word2vec import sentences
vectors = train_vectors(sentences(), dim=8, epochs=3, seed=int(sys.argv[1]))
print(vectors.words, vectors.matrix.tobytes().hex())
"""


def test_the_seed_decides_and_the_hash_seed_does_not():
    def trained(seed, hash_seed):
        return subprocess.run(
            [sys.executable, "-c", PRINT, str(seed)],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    first = trained(5, "1")
    assert first == trained(5, "2")
    assert first != trained(6, "1")


WORDS = ("the", "naïve", "日本", "a\u0085b", "\u00a0x", "1.5")
VECTORS = WordVectors(
    WORDS,
    # From the smallest to nearly the largest float32.
    np.array([[1e-45, 0.1], [3.4e38, -1 / 3], [0, -0.0], [1, 2], [3, 4], [16777217, 5]], "f4"),
    "test",
)


@pytest.mark.parametrize("name", ["v.bin", "v.txt", "v.vec", "v"])
def test_written_vectors_are_read_back(tmp_path, name):
    from gensim.models import KeyedVectors

    path = tmp_path / name
    path.write_text("an older file")
    write_vectors(VECTORS, path)
    back = read_vectors(path, ["the"])
    assert back.words == WORDS
    assert back.matrix.tobytes() == VECTORS.matrix.tobytes()
    gensim = KeyedVectors.load_word2vec_format(str(path), binary=name.endswith(".bin"))
    assert tuple(gensim.index_to_key) == WORDS
    assert gensim.vectors.tobytes() == VECTORS.matrix.tobytes()
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_vectors_that_cannot_be_written(tmp_path):
    with pytest.raises(InputError, match=r"none/v.bin: .*does not exist"):
        write_vectors(VECTORS, tmp_path / "none" / "v.bin")
    for word in ("a b", "a\nb", ""):
        bad = WordVectors((word,), np.ones((1, 2), np.float32), "test")
        with pytest.raises(InputError, match="must hold no space or line feed"):
            write_vectors(bad, tmp_path / "v.bin")
    assert not list(tmp_path.iterdir())
