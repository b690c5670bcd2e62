"""Checkpoints: everything back bit for bit, damage and strangers refused, nothing pickled."""

import pickletools
import zipfile
from dataclasses import replace

import keras
import numpy as np
import pytest

from abcnn.errors import InputError
from abcnn.network import NetworkConfig, build_network
from abcnn.training.checkpoint import Checkpoint, read_state, variables_of, write_state
from abcnn.training.progress import Epoch

CHECKPOINT = Checkpoint(
    fingerprint="one run",
    network=(np.arange(12, dtype=np.float32).reshape(3, 4) / 7, np.array(3, np.int64)),
    optimizer=tuple(np.full((2,), number, np.float32) for number in range(12)),
    best=(np.array([[np.pi]], np.float32), np.array([1, 2], np.uint32)),
    epochs=(Epoch(1, 0.1 + 0.2, 1 / 3, True, 1.5), Epoch(2, 0.25, 0.5, False, 1.25)),
)


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "checkpoint.npz"
    CHECKPOINT.save(path)
    return path


def test_all_comes_back_bit_for_bit(saved):
    loaded = Checkpoint.load(saved, "one run")
    assert loaded.epochs == CHECKPOINT.epochs
    for name in ("network", "optimizer", "best"):
        there, here = getattr(CHECKPOINT, name), getattr(loaded, name)
        assert len(here) == len(there)
        for one, other in zip(here, there, strict=True):
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one, other)


def test_a_later_save_replaces_the_file_and_leaves_nothing_else(saved):
    replace(CHECKPOINT, epochs=CHECKPOINT.epochs[:1]).save(saved)
    assert len(Checkpoint.load(saved, "one run").epochs) == 1
    assert [file.name for file in saved.parent.iterdir()] == [saved.name]


def test_a_checkpoint_of_another_run_is_refused(saved):
    with pytest.raises(InputError, match=r"checkpoint.npz: belongs to a run with other data"):
        Checkpoint.load(saved, "another run")


@pytest.mark.parametrize("damage", ["empty", "cut", "changed", "text", "missing"])
def test_a_damaged_checkpoint_is_refused(saved, damage):
    data = bytearray(saved.read_bytes())
    if damage == "missing":
        saved.unlink()
    else:
        data[data.index(b"network/0.npy") + 150] ^= 1
        new = {"empty": b"", "cut": data[: len(data) // 2], "changed": data, "text": b"no zip"}
        saved.write_bytes(bytes(new[damage]))
    with pytest.raises(InputError, match=r"checkpoint.npz: this is not a whole checkpoint"):
        Checkpoint.load(saved, "one run")


def test_objects_that_would_be_unpickled_are_refused(saved):
    with np.load(saved) as arrays:
        states = {key: arrays[key] for key in arrays.files}
    states["network/0"] = np.array([{"an": "object"}], dtype=object)
    with saved.open("wb") as file:
        np.savez(file, allow_pickle=True, **states)
    with pytest.raises(InputError, match="this is not a whole checkpoint"):
        Checkpoint.load(saved, "one run")


def test_nothing_in_it_is_a_pickle(saved):
    with zipfile.ZipFile(saved) as archive:
        for name in archive.namelist():
            assert archive.read(name).startswith(b"\x93NUMPY")
            with pytest.raises(ValueError):
                list(pickletools.genops(archive.read(name)))


def test_it_cannot_be_written(tmp_path):
    with pytest.raises(InputError, match=r"nowhere/checkpoint.npz: cannot be written"):
        CHECKPOINT.save(tmp_path / "nowhere" / "checkpoint.npz")


@pytest.mark.parametrize("train_vectors", [False, True])
def test_frozen_vectors_are_left_out_and_random_states_are_not(train_vectors):
    network = build_network(
        NetworkConfig(
            vocabulary=9,
            dim=3,
            features=1,
            outputs=1,
            scores=("cosine",),
            train_vectors=train_vectors,
            vector_dropout=0.5,
        )
    )
    variables = variables_of(network)
    shapes = [tuple(variable.shape) for variable in variables]
    assert ((9, 3) in shapes) == train_vectors
    seed = network.get_layer("vector_dropout").seed_generator.state
    assert any(variable is seed for variable in variables)

    before = read_state(variables)
    for variable in variables:
        variable.assign(keras.ops.ones_like(variable))
    write_state(variables, before)
    for one, other in zip(read_state(variables), before, strict=True):
        np.testing.assert_array_equal(one, other)
