"""From labelled pairs to numbers: labels, vectors and features from the training text alone."""

from dataclasses import replace

import numpy as np
import pytest

from abcnn.errors import InputError
from abcnn.pairs import PairBatch
from abcnn.tasks import TASKS
from abcnn.text.vocabulary import EMPTY, FIRST_WORD, OOV, PAD
from abcnn.training.arrays import ArrayStore
from abcnn.training.options import TrainingOptions
from abcnn.training.prepare import encode_labelled, prepare, task_labels

PARAPHRASE = TASKS["paraphrase"]
OPTIONS = TrainingOptions(dim=3, max_length=4, features=("left_length", "right_length"))
PAIRS = PairBatch(
    left=("A man sleeps .", "A man runs", "A Man runs"),
    right=("He sleeps", "A man does not run away", "A dog"),
    labels=("1", "0", "0"),
    groups=("q2", "q1", "q2"),
    source="pairs.csv",
)


@pytest.fixture
def vectors(tmp_path):
    """Two words that are in the training text, one that is not, and one in another case."""
    path = tmp_path / "vectors.txt"
    path.write_text("unseen 9 9 9\nman 1 2 3\nruns 4 5 6\nhe 7 8 9\n")
    return path


def test_vectors_of_training_words_and_of_the_file_s_first(vectors):
    options = replace(OPTIONS, frequent_words=1).for_task(PARAPHRASE)
    told: list[str] = []
    prepared = prepare(PAIRS, PARAPHRASE, options, vectors, on_message=told.append)
    assert prepared.encoder.vocabulary.words == ("unseen", "man", "runs", "he")
    np.testing.assert_array_equal(prepared.vectors[FIRST_WORD + 1], [1, 2, 3])
    assert not prepared.vectors[PAD].any()
    assert (np.abs(prepared.vectors[OOV]) <= 0.01).all()
    assert told[0] == "labels, in this order: 0, 1"
    assert "4 words of 3 dimensions kept from" in told[1]
    # Of the types A man sleeps . runs Man He does not run away dog: man runs Man He.
    assert "33.3% of 12 types" in told[2]
    assert "1 of 6 training sentences are longer than 4 tokens" in told[3]
    assert prepared.notes == {"vectors": told[1], "coverage": told[2]}


def test_normalized_vectors_stand_in_the_table_and_the_rest_is_as_ever(vectors, tmp_path):
    (tmp_path / "more.txt").write_text("a -3 -4\nrun 0 0\n")
    files = [vectors, tmp_path / "more.txt"]
    options = OPTIONS.for_task(PARAPHRASE)
    plain = prepare(PAIRS, PARAPHRASE, options, files)
    unit = prepare(PAIRS, PARAPHRASE, replace(options, normalize_vectors="unit"), files)
    center = prepare(PAIRS, PARAPHRASE, replace(options, normalize_vectors="center"), files)
    words = plain.encoder.vocabulary.words
    assert unit.encoder.vocabulary.words == words
    for prepared in (unit, center):
        np.testing.assert_array_equal(prepared.vectors[:FIRST_WORD], plain.vectors[:FIRST_WORD])
    rows = dict(zip(words, unit.vectors[FIRST_WORD:], strict=True))
    np.testing.assert_allclose(rows["man"], np.array([1, 2, 3, 0, 0]) / 14**0.5, rtol=1e-6)
    np.testing.assert_allclose(rows["a"], [0, 0, 0, -0.6, -0.8], rtol=1e-6)
    assert not rows["run"].any()
    # The mean of the first file is (5.25, 6, 6.75); of the second one's, but for zeros, a itself.
    rows = dict(zip(words, center.vectors[FIRST_WORD:], strict=True))
    left = np.array([1, 2, 3]) - [5.25, 6, 6.75]
    np.testing.assert_allclose(rows["man"][:3], left / np.linalg.norm(left), rtol=1e-6)
    for word in ("man", "a", "run"):
        assert not rows[word][3:].any()
    assert unit.notes["vectors"] == f"{plain.notes['vectors']}; brought to the length 1"
    assert "their mean subtracted" in center.notes["vectors"]


def test_several_sets_of_vectors_lie_side_by_side_and_each_is_told(vectors, tmp_path):
    (tmp_path / "more.txt").write_text("a -1 -2\nrun 5 5\nman -3 -4\n")
    options = replace(OPTIONS, frequent_words=1).for_task(PARAPHRASE)
    prepared = prepare(PAIRS, PARAPHRASE, options, [vectors, tmp_path / "more.txt"])
    assert prepared.encoder.vocabulary.words == ("unseen", "man", "runs", "he", "a", "run")
    np.testing.assert_array_equal(prepared.vectors[FIRST_WORD + 1], [1, 2, 3, -3, -4])
    np.testing.assert_array_equal(prepared.vectors[FIRST_WORD + 4], [0, 0, 0, -1, -2])
    assert prepared.notes["vectors"].endswith("kept from vectors.txt (3) and more.txt (2)")
    # Of 12 types man runs Man He; man Man A run; all of these.
    assert "coverage: 50.0% of 12 types" in prepared.notes["coverage"]
    assert "(of these vectors.txt 33.3% and " in prepared.notes["coverage"]
    assert "; more.txt 33.3% and " in prepared.notes["coverage"]


def test_pairs_in_numbers(vectors):
    prepared = prepare(PAIRS, PARAPHRASE, OPTIONS.for_task(PARAPHRASE), vectors)
    assert prepared.labels == ("0", "1")
    pairs = prepared.pairs
    assert pairs.labels is not None
    assert pairs.groups is not None
    assert pairs.labels.tolist() == [1, 0, 0]
    assert pairs.groups.tolist() == [0, 1, 0]
    man, runs, he = (prepared.encoder.vocabulary.lookup(word) for word in ("man", "runs", "he"))
    np.testing.assert_array_equal(
        pairs.left.ids, [OOV, man, OOV, OOV, OOV, man, runs, OOV, man, runs]
    )
    np.testing.assert_array_equal(pairs.right.ids, [he, OOV, OOV, man, OOV, OOV, OOV, OOV])
    np.testing.assert_allclose(prepared.encoder.features.mean, [10 / 3, 10 / 3])


def test_unknown_words_get_own_rows_when_vectors_are_trained(vectors):
    options = replace(OPTIONS, train_vectors=True).for_task(PARAPHRASE)
    prepared = prepare(PAIRS, PARAPHRASE, options, vectors)
    assert {"A", "sleeps", "dog"} <= set(prepared.encoder.vocabulary.words)
    assert len(np.unique(prepared.vectors, axis=0)) == len(prepared.vectors)


def test_without_vectors_they_come_from_the_training_text_and_the_seed():
    def prepared(seed: int) -> np.ndarray:
        return prepare(PAIRS, PARAPHRASE, replace(OPTIONS, seed=seed), None).vectors

    assert prepared(1).shape == (2 + 12, 3)
    np.testing.assert_array_equal(prepared(1), prepared(1))
    assert (prepared(1) != prepared(2)).any()


def test_balanced_weights_count_every_label_the_same(vectors):
    options = replace(OPTIONS, class_weight="balanced").for_task(PARAPHRASE)
    weights = prepare(PAIRS, PARAPHRASE, options, vectors).label_weights
    np.testing.assert_allclose(weights, [3 / (2 * 2), 3 / (2 * 1)])
    assert prepare(PAIRS, PARAPHRASE, OPTIONS, vectors).label_weights is None


def test_labels_that_cannot_be_learnt_from():
    one = replace(PAIRS, labels=("yes",) * 3, label_column="gold")
    message = (
        "pairs.csv: column `gold` must hold at least two different labels. "
        "Received: 'yes' in all 3 rows"
    )
    for task in TASKS.values():
        with pytest.raises(InputError) as caught:
            task_labels(one, task)
        assert str(caught.value) == message

    three = replace(PAIRS, labels=("a", "b", "c"))
    assert task_labels(three, TASKS["entailment"]) == ("a", "b", "c")
    for name in ("paraphrase", "answer-selection"):
        with pytest.raises(InputError, match=f"two different labels for {name}. .*: a, b, c$"):
            task_labels(three, TASKS[name])


def test_a_label_that_training_did_not_see_is_named_with_its_row(vectors):
    encoder = prepare(PAIRS, PARAPHRASE, OPTIONS, vectors).encoder
    dev = PairBatch(
        ("a",) * 2, ("b c",) * 2, labels=("1", "maybe"), rows=(16, 17), source="dev.csv"
    )
    with pytest.raises(InputError, match=r"^dev.csv, row 17: .* one of 0, 1\. Received: 'maybe'$"):
        encode_labelled(dev, ("0", "1"), encoder)


def test_the_rests_of_the_training_pairs_are_those_of_the_encoder(vectors, tmp_path):
    """In memory and in mapped files, whatever the features; `<empty>` has a row of its own."""
    for features in ((), ("left_rest",)):
        options = replace(OPTIONS, rest_network=True, features=features).for_task(PARAPHRASE)
        for store in (ArrayStore(), ArrayStore(tmp_path)):
            prepared = prepare(PAIRS, PARAPHRASE, options, vectors, store=store)
            again = encode_labelled(PAIRS, prepared.labels, prepared.encoder)
            for one, other in zip(prepared.pairs.rests, again.rests, strict=True):
                np.testing.assert_array_equal(one.ids, other.ids)
                np.testing.assert_array_equal(one.offsets, other.offsets)
    empty = prepared.encoder.vocabulary.lookup(EMPTY)
    assert empty == len(prepared.encoder.vocabulary) - 1
    assert 0 < np.abs(prepared.vectors[empty]).max() <= 0.01
    assert (prepared.vectors[empty] != prepared.vectors[OOV]).any()
