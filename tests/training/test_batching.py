"""Batches ahead of time: what fills them up changes nothing, and errors come in their place."""

import threading
from dataclasses import replace

import keras
import numpy as np
import pytest

from abcnn.training.batching import BatchShapes, ahead_of_time, epoch_order, training_batch
from abcnn.training.losses import LOSSES
from tests.training.test_loop import CONFIG, OPTIONS, PAIRS, fresh_network, pairs_with_labels

WEIGHTS = np.array([0.5, 3.0], np.float32)


@pytest.mark.parametrize("loss", LOSSES)
def test_rows_that_fill_a_batch_up_change_neither_loss_nor_step(loss):
    """Seven pairs of three questions, filled up to twelve rows."""
    pairs, indices = pairs_with_labels(), np.array([5, 4, 6, 9, 8, 30, 31])
    of_labels = WEIGHTS if loss == "pointwise" else None
    after = []
    for shapes in (BatchShapes(), BatchShapes(rows=12, units=8)):
        network = fresh_network(replace(CONFIG, vector_dropout=0.0, score_dropout=0.0))
        network.compile(keras.optimizers.SGD(0.5), LOSSES[loss])
        batch = training_batch(pairs, indices, 8, of_labels, shapes)
        assert batch.pairs == 7
        assert len(batch.targets) == (12 if shapes.rows == 12 else 7)
        told = network.train_on_batch(batch.inputs, batch.targets, sample_weight=batch.weights)
        after.append([np.array(told), *network.get_weights()])
    for one, other in zip(*after, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)


@pytest.mark.parametrize("loss", LOSSES)
def test_an_epoch_has_every_pair_once_in_an_order_of_its_own(loss):
    pairs, options = pairs_with_labels(), replace(OPTIONS, loss=loss)
    orders = [np.concatenate(epoch_order(pairs, options, number)) for number in (1, 1, 2)]
    np.testing.assert_array_equal(orders[0], orders[1])
    assert (orders[0] != orders[2]).any()
    for order in orders:
        np.testing.assert_array_equal(np.sort(order), np.arange(PAIRS))


def test_items_are_made_ahead_and_in_order():
    made: list[int] = []

    def items():
        for number in range(5):
            made.append(number)
            yield number

    ready = ahead_of_time(items(), ahead=2)
    got = [next(ready) for _ in range(2)]
    ready.close()  # waits for what is being made
    assert got == [0, 1]
    assert made == [0, 1, 2, 3]
    assert list(ahead_of_time(range(9))) == list(range(9))
    assert list(ahead_of_time([])) == []


def test_an_error_comes_where_its_item_would():
    def items():
        yield 1
        raise ValueError("no second item")

    before = threading.active_count()
    ready = ahead_of_time(items())
    assert next(ready) == 1
    with pytest.raises(ValueError, match="no second item"):
        next(ready)
    assert threading.active_count() == before
