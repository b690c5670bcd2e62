"""A loaded bundle computes from raw text the features that training computed."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from abcnn.bundle import load_bundle
from abcnn.errors import BundleError
from abcnn.features.cache import FeatureCache
from abcnn.features.catalogue import FEATURES
from abcnn.features.extraction import Extraction
from abcnn.features.words import WordStatistics
from abcnn.readers import read_pairs
from abcnn.tasks import TASKS
from abcnn.training.files import train_files
from abcnn.training.options import TrainingOptions
from abcnn.training.prepare import prepare
from tests.trained import OPTIONS, SAMPLES

pytest.importorskip("sacrebleu")


def test_all_features_of_the_paper(tmp_path, wordnet):
    task, samples = TASKS["entailment"], SAMPLES / "entailment"
    options = TrainingOptions(**OPTIONS | {"epochs": 1}, features=("paper", "lexical"))
    lines = (samples / "train.tsv").read_text().splitlines()
    (tmp_path / "train.tsv").write_text("\n".join(lines[:120]))
    files = {"train": tmp_path / "train.tsv", "dev": samples / "dev.tsv"}
    trained = train_files(
        task,
        tmp_path / "out",
        **{f"{part}_file": str(file) for part, file in files.items()},
        options=options,
        device="cpu",
        extraction=Extraction(cache=FeatureCache(tmp_path / "cache")),
    ).matcher
    train, dev = (read_pairs(file, require_labels=True).pairs for file in files.values())
    there = prepare(train, task, options.for_task(task), None)
    loaded = load_bundle(tmp_path / "out")

    statistics = loaded.encoder.features.statistics
    assert statistics == there.encoder.features.statistics
    assert statistics.wordnet == wordnet
    assert statistics.antonyms
    assert {"sacrebleu", "nltk", "rouge-score", "wn"} < loaded.about["versions"].keys()
    features = loaded.encoder(train.left, train.right).features
    assert features.shape[1] >= 24
    np.testing.assert_array_equal(features, there.pairs.features)
    np.testing.assert_array_equal(
        loaded.predict(dev).probabilities, trained.predict(dev).probabilities
    )
    # One by one, in another case of the letters, and without the cache.
    for index in (0, 11):
        upper = [dev.left[index].upper()], [dev.right[index].upper()]
        alone = loaded.encoder(*upper).features[0]
        np.testing.assert_array_equal(alone, trained.encoder(dev.left, dev.right).features[index])


def test_statistics_survive_json_as_they_are(wordnet):
    statistics = replace(
        WordStatistics.of([["The", "cat"], ["the", "\ud800"]]),
        antonyms=frozenset({("b", "c"), ("a", "z")}),
        wordnet=wordnet,
    )
    assert WordStatistics.from_dict(json.loads(json.dumps(statistics.to_dict()))) == statistics


def test_a_feature_of_another_version_is_refused(trained, monkeypatch):
    folder = trained("answer-selection").folder
    changed = replace(FEATURES["word_count"], version=2)
    monkeypatch.setitem(FEATURES, "word_count", changed)
    with pytest.raises(BundleError, match="with version 1 of the feature word_count"):
        load_bundle(folder)
