"""Coverage by hand, and the rows of the embedding matrix."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from abcnn.text.lexicon import build_vocabulary, coverage, most_frequent, partly_trained
from abcnn.text.vectors import WordVectors, read_vectors
from abcnn.text.vocabulary import EMPTY, FIRST_WORD, OOV, PAD, Vocabulary, with_lower_case

COUNTS = Counter({"the": 5, "The": 2, "Paris": 1, "zyx": 3, "ZYX": 1, "abc": 3})
VECTORS = WordVectors(("the", "Paris", "of"), np.arange(6, dtype=np.float32).reshape(3, 2), "test")


def test_coverage():
    # the, The (lower-cased), Paris of six words; 8 of 15 tokens.
    for words in (VECTORS.words, set(VECTORS.words), Vocabulary(VECTORS.words)):
        covered = coverage(COUNTS, words)
        assert (covered.types, covered.types_found) == (6, 3)
        assert (covered.tokens, covered.tokens_found) == (15, 8)
        assert str(covered) == "coverage: 50.0% of 6 types, 53.3% of 15 tokens"


def test_coverage_of_no_text():
    assert str(coverage(Counter(), {"a"})) == "coverage: 0.0% of 0 types, 0.0% of 0 tokens"


def test_coverage_of_many_words():
    many = Counter({f"word{number}": 20 for number in range(12_345)})
    assert str(coverage(many, {"word1"})).endswith("0.0% of 12,345 types, 0.0% of 246,900 tokens")


def test_unknown_words_share_one_row():
    lexicon = build_vocabulary(COUNTS, VECTORS, np.random.default_rng(7))
    vocabulary, matrix = lexicon.vocabulary, lexicon.matrix
    assert vocabulary.words == ("the", "Paris", "of")
    assert matrix.dtype == np.float32
    assert matrix.shape == (len(vocabulary), 2)
    assert not matrix[PAD].any()
    np.testing.assert_array_equal(
        matrix[OOV], np.random.default_rng(7).uniform(-0.01, 0.01, 2).astype(np.float32)
    )
    np.testing.assert_array_equal(matrix[2:], VECTORS.matrix)
    assert vocabulary.encode(["The", "zyx", "abc", "of"]).tolist() == [2, OOV, OOV, 4]


def test_unknown_words_with_rows_of_their_own():
    lexicon = build_vocabulary(COUNTS, VECTORS, np.random.default_rng(7), own_rows=len(COUNTS))
    # By count, then by name; "The" has the vector of "the".
    assert lexicon.vocabulary.words == ("the", "Paris", "of", "abc", "zyx", "ZYX")
    own = lexicon.matrix[5:]
    assert own.shape == (3, 2)
    assert (np.abs(own) <= 0.01).all()
    assert len(np.unique(lexicon.matrix, axis=0)) == len(lexicon.vocabulary)


def test_of_some_words_those_without_a_vector_have_rows_which_are_trained():
    for count, unknown in ((0, ()), (2, ("abc",)), (len(COUNTS), ("abc", "zyx", "ZYX"))):
        lexicon = build_vocabulary(
            COUNTS, VECTORS, np.random.default_rng(7), own_rows=count, with_empty=True
        )
        assert lexicon.vocabulary.words == ("the", "Paris", "of", *unknown, EMPTY)
        trained = partly_trained(lexicon, COUNTS, 0)
        assert trained.tolist() == [False, True, False, False, False, *[True] * (len(unknown) + 1)]


def test_the_word_for_an_empty_sentence_changes_no_other_row():
    for own_rows in (0, len(COUNTS)):
        plain, more = (
            build_vocabulary(
                COUNTS,
                VECTORS,
                np.random.default_rng(7),
                own_rows=own_rows,
                with_empty=with_empty,
            )
            for with_empty in (False, True)
        )
        assert more.vocabulary.words == (*plain.vocabulary.words, EMPTY)
        np.testing.assert_array_equal(more.matrix[:-1], plain.matrix)
        assert 0 < np.abs(more.matrix[-1]).max() <= 0.01
    given = WordVectors((*VECTORS.words, EMPTY), np.ones((4, 2), np.float32), "test")
    lexicon = build_vocabulary(COUNTS, given, np.random.default_rng(7), with_empty=True)
    assert lexicon.vocabulary.words == given.words


@pytest.mark.corpora
@pytest.mark.parametrize(
    ("corpus", "file", "types", "tokens"),
    [
        # Shares of another, PTB-like tokenisation of the raw and the released tokenised WikiQA.
        ("wikiqa", "glove.6B.50d.subset.bin", 0.886, 0.993),
        ("wikiqa", "glove.6B.100d.wink.subset.bin", 0.830, 0.941),
        ("wikiqa", "spacy_en_core_web_md_300d.subset.bin.gz", 0.855, 0.986),
        ("sick", "glove.6B.50d.subset.bin", 0.991, 0.999),
        ("sick", "glove.6B.100d.wink.subset.bin", 0.989, 0.855),
    ],
)
def test_coverage_of_the_corpora(corpora, corpus, file, types, tokens):
    from abcnn.text.tokenizer import Tokenizer

    files, columns = {
        "wikiqa": (["WikiQA-train.tsv", "WikiQA-dev.tsv", "WikiQA-test.tsv"], (1, 5)),
        "sick": (["SICK_train.txt", "SICK_trial.txt", "SICK_test_annotated.txt"], (1, 2)),
    }[corpus]
    tokenizer, counts = Tokenizer("word", lowercase="spacy" not in file), Counter()
    for name in files:
        lines = (corpora / corpus / name).read_text(encoding="utf-8").split("\n")[1:]
        for row in (line.split("\t") for line in lines if line):
            for column in columns:
                counts.update(tokenizer(row[column]))
    vectors = read_vectors(corpora / "vectors" / file, with_lower_case(counts))
    covered = coverage(counts, vectors.words)
    print(corpus, file, covered)
    assert covered.types_found / covered.types == pytest.approx(types, abs=0.04)
    assert covered.tokens_found / covered.tokens == pytest.approx(tokens, abs=0.015)


def test_the_most_frequent_words_of_a_text():
    vocabulary = Vocabulary(("the", "ox", "Run", "unseen", "cat"))
    counts = Counter({"The": 3, "the": 2, "cat": 4, "ox": 4, "Run": 1, "lost": 99})
    for words, expected in (
        (1, {"the"}),
        (2, {"the", "ox"}),
        (3, {"the", "ox", "cat"}),
        (99, {"the", "ox", "cat", "Run"}),
    ):
        chosen = most_frequent(counts, vocabulary, words)
        assert chosen.shape == (len(vocabulary),)
        assert not chosen[:FIRST_WORD].any()
        places = np.flatnonzero(chosen) - FIRST_WORD
        assert {vocabulary.words[place] for place in places} == expected
