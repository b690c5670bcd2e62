"""Pairs in both orders: training sees both, and no score depends on which comes first."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abcnn.bundle import load_bundle
from abcnn.errors import InputError
from abcnn.explanation import explain
from abcnn.export import export_bundle
from abcnn.export.scorer import load_exported
from abcnn.pairs import PairBatch
from abcnn.readers import read_pairs
from abcnn.scoring.rows import score_rows
from abcnn.tasks import TASKS
from abcnn.text.tokenizer import Tokenizer
from abcnn.training.arrays import ArrayStore
from abcnn.training.corpus import in_both_orders, read_corpus
from abcnn.training.files import train_files
from abcnn.training.options import TrainingOptions
from abcnn.training.prepare import prepare
from tests.trained import OPTIONS, SAMPLES

PAIRS = PairBatch(
    left=("A cat sat", "it rains", "A cat sat"),
    right=("a dog", "A cat sat", "rain falls on it"),
    labels=("0", "1", "1"),
    source="pairs.csv",
)


@pytest.mark.parametrize("mapped", [False, True], ids=["in memory", "in files"])
def test_training_sees_both_orders(tmp_path, mapped):
    store = ArrayStore(tmp_path if mapped else None)
    corpus = read_corpus([PAIRS], Tokenizer(), store)
    both = in_both_orders(corpus, store)
    ((left, right),) = both.chunks()
    given = [text.split() for text in PAIRS.left], [text.split() for text in PAIRS.right]
    assert left == given[0] + given[1]
    assert right == given[1] + given[0]
    assert both.labels.tolist() == [0, 1, 1, 0, 1, 1]
    assert both.groups.tolist() == [*corpus.groups.tolist()] * 2
    assert list(both.sentences()) == list(corpus.sentences())
    assert both.counts() == corpus.counts()


def test_each_order_has_its_own_features():
    options = TrainingOptions(dim=4, both_orders=True, features=("left_length", "right_length"))
    task = TASKS["paraphrase"]
    prepared = prepare(PAIRS, task, options.for_task(task), None)
    raw = prepared.pairs.features * prepared.encoder.features.scale
    raw = raw + prepared.encoder.features.mean
    lengths = [[3, 2], [2, 3], [3, 4]]
    np.testing.assert_allclose(raw, lengths + [pair[::-1] for pair in lengths], atol=1e-5)
    assert prepared.given == 3
    encoded = prepared.encoder(PAIRS.left, PAIRS.right)
    assert encoded.swapped is not None
    np.testing.assert_array_equal(encoded.features, prepared.pairs.features[:3])
    np.testing.assert_array_equal(encoded.swapped.features, prepared.pairs.features[3:])


@pytest.mark.parametrize("name", ["answer-selection", "entailment"])
def test_refused_where_pairs_have_a_direction(name):
    with pytest.raises(InputError, match=f"`both_orders` must be False for {name}"):
        TrainingOptions(both_orders=True).for_task(TASKS[name])


@pytest.fixture(scope="module", params=["paraphrase", "similarity"])
def bundle(request, tmp_path_factory):
    """A bundle that reads both orders, and its task."""
    folder = tmp_path_factory.mktemp("orders") / request.param
    files = {
        f"{part}_file": str(SAMPLES / request.param / f"{part}.tsv") for part in ("train", "dev")
    }
    rest_network = request.param == "similarity"  # Its rests change sides with the sentences.
    options = TrainingOptions(
        **OPTIONS | {"epochs": 1}, both_orders=True, rest_network=rest_network
    )
    train_files(TASKS[request.param], folder, options=options, device="cpu", **files)
    return folder, request.param


@pytest.fixture(scope="module")
def matcher(bundle):
    return load_bundle(bundle[0])


_TEXTS = st.lists(
    st.sampled_from(["the", "a", "cat", "sat", "is", "not", "12", "unheard-of", "."]),
    min_size=1,
    max_size=70,
).map(" ".join)


@given(pairs=st.lists(st.tuples(_TEXTS, _TEXTS), min_size=1, max_size=5))
@settings(max_examples=30, deadline=None)
def test_a_score_is_exactly_symmetric(matcher, pairs):
    said = matcher.predict(pairs).values
    np.testing.assert_array_equal(said, matcher.predict([pair[::-1] for pair in pairs]).values)


def test_it_is_the_mean_of_the_logits_of_each_order(bundle, matcher):
    dev = read_pairs(SAMPLES / bundle[1] / "dev.tsv").pairs
    one_order = replace(matcher, encoder=replace(matcher.encoder, both_orders=False))
    given = one_order.logits(one_order.encode(dev.left, dev.right))
    swapped = one_order.logits(one_order.encode(dev.right, dev.left))
    assert np.abs(given - swapped).max() > 1e-4
    expected = (given + swapped) / 2
    for one in (matcher, replace(matcher, engine="keras")):
        np.testing.assert_allclose(one.logits(one.encode(dev.left, dev.right)), expected, atol=1e-5)
    rows = score_rows(matcher, list(dev.left), list(dev.right)).values
    np.testing.assert_array_equal(rows, matcher.predict(dev).values)


def test_what_it_records_is_of_the_pairs_given(bundle, matcher):
    folder, name = bundle
    train = read_pairs(SAMPLES / name / "train.tsv").pairs
    assert matcher.about["data"]["train"]["pairs"] == len(train)
    assert matcher.about["options"]["both_orders"]
    assert "both orders" in (folder / "README.md").read_text()


def test_an_explanation_gives_the_score(matcher):
    left, right = "A man is playing a guitar .", "Someone plays"
    found = explain(matcher, left, right)
    assert found.score == pytest.approx(matcher.predict([(left, right)]).scores[0], abs=1e-5)
    for logit in found.logits:
        parts = sum(part.product for part in logit.contributions)
        assert parts == pytest.approx(logit.value, abs=1e-4)


def test_exports_read_both_orders_or_are_refused(bundle, matcher, tmp_path):
    folder, name = bundle
    dev = read_pairs(SAMPLES / name / "dev.tsv").pairs
    export_bundle(folder, tmp_path / "numpy", "numpy")
    exported = load_exported(tmp_path / "numpy").predict(dev).values
    np.testing.assert_allclose(exported, matcher.predict(dev).values, atol=1e-4)
    for form in ("saved_model", "litert"):
        with pytest.raises(InputError, match="`form` must be numpy or onnx"):
            export_bundle(folder, tmp_path / form, form)
        assert not (tmp_path / form).exists()
