"""Bundles: the same scores after loading, and every damaged file named."""

import csv
import hashlib
import json
import pickle
import pickletools
import shutil
import zipfile
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from abcnn.bundle import load_bundle, read_config, save_bundle
from abcnn.bundle.files import checksum
from abcnn.errors import BundleError, InputError
from abcnn.readers import read_pairs
from abcnn.scoring.calibration import Calibration
from abcnn.tasks import TASKS

TASK = "entailment"
FILES = (
    "README.md",
    "config.json",
    "history.csv",
    "metrics.json",
    "vectors.npy",
    "vocabulary.txt",
    "weights.npz",
    "words.json",
)
CHECKED = tuple(name for name in FILES if name != "README.md")
AWKWARD = [
    ("", "word"),
    ("emoji 🙂 שלום naïve", "x " * 200),
    ("Unseen unseeable words", "not 5 never"),
]


@pytest.fixture
def bundle(trained, tmp_path) -> Path:
    """A copy of a trained bundle, to be changed."""
    return Path(shutil.copytree(trained(TASK).folder, tmp_path / "bundle"))


def seal(folder: Path, **changes) -> None:
    """Give the configuration other values and checksums that fit again, as a forger would."""
    path = folder / "config.json"
    config = json.loads(path.read_text(encoding="utf-8")) | changes
    config.pop("checksum")
    config["checksums"] = {name: checksum(folder / name) for name in config["checksums"]}
    text = json.dumps(config, sort_keys=True)
    config["checksum"] = hashlib.sha256(text.encode("ascii")).hexdigest()
    path.write_text(json.dumps(config), encoding="utf-8")


@pytest.mark.parametrize("name", TASKS)
def test_loaded_scores_are_those_from_before_to_the_last_bit(trained, name):
    there, pairs = trained(name).matcher, read_pairs(trained(name).test_file).pairs
    here = load_bundle(trained(name).folder)
    for some in (pairs, AWKWARD):
        one, other = here.predict(some), there.predict(some)
        np.testing.assert_array_equal(one.values, other.values)
        np.testing.assert_array_equal(one.labels, other.labels)
    for what in ("task", "labels", "grades", "threshold", "config", "metrics", "about", "encoder"):
        assert json.dumps(getattr(here, what), default=repr, sort_keys=True) == json.dumps(
            getattr(there, what), default=repr, sort_keys=True
        )


def test_a_bundle_saved_again_is_the_same(trained, tmp_path):
    save_bundle(load_bundle(trained(TASK).folder), tmp_path / "again")
    one, other = read_config(tmp_path / "again"), read_config(trained(TASK).folder)
    for config in (one, other):
        del config["checksums"]["history.csv"]  # no history was given
    assert one == other


def test_what_is_in_the_folder(trained):
    folder = trained(TASK).folder
    assert sorted(file.name for file in folder.iterdir()) == sorted(FILES)
    with (folder / "history.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    epochs = [asdict(epoch) for epoch in trained(TASK).epochs]
    assert rows == [{name: str(value) for name, value in epoch.items()} for epoch in epochs]
    metrics = json.loads((folder / "metrics.json").read_text())
    assert set(metrics) == {"dev", "test"}
    card = (folder / "README.md").read_text()
    accuracy = f"test: accuracy {metrics['test']['accuracy']:.4f}"
    for line in ("## Data", "## Measures", "## Limits", accuracy):
        assert line in card
    assert read_config(folder)["about"]["data"]["train"]["file"] == "train.tsv"


def test_nothing_in_it_is_a_pickle(trained):
    contents = {}
    for file in trained(TASK).folder.iterdir():
        contents[file.name] = file.read_bytes()
        if zipfile.is_zipfile(file):
            with zipfile.ZipFile(file) as archive:
                contents |= {name: archive.read(name) for name in archive.namelist()}
    assert {"vectors.npy", "weights.npz", "logits/kernel.npy"} <= set(contents)
    for name, data in contents.items():
        with pytest.raises(ValueError):
            list(pickletools.genops(data))
        assert b"__reduce__" not in data, name


@pytest.mark.parametrize("name", CHECKED)
def test_a_missing_file_is_named(bundle, name):
    (bundle / name).unlink()
    with pytest.raises(BundleError, match=f"bundle/{name}: is missing"):
        load_bundle(bundle)


@pytest.mark.parametrize("damage", ["cut", "emptied", "one byte", "one byte more"])
@pytest.mark.parametrize("name", CHECKED)
def test_a_damaged_file_is_named(bundle, name, damage):
    path = bundle / name
    data = bytearray(path.read_bytes())
    if damage == "one byte":
        middle = len(data) // 2
        data[middle] = data[middle] % 64 + 64 if data[middle] % 64 + 64 != data[middle] else 32
    damaged = {"cut": data[:-20], "emptied": b"", "one byte": data, "one byte more": data + b"1"}
    path.write_bytes(bytes(damaged[damage]))
    with pytest.raises(BundleError, match=f"bundle/{name}: was cut or changed"):
        load_bundle(bundle)


def test_the_card_may_be_edited(trained, bundle):
    (bundle / "README.md").write_text("# Mine")
    matcher = load_bundle(bundle)
    np.testing.assert_array_equal(
        matcher.predict(AWKWARD).scores, trained(TASK).matcher.predict(AWKWARD).scores
    )


def test_a_matcher_is_pickled_as_its_files(trained):
    matcher = trained(TASK).matcher
    pickled = pickle.dumps(matcher)
    for name in FILES:
        assert name.encode() in pickled
    again = pickle.loads(pickled)  # noqa: S301
    np.testing.assert_array_equal(again.predict(AWKWARD).scores, matcher.predict(AWKWARD).scores)
    assert (again.labels, again.threshold) == (matcher.labels, matcher.threshold)


@pytest.mark.parametrize("text", ["[]", "null", "3", "{}", '{"checksum": "x"}', "[" * 100_000])
def test_a_configuration_that_is_none(bundle, text):
    (bundle / "config.json").write_text(text)
    with pytest.raises(BundleError, match=r"config.json: was cut or changed"):
        load_bundle(bundle)


@pytest.mark.parametrize(
    ("key", "value"), [("threshold", 0.123), ("labels", ["a", "b", "c"]), ("max_length", 1)]
)
def test_an_altered_configuration(bundle, key, value):
    path = bundle / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {key: value}))
    with pytest.raises(BundleError, match=r"config.json: was cut or changed .*checksum"):
        load_bundle(bundle)


def test_another_version_of_the_format(bundle):
    seal(bundle, format=99)
    written_by = json.loads((bundle / "config.json").read_text())["about"]["versions"]["abcnn"]
    with pytest.raises(BundleError) as caught:
        load_bundle(bundle)
    message = str(caught.value)
    assert "config.json: the bundle has format 99, this version of abcnn reads format 2" in message
    assert message.endswith(written_by)


def test_no_folder_and_an_empty_one(tmp_path):
    with pytest.raises(BundleError, match="nowhere: there is no such folder"):
        load_bundle(tmp_path / "nowhere")
    with pytest.raises(BundleError, match=r"config.json: is missing"):
        load_bundle(tmp_path)


def test_an_existing_folder_is_refused(trained, bundle):
    before = {file.name: checksum(file) for file in bundle.iterdir()}
    with pytest.raises(InputError, match="bundle: exists already"):
        trained(TASK).matcher.save(bundle)
    assert {file.name: checksum(file) for file in bundle.iterdir()} == before
    assert [file.name for file in bundle.parent.iterdir()] == ["bundle"]


def test_a_failure_leaves_nothing_half_written(trained, tmp_path):
    """With metrics that are no JSON: the network is written by then."""
    matcher = replace(trained(TASK).matcher, metrics={"dev": object()})
    with pytest.raises(TypeError):
        matcher.save(tmp_path / "bundle")
    assert list(tmp_path.iterdir()) == []


def test_an_array_that_is_a_pickle_is_refused(bundle):
    """Nothing in the folder is executed, whoever wrote it."""
    np.save(bundle / "vectors.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    seal(bundle)
    with pytest.raises(BundleError, match="bundle: the weights are no arrays of numbers"):
        load_bundle(bundle)


@pytest.mark.parametrize("engine", ["fast", "keras"])
def test_weights_of_another_shape_are_refused(bundle, engine):
    np.save(bundle / "vectors.npy", np.zeros((3, 2), np.float32))
    seal(bundle)
    with pytest.raises(BundleError, match=r"bundle: the weights do not fit the network of config"):
        load_bundle(bundle, engine=engine)


def test_the_vectors_are_a_memory_map(trained):
    """Processes that score with one bundle share them."""
    assert isinstance(load_bundle(trained(TASK).folder).weights["vectors/embeddings"], np.memmap)


def test_another_engine_is_refused(trained):
    with pytest.raises(
        InputError, match=r"`engine` must be one of fast, keras\. Received: 'other'"
    ):
        load_bundle(trained(TASK).folder, engine="other")


def test_text_of_any_kind_survives(trained, tmp_path):
    """Words and labels in other scripts, with line separators, and half surrogates."""
    odd = ("naïve", "字", "a\u2028b", "\ud83d")
    matcher = trained(TASK).matcher
    statistics = replace(matcher.encoder.features.statistics, idf=dict.fromkeys(odd, 0.1))
    encoder = replace(
        matcher.encoder, features=replace(matcher.encoder.features, statistics=statistics)
    )
    replace(matcher, encoder=encoder, labels=odd[:3]).save(tmp_path / "bundle")
    loaded = load_bundle(tmp_path / "bundle")
    assert loaded.labels == odd[:3]
    assert loaded.encoder.features.statistics == statistics


def test_a_calibrated_bundle_gives_the_scores_that_it_gave(trained, tmp_path):
    knots = (((-1.0, -3.0), (0.5, -0.5), (2.0, 0.0)),) * 3
    there = replace(trained(TASK).matcher, calibration=Calibration(knots))
    there.save(tmp_path / "calibrated")
    here = load_bundle(tmp_path / "calibrated")
    assert here.calibration == there.calibration
    one, other = here.predict(AWKWARD), there.predict(AWKWARD)
    np.testing.assert_array_equal(one.probabilities, other.probabilities)
    plain = trained(TASK).matcher.predict(AWKWARD)
    assert np.abs(one.probabilities - plain.probabilities).max() > 0.01
