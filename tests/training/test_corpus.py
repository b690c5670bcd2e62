"""Training pairs as a corpus of numbers: the same in memory and in files, whole or in chunks."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abcnn.errors import InputError
from abcnn.features.words import WordStatistics
from abcnn.pairs import PairBatch
from abcnn.tasks import TASKS
from abcnn.text.tokenizer import Tokenizer
from abcnn.training import corpus as corpus_module
from abcnn.training.arrays import ArrayStore
from abcnn.training.corpus import Corpus, read_corpus
from abcnn.training.options import TrainingOptions
from abcnn.training.prepare import encode_labelled, prepare

TOKENIZER = Tokenizer("whitespace")
sentences = st.lists(st.sampled_from(["a", "A", "b", "the", "Éa"]), max_size=4).map(" ".join)
pairs = st.lists(
    st.tuples(sentences, sentences, st.sampled_from("xyz"), st.sampled_from("pq")),
    min_size=1,
    max_size=12,
)


def batch_of(rows: list[tuple[str, str, str, str]]) -> PairBatch:
    left, right, labels, groups = zip(*rows, strict=True)
    return PairBatch(left, right, labels=labels, groups=groups, source="pairs.csv")


def corpus_of(batch: PairBatch, chunk: int = 100) -> Corpus:
    parts = [batch.select(range(len(batch))[at : at + chunk]) for at in range(0, len(batch), chunk)]
    return read_corpus(parts, TOKENIZER, ArrayStore())


@settings(max_examples=60, deadline=None)
@given(pairs, st.integers(1, 5))
def test_what_is_asked_of_it_is_what_loops_over_the_text_give(rows, chunk):
    batch = batch_of(rows)
    corpus = corpus_of(batch, chunk)
    different = dict.fromkeys((*batch.left, *batch.right))
    assert list(corpus.sentences()) == [text.split() for text in different]
    assert len(corpus.sentences()) == len(different)
    words = Counter(word for text in different for word in text.split())
    assert corpus.counts() == words
    assert corpus.statistics() == WordStatistics.of([text.split() for text in different])
    ((left, right),) = corpus.chunks()
    assert left == [text.split() for text in batch.left]
    assert right == [text.split() for text in batch.right]
    assert batch.labels is not None
    assert [corpus.label_names[label] for label in corpus.labels] == list(batch.labels)
    numbers: dict[str, int] = {}
    assert corpus.groups.tolist() == [
        numbers.setdefault(group, len(numbers)) for group in batch.ranking_groups
    ]


def test_encoded_in_chunks_as_the_scorer_encodes_it(monkeypatch, tmp_path):
    """Also with sentences cut, in files, and in chunks of the corpus of two pairs each."""
    monkeypatch.setattr(corpus_module, "CHUNK", 2)
    monkeypatch.setattr("abcnn.training.prepare.CHUNK", 2)
    rows = [
        ("a b c d e f", "the a", "x", "p"),
        ("b", "A b Éa the a", "y", "q"),
        ("a b c d e f", "unknown words", "y", "p"),
        ("the", "a a a", "x", "q"),
        ("Éa", "b the c", "x", "p"),
    ]
    task = TASKS["paraphrase"]
    options = TrainingOptions(dim=3, max_length=4, tokenizer="whitespace").for_task(task)
    here, there = batch_of(rows), ArrayStore(tmp_path)
    prepared = [
        prepare(here, task, options, None),
        prepare(read_corpus([here], TOKENIZER, there), task, options, None, store=there),
    ]
    expected = encode_labelled(here, prepared[0].labels, prepared[0].encoder)
    assert expected.truncated == 3
    for one in prepared:
        assert one.pairs.truncated == 3
        np.testing.assert_array_equal(one.vectors, prepared[0].vectors)
        for side in ("left", "right"):
            for name in ("ids", "offsets"):
                np.testing.assert_array_equal(
                    getattr(getattr(one.pairs, side), name),
                    getattr(getattr(expected, side), name),
                )
        for name in ("features", "labels", "groups"):
            np.testing.assert_array_equal(getattr(one.pairs, name), getattr(expected, name))
    assert isinstance(prepared[1].pairs.left.ids, np.memmap)


def test_a_candidate_that_stands_twice_in_a_question_is_named_by_its_rows():
    batch = replace(
        batch_of([("a", "b", "x", "p"), ("a", "c", "y", "q"), ("a", "d", "x", "p")]),
        candidate_ids=("1", "1", "1"),
        rows=(4, 5, 9),
    )
    read_corpus([batch.select([0, 1])], TOKENIZER, ArrayStore(), unique_candidates=True)
    parts = [batch.select([0, 1]), batch.select([2])]
    with pytest.raises(InputError, match=r"^pairs.csv, row 9: a candidate's id .* of row 4 again"):
        read_corpus(parts, TOKENIZER, ArrayStore(), unique_candidates=True)


def test_a_disk_that_cannot_take_it(tmp_path):
    with pytest.raises(InputError, match=r"nowhere/left.bin: cannot be written"):
        ArrayStore(tmp_path / "nowhere").new("left", "int32")
