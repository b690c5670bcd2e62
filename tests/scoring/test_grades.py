"""Grades are the same wherever a matcher computes them, and for either loss."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

import abcnn
import abcnn.runtime
from abcnn.export.folder import export_bundle
from abcnn.readers import read_pairs
from abcnn.scoring.pair_scorer import PairScorer
from abcnn.tasks import TASKS
from abcnn.training.files import train_files
from abcnn.training.options import TrainingOptions
from tests.trained import OPTIONS

PAIRS = [("Who moved it?", "Nobody."), ("The cat", "A cat sat here."), ("a", "b c d e")]


@pytest.fixture(scope="module", params=["mse", "distribution"])
def folder(request, trained, tmp_path_factory):
    made = trained("similarity")
    if request.param == "mse":
        return made.folder
    folder = tmp_path_factory.mktemp("distribution") / "bundle"
    options = TrainingOptions(**OPTIONS | {"epochs": 1}, loss="distribution", grade_range=(0, 6))
    files = {"train_file": str(made.train_file), "dev_file": str(made.dev_file)}
    train_files(TASKS["similarity"], folder, options=options, device="cpu", **files)
    return folder


def test_engines_exports_pickles_and_batches_agree(folder, tmp_path):
    matcher = abcnn.load(folder)
    expected = matcher.predict(PAIRS).scores
    assert ((expected >= matcher.grades.low) & (expected <= matcher.grades.high)).all()
    assert len(set(expected)) == 3
    keras = abcnn.load(folder, engine="keras").predict(PAIRS).scores
    np.testing.assert_allclose(keras, expected, atol=1e-5)
    export_bundle(folder, tmp_path / "numpy", "numpy")
    exported = abcnn.runtime.load(tmp_path / "numpy").predict(PAIRS)
    np.testing.assert_allclose(exported.scores, expected, atol=1e-5)
    again = pickle.loads(pickle.dumps(matcher))  # noqa: S301
    assert again.grades == matcher.grades
    np.testing.assert_array_equal(again.predict(PAIRS).scores, expected)
    left, right = (np.array(side, dtype=object) for side in zip(*PAIRS, strict=True))
    scored = PairScorer(str(folder))({"left": left, "right": right})
    assert list(scored) == ["left", "right", "score", "note"]
    np.testing.assert_array_equal(scored["score"].astype(float), expected)
    readme = (tmp_path / "numpy" / "README.md").read_text()
    assert ("the grade is `1 + 4 / (1 + exp(-logit))`" in readme) == (matcher.grades.low == 1)


def test_rank_and_calibration(folder, trained):
    matcher = abcnn.load(folder)
    ranked = matcher.rank("The cat", [right for _, right in PAIRS])
    scores = [one.score for one in ranked]
    assert scores == sorted(scores, reverse=True)
    pairs = read_pairs(trained("similarity").test_file).pairs
    said = matcher.predict(pairs)
    assert matcher.calibration_error(pairs, said) is None
    assert matcher.record(pairs, said) == matcher.evaluate(pairs).to_dict()
    shifted = replace(said, grades=said.grades * 2 + 5)
    assert matcher.measure(pairs, shifted).pearson == pytest.approx(
        matcher.measure(pairs, said).pearson
    )
