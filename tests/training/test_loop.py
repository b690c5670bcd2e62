"""The training loop: the best epoch kept, stopped early, interrupted, resumed, reproducible."""

from collections.abc import Callable
from dataclasses import replace

import keras
import numpy as np
import pytest

from abcnn.errors import TrainingError
from abcnn.network import NetworkConfig, build_network
from abcnn.text.batches import EncodedPairs, Ragged
from abcnn.training.checkpoint import Checkpoint
from abcnn.training.loop import Run, train_network
from abcnn.training.options import RANKING_LOSSES, TrainingOptions
from abcnn.training.progress import SILENT, Progress

WORDS, DIM, PAIRS = 20, 4, 32
CONFIG = NetworkConfig(
    vocabulary=WORDS,
    dim=DIM,
    features=2,
    outputs=1,
    scores=("cosine",),
    model="bcnn",  # the loop is the same for every model, and this one is the quickest to compile
    filters=3,
    width=2,
    max_length=8,
    vector_dropout=0.2,
    score_dropout=0.2,
)
OPTIONS = TrainingOptions(
    loss="pointwise", max_length=8, batch_size=8, epochs=4, patience=9, learning_rate=0.05, seed=3
)


def ragged(generator: np.random.Generator, longest: int) -> Ragged:
    offsets = np.concatenate([[0], np.cumsum(generator.integers(1, longest + 1, PAIRS))])
    return Ragged(generator.integers(1, WORDS, offsets[-1]).astype(np.int32), offsets)


def pairs_with_labels(labels: int = 2) -> EncodedPairs:
    generator = np.random.default_rng(0)
    return EncodedPairs(
        left=ragged(generator, 8),
        right=ragged(generator, 5),
        features=generator.normal(size=(PAIRS, 2)).astype(np.float32),
        labels=np.arange(PAIRS) % labels,
        groups=np.arange(PAIRS) // 4,
    )


def fresh_network(config: NetworkConfig = CONFIG) -> keras.Model:
    keras.utils.set_random_seed(1)
    vectors = np.random.default_rng(1).normal(size=(config.vocabulary, config.dim))
    return build_network(config, vectors.astype(np.float32))


def measures(*values: float) -> Callable[[], float]:
    """A dev measure that has a value an epoch."""
    return iter(values).__next__


def rising() -> Callable[[], float]:
    return measures(*range(100))


def weights(network: keras.Model) -> list[np.ndarray]:
    return [np.array(weight) for weight in network.get_weights()]


def assert_same(one: list[np.ndarray], other: list[np.ndarray]) -> None:
    for here, there in zip(one, other, strict=True):
        np.testing.assert_array_equal(here, there)


def differ(one: list[np.ndarray], other: list[np.ndarray]) -> bool:
    return any((here != there).any() for here, there in zip(one, other, strict=True))


def figures(run: Run) -> list[tuple]:
    """All of every epoch but its seconds."""
    return [(epoch.number, epoch.loss, epoch.dev, epoch.best) for epoch in run.epochs]


class Recorder:
    """A progress that keeps the network's weights after every epoch."""

    def __init__(self, network: keras.Model) -> None:
        self.weights: list[list[np.ndarray]] = []
        self.progress = Progress(epoch=lambda epoch: self.weights.append(weights(network)))


def interrupting(epoch: int, batch: int) -> Progress:
    """A progress in which Ctrl-C is pressed at a batch."""

    def press(*now: int) -> None:
        if now[:2] == (epoch, batch):
            raise KeyboardInterrupt

    return Progress(batch=press)


def test_the_best_epoch_is_kept_and_the_first_of_equals(tmp_path):
    network, file = fresh_network(), tmp_path / "checkpoint.npz"
    vectors = weights(network)[0]
    recorder = Recorder(network)
    run = train_network(
        network,
        pairs_with_labels(),
        measures(0.1, 0.5, 0.5, 0.4),
        OPTIONS,
        checkpoint_file=file,
        progress=recorder.progress,
    )
    assert [epoch.best for epoch in run.epochs] == [True, True, False, False]
    assert [epoch.number for epoch in run.epochs] == [1, 2, 3, 4]
    assert not run.interrupted
    assert_same(weights(network), recorder.weights[1])
    assert differ(recorder.weights[1], recorder.weights[3])
    np.testing.assert_array_equal(weights(network)[0], vectors)  # frozen

    # A finished run that is gone on with is the best network at once.
    again = fresh_network()
    resumed = train_network(
        again, pairs_with_labels(), measures(), OPTIONS, resume_from=Checkpoint.load(file, "")
    )
    assert resumed == run
    assert_same(weights(again), weights(network))


def test_it_stops_after_patience_epochs_without_a_better_one():
    run = train_network(
        fresh_network(),
        pairs_with_labels(),
        measures(0.1, 0.3, 0.2, 0.3, 0.9),
        replace(OPTIONS, epochs=9, patience=2),
    )
    assert [epoch.dev for epoch in run.epochs] == [0.1, 0.3, 0.2, 0.3]


@pytest.mark.parametrize("label_weights", [None, [3.0, 0.5]])
def test_the_loss_told_is_the_weighted_mean_over_the_pairs(label_weights):
    """With a rate that moves nothing, it is what the network's logits give."""
    config = replace(CONFIG, vector_dropout=0.0, score_dropout=0.0)
    network, pairs = fresh_network(config), pairs_with_labels()
    assert pairs.labels is not None
    options = replace(OPTIONS, optimizer="sgd", learning_rate=1e-12, epochs=2)
    of_labels = None if label_weights is None else np.array(label_weights, np.float32)
    run = train_network(network, pairs, rising(), options, label_weights=of_labels)
    logits = np.asarray(network(pairs.inputs(np.arange(PAIRS), 8)))[:, 0]
    losses = np.log1p(np.exp(np.where(pairs.labels == 1, -logits, logits)))
    expected = (losses * np.array(label_weights or [1, 1])[pairs.labels]).mean()
    assert [epoch.loss for epoch in run.epochs] == pytest.approx([expected] * 2, rel=1e-5)


@pytest.mark.parametrize(
    "changes",
    [
        {"optimizer": "adam"},
        {"optimizer": "adagrad"},
        {"optimizer": "adamw", "schedule": "linear", "word_dropout": 0.3},
        {"optimizer": "sgd", "schedule": "cosine", "warmup": 0.6},
    ],
    ids=lambda changes: " ".join(map(str, changes.values())),
)
def test_a_resumed_run_ends_as_an_uninterrupted_one(tmp_path, changes):
    """Stopped within epoch 3 and gone on with in a new network, with dropout at work."""
    options = replace(OPTIONS, **changes)
    dev = (0.2, 0.7, 0.1, 0.9)
    whole = fresh_network()
    recorder = Recorder(whole)
    expected = train_network(
        whole, pairs_with_labels(), measures(*dev), options, progress=recorder.progress
    )

    file = tmp_path / "checkpoint.npz"
    first = fresh_network()
    stopped = train_network(
        first,
        pairs_with_labels(),
        measures(*dev),
        options,
        checkpoint_file=file,
        fingerprint="run",
        progress=interrupting(3, 2),
    )
    assert stopped.interrupted
    assert figures(stopped) == figures(expected)[:2]
    assert_same(weights(first), recorder.weights[1])

    second = fresh_network()
    keras.utils.set_random_seed(99)  # what the global state is must not matter
    again = Recorder(second)
    resumed = train_network(
        second,
        pairs_with_labels(),
        measures(*dev[2:]),
        options,
        checkpoint_file=file,
        resume_from=Checkpoint.load(file, "run"),
        fingerprint="run",
        progress=again.progress,
    )
    assert figures(resumed) == figures(expected)
    assert_same(again.weights[0], recorder.weights[2])
    assert_same(weights(second), weights(whole))
    assert differ(weights(second), recorder.weights[2])


def test_the_seed_decides():
    """That the same one gives the same is part of the test of resumed runs."""

    def figures_of(seed: int) -> list[tuple]:
        options = replace(OPTIONS, seed=seed, epochs=1)
        return figures(train_network(fresh_network(), pairs_with_labels(), rising(), options))

    assert figures_of(3) != figures_of(4)


def test_interrupted_before_the_first_epoch_ends():
    with pytest.raises(TrainingError, match=r"^interrupted before the first epoch's end"):
        train_network(
            fresh_network(), pairs_with_labels(), rising(), OPTIONS, progress=interrupting(1, 3)
        )


def test_interrupted_while_an_epoch_is_told(tmp_path):
    """The epoch was whole, so it counts."""

    def press(epoch) -> None:
        raise KeyboardInterrupt

    file = tmp_path / "checkpoint.npz"
    run = train_network(
        fresh_network(),
        pairs_with_labels(),
        rising(),
        OPTIONS,
        checkpoint_file=file,
        progress=replace(SILENT, epoch=press),
    )
    assert run.interrupted
    assert Checkpoint.load(file, "").epochs == run.epochs
    assert len(run.epochs) == 1


def test_vectors_too_large_for_a_loss():
    network = build_network(CONFIG, np.full((WORDS, DIM), 1e30, np.float32))
    network.get_layer("logits").bias.assign([np.inf])
    with pytest.raises(TrainingError, match=r"^the loss is (nan|inf) in batch 1 of epoch 1: "):
        train_network(network, pairs_with_labels(), rising(), OPTIONS)


@pytest.mark.parametrize(
    ("batch_size", "message"),
    [
        (8, r"the loss is (nan|inf) in batch 2 of epoch 1"),
        (PAIRS, "the weights are not finite after epoch 1"),
    ],
)
def test_a_learning_rate_far_too_large(tmp_path, batch_size, message):
    """Also where an epoch's only step is its last: nothing is kept of it."""
    file, pairs = tmp_path / "checkpoint.npz", pairs_with_labels()
    large = replace(pairs, features=pairs.features * np.float32(1e30))
    options = replace(OPTIONS, optimizer="sgd", learning_rate=1e10, batch_size=batch_size)
    with pytest.raises(TrainingError, match=rf"^{message}: try a lower --learning-rate than 1"):
        train_network(fresh_network(), large, rising(), options, checkpoint_file=file)
    assert not file.exists()


@pytest.mark.parametrize("loss", sorted(RANKING_LOSSES))
def test_ranking_losses_see_whole_questions_and_lower_the_loss(loss):
    config = replace(CONFIG, vector_dropout=0.0, score_dropout=0.0)
    options = replace(OPTIONS, loss=loss, epochs=6)
    run = train_network(fresh_network(config), pairs_with_labels(), rising(), options)
    assert run.epochs[-1].loss < run.epochs[0].loss


def test_vectors_are_trained_when_told_to():
    network = fresh_network(replace(CONFIG, train_vectors=True))
    before = weights(network)[0]
    train_network(network, pairs_with_labels(), rising(), replace(OPTIONS, epochs=1))
    assert before.shape == (WORDS, DIM)
    assert (weights(network)[0] != before).any()


@pytest.mark.parametrize("optimizer", ["adam", "adamw", "adagrad", "sgd"])
def test_some_vectors_are_trained_and_the_others_stay(optimizer):
    network = fresh_network(replace(CONFIG, train_vectors=True))
    before = weights(network)[0]
    some = np.arange(WORDS) % 3 == 0
    network.get_layer("vectors").train_only(some)
    options = replace(OPTIONS, epochs=2, optimizer=optimizer)
    train_network(network, pairs_with_labels(), rising(), options)
    after = weights(network)[0]
    np.testing.assert_array_equal(after[~some], before[~some])
    assert (after[some] != before[some]).any(axis=1)[1:].all()  # no PAD is looked up
