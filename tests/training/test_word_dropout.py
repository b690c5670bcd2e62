"""Words left out: how many, which never, and the same ones whatever a batch is filled up with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from abcnn.bundle import load_bundle
from abcnn.readers import read_pairs
from abcnn.tasks import TASKS
from abcnn.text.batches import EncodedPairs, Ragged
from abcnn.text.vocabulary import OOV, PAD
from abcnn.training.batching import BatchShapes, training_batch
from abcnn.training.files import train_files
from abcnn.training.options import TrainingOptions
from abcnn.training.word_dropout import without_some_words
from tests.trained import OPTIONS, SAMPLES

SHAPES = arrays.array_shapes(min_dims=2, max_dims=2, max_side=12)
IDS = arrays.arrays(np.int32, SHAPES, elements=st.integers(0, 5))
SHARES = st.floats(0, 1, exclude_max=True)


@given(IDS, SHARES, st.integers(0, 99))
def test_only_known_words_become_unknown_and_no_sentence_loses_all(ids, share, seed):
    before = ids.copy()
    after = without_some_words(ids, share, np.random.default_rng(seed))
    np.testing.assert_array_equal(ids, before)
    assert (after.shape, after.dtype) == (ids.shape, np.int32)
    changed = after != ids
    assert (ids[changed] > OOV).all()
    assert (after[changed] == OOV).all()
    known, left = (ids > OOV).sum(axis=1), (after > OOV).sum(axis=1)
    assert (left[known > 0] >= 1).all()
    np.testing.assert_array_equal(after[known <= 1], ids[known <= 1])
    again = without_some_words(ids, share, np.random.default_rng(seed))
    np.testing.assert_array_equal(after, again)


@given(IDS, SHARES, st.integers(1, 5), st.integers(0, 4))
def test_padding_and_rows_behind_change_nothing(ids, share, columns, rows):
    filled = np.pad(ids, [(0, 0), (0, columns)], constant_values=PAD)
    filled = np.concatenate([filled, np.repeat(filled[:1], rows, axis=0)])
    one, other = (
        without_some_words(batch, share, np.random.default_rng(3)) for batch in (ids, filled)
    )
    np.testing.assert_array_equal(other[: len(ids), : ids.shape[1]], one)
    assert (other[:, ids.shape[1] :] == PAD).all()


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9])
def test_the_share_is_that_of_the_words(share):
    ids = np.full((300, 40), 7, np.int32)
    after = without_some_words(ids, share, np.random.default_rng(0))
    assert (after == OOV).mean() == pytest.approx(share, abs=0.01)


def test_where_all_would_go_each_word_stays_as_often():
    ids = np.tile(np.array([2, 3, 4, PAD], np.int32), (6000, 1))
    after = without_some_words(ids, 0.999, np.random.default_rng(0))
    assert (after > OOV).mean(axis=0)[:3] == pytest.approx([1 / 3] * 3, abs=0.03)


def batch_pairs() -> EncodedPairs:
    generator = np.random.default_rng(0)

    def side() -> Ragged:
        offsets = np.concatenate([[0], np.cumsum(generator.integers(1, 9, 9))])
        return Ragged(generator.integers(2, 20, offsets[-1]).astype(np.int32), offsets)

    left, right, *rests = (side() for _ in range(4))
    return EncodedPairs(
        left, right, np.ones((9, 2), np.float32), np.arange(9) % 2, np.arange(9), rests=tuple(rests)
    )


def test_a_batch_loses_the_same_words_whatever_fills_it_up():
    """So that backends that fill batches up differently learn from the same ones."""
    pairs, indices = batch_pairs(), np.arange(7)
    plain, filled, other = (
        training_batch(pairs, indices, 16, None, shapes, 0.4, seed).inputs
        for shapes, seed in (
            (BatchShapes(), (1, 2, 3)),
            (BatchShapes(rows=5, units=8), (1, 2, 3)),
            (BatchShapes(), (1, 2, 4)),
        )
    )
    whole = training_batch(pairs, indices, 16, None, BatchShapes()).inputs
    sides = ("left", "right", "left_rest", "right_rest")
    for name in sides:
        width = plain[name].shape[1]
        np.testing.assert_array_equal(filled[name][:7, :width], plain[name])
        assert (plain[name] != whole[name]).any()
        assert (plain[name] != other[name]).any()
    np.testing.assert_array_equal(plain["features"], whole["features"])
    masks = [plain[name][whole[name] > OOV] == OOV for name in sides]
    assert not np.array_equal(masks[0][:20], masks[1][:20])  # each side by itself


@pytest.mark.parametrize(
    ("task", "more"),
    [("entailment", {"rest_network": True}), ("paraphrase", {"both_orders": True})],
)
def test_training_with_it_and_prediction_without(tmp_path: Path, task, more):
    options = TrainingOptions(**OPTIONS | {"epochs": 1}, word_dropout=0.3, model="bcnn", **more)
    files = {f"{part}_file": str(SAMPLES / task / f"{part}.tsv") for part in ("train", "dev")}

    def run(name: str, chosen: TrainingOptions):
        return train_files(TASKS[task], tmp_path / name, options=chosen, device="cpu", **files)

    one = run("one", options).matcher
    same = run("same", options).matcher
    plain = run("plain", replace(options, word_dropout=0.0)).matcher
    for name, weight in one.weights.items():
        np.testing.assert_array_equal(weight, same.weights[name])
    assert (one.weights["logits/kernel"] != plain.weights["logits/kernel"]).any()
    # Trained by nothing else: with their own vectors no training word is unknown.
    moved, first = (each.weights["vectors/embeddings"][OOV] for each in (one, plain))
    assert (moved != first).any()
    assert one.about["options"]["word_dropout"] == 0.3

    dev = read_pairs(files["dev_file"]).pairs
    loaded = load_bundle(tmp_path / "one")
    fast = loaded.predict(dev).scores
    np.testing.assert_array_equal(fast, loaded.predict(dev).scores)
    np.testing.assert_allclose(replace(loaded, engine="keras").predict(dev).scores, fast, atol=1e-5)
