"""Layerwise training freezes the blocks trained before, and resumes to the same weights."""

from __future__ import annotations

import numpy as np
import pytest

from abcnn.errors import TrainingError
from abcnn.network import NetworkConfig, build_network
from abcnn.readers import read_pairs
from abcnn.tasks import TASKS
from abcnn.training.files import CHECKPOINT
from abcnn.training.layerwise import stages, take_frozen
from abcnn.training.options import TrainingOptions
from abcnn.training.progress import Progress
from abcnn.training.run import train
from tests.trained import OPTIONS


def weights(matcher, layer):
    return matcher.network.get_layer(layer).get_weights()


def test_the_first_block_is_that_of_a_run_with_one_and_stays(trained, tmp_path):
    one = trained("paraphrase")
    files = (one.train_file, one.dev_file)
    train_pairs, dev_pairs = (read_pairs(file, require_labels=True).pairs for file in files)
    options = TrainingOptions(**OPTIONS, conv_layers=2, layerwise=True)
    arguments = (TASKS["paraphrase"], train_pairs, dev_pairs)
    messages = []

    class Stop(Exception):
        pass

    def stop(epoch):
        # After the first epoch of the second stage; each has two.
        seen.append(epoch)
        if len(seen) == 3:
            raise Stop

    seen, state = [], tmp_path / CHECKPOINT
    with pytest.raises(Stop):
        train(
            *arguments,
            options=options,
            checkpoint_file=state,
            progress=Progress(messages.append, lambda *_: None, stop),
        )
    assert "layerwise: block 1 of 2" in messages
    resumed = train(*arguments, options=options, checkpoint_file=state, resume=True)
    whole = train(*arguments, options=options)
    assert len(whole.epochs) == 2
    for layer in ("vectors", "block_1"):
        for ours, theirs in zip(
            weights(whole.matcher, layer), weights(one.matcher, layer), strict=True
        ):
            np.testing.assert_array_equal(ours, theirs)
    for layer in ("block_1", "block_2", "logits"):
        for ours, theirs in zip(
            weights(whole.matcher, layer), weights(resumed.matcher, layer), strict=True
        ):
            np.testing.assert_array_equal(ours, theirs)


def test_ctrl_c_before_the_last_stage_keeps_nothing(trained):
    one = trained("paraphrase")
    files = (one.train_file, one.dev_file)
    pairs = (read_pairs(file, require_labels=True).pairs for file in files)

    def interrupt(epoch):
        raise KeyboardInterrupt

    with pytest.raises(TrainingError, match="before the last block's training"):
        train(
            TASKS["paraphrase"],
            *pairs,
            options=TrainingOptions(**OPTIONS, conv_layers=2, layerwise=True),
            progress=Progress(lambda message: None, lambda *_: None, interrupt),
        )


def test_the_towers_of_both_networks_are_taken_and_frozen():
    config = NetworkConfig(
        *(9, 4, 2, 1, ("cosine",)), conv_layers=2, filters=3, width=(2, 3), rest_network=True
    )
    [before] = map(build_network, stages(config))
    network = build_network(config)
    take_frozen(network, before)
    towers = [f"{start}block_1_width_{n}" for start in ("", "rest_") for n in (2, 3)]
    for name in ("vectors", *towers):
        taken, given = network.get_layer(name), before.get_layer(name)
        assert not taken.trainable
        for ours, theirs in zip(taken.get_weights(), given.get_weights(), strict=True):
            np.testing.assert_array_equal(ours, theirs)
    assert {layer.name for layer in network.layers if layer.trainable_weights} == {
        *(tower.replace("_1_", "_2_") for tower in towers),
        "logits",
    }
