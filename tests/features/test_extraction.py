"""The same numbers in one process, in several, and from disk."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest

from abcnn.errors import InputError
from abcnn.features.cache import FeatureCache, digest_of_pairs
from abcnn.features.catalogue import FEATURES
from abcnn.features.extraction import PART, Extraction, _Pairs
from abcnn.features.words import WordStatistics

pytest.importorskip("sacrebleu")

NAMES = ("left_bleu_2", "word_count", "right_rouge_l", "left_length")
WORDS = [f"w{number}" for number in range(30)]
STATISTICS = WordStatistics({}, 1.0, frozenset())


def pairs(count: int, seed: int = 0) -> tuple[list[list[str]], list[list[str]]]:
    generator = np.random.default_rng(seed)

    def sentence() -> list[str]:
        return generator.choice(WORDS, generator.integers(0, 12)).tolist()

    questions = [sentence() for _ in range(5)]
    return [questions[row % 5] for row in range(count)], [sentence() for _ in range(count)]


def extract(left, right, **options):
    return Extraction(**options)(NAMES, left, right, STATISTICS)


def test_processes_change_nothing():
    left, right = pairs(2 * PART + 3)
    alone = extract(left, right)
    assert alone.shape == (2 * PART + 3, 4)
    assert alone.dtype == np.float64
    np.testing.assert_array_equal(alone, extract(left, right, workers=2))
    np.testing.assert_array_equal(alone[7:9], extract(left[7:9], right[7:9], workers=2))


def test_a_process_knows_what_costly_features_look_at(wordnet):
    """Stop words and the WordNet go with the pairs; the IDF, which is large, does not."""
    words = ["the", "dog", "cat", "animal", "hound"]
    left = [[words[row % 5], words[row % 3]] for row in range(PART + 3)]
    right = [[words[row % 4], words[row % 2 + 3]] for row in range(PART + 3)]
    known = WordStatistics({"dog": 2.0}, 1.0, frozenset({"hound"}), wordnet=wordnet)
    costly = [name for name, feature in FEATURES.items() if feature.costly]
    whole = _Pairs(left, right, known)
    parts = [copy.deepcopy(part).features(costly) for part in whole.parts()]
    values = whole.features(costly)
    np.testing.assert_array_equal(np.concatenate(parts), values)
    without = replace(known, stopwords=frozenset())
    assert (_Pairs(left, right, without).features(costly) != values).any()


def test_columns_stand_in_the_order_of_the_names():
    left, right = pairs(9)
    values = extract(left, right)
    np.testing.assert_array_equal(values[:, 3], [len(tokens) for tokens in left])
    for column, name in enumerate(NAMES):
        np.testing.assert_array_equal(
            values[:, [column]], Extraction()((name,), left, right, STATISTICS)
        )


def test_no_pairs_and_no_features():
    assert extract([], [], workers=2).shape == (0, 4)
    assert Extraction()((), *pairs(3), STATISTICS).shape == (3, 0)


def test_the_disk_gives_back_what_was_computed(tmp_path):
    cache = FeatureCache(tmp_path / "features")
    left, right = pairs(20)
    first = extract(left, right, cache=cache)
    files = sorted(cache.folder.iterdir())
    assert len(files) == 2  # costly ones only
    np.testing.assert_array_equal(first, extract(left, right))
    np.testing.assert_array_equal(first, extract(left, right, cache=cache))
    # It is read: what stands there is what comes.
    changed = {file: np.load(file) + 1 for file in files}
    for file, column in changed.items():
        np.save(file, column)
    again = extract(left, right, cache=cache)
    np.testing.assert_array_equal(again - first, [[1, 0, 1, 0]] * 20)


@pytest.mark.parametrize("damage", [b"", b"\x93NUMPY", b"no numbers", None])
def test_a_damaged_or_foreign_file_is_computed_anew(tmp_path, damage):
    cache = FeatureCache(tmp_path)
    left, right = pairs(20)
    first = extract(left, right, cache=cache)
    for file in tmp_path.iterdir():
        if damage is None:
            np.save(file, np.zeros(3))
        else:
            file.write_bytes(damage)
    np.testing.assert_array_equal(first, extract(left, right, cache=cache))
    np.testing.assert_array_equal(first, extract(left, right, cache=cache))


def test_other_words_pairs_or_versions_have_places_of_their_own(tmp_path, monkeypatch):
    from abcnn.features import cache as module

    cache = FeatureCache(tmp_path)
    texts = [
        ([["a", "b"]], [["c"]]),
        ([["a"]], [["b", "c"]]),
        ([["a", "b c"]], [[]]),
        ([["a"], ["b"]], [["c"], []]),
        ([["c"]], [["a", "b"]]),
    ]
    digests = [digest_of_pairs(*text) for text in texts]
    assert len(set(digests)) == len(texts)
    assert digest_of_pairs([["A", "b"]], [["C"]]) == digests[0]
    places = {
        cache.place(name, digest, WordStatistics({}, 1.0, stopwords, wordnet=wordnet))
        for digest in digests
        for name in ("left_bleu_1", "left_bleu_2", "left_meteor", "synonyms")
        for wordnet in ("tiny:1", "tiny:2")
        for stopwords in (frozenset(), frozenset({"a"}))
    }
    # BLEU knows no WordNet, and synonyms alone know stop words.
    assert len(places) == len(texts) * (2 + 2 + 4)
    before = cache.place("left_bleu_1", digests[0], STATISTICS)
    monkeypatch.setattr(module, "version", lambda package: f"another {package}")
    assert cache.place("left_bleu_1", digests[0], STATISTICS) != before


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="file/cache: cannot be written"):
        extract(*pairs(3), cache=FeatureCache(tmp_path / "file" / "cache"))
