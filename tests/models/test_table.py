"""Every model of the table trains, is saved and loaded, and scores as before."""

import numpy as np
import pytest

import abcnn
from abcnn.models import MODELS
from abcnn.tasks import TASKS
from abcnn.training.files import train_files
from abcnn.training.options import TrainingOptions
from tests.trained import OPTIONS, SAMPLES

PAIRS = [("Who moved the ferry?", "Two men moved it."), ("The man is not running", "A cat ran.")]


@pytest.mark.parametrize("model", MODELS)
def test_from_training_to_a_loaded_bundle(model, tmp_path):
    few = tmp_path / "few.tsv"
    rows = (SAMPLES / "entailment" / "train.tsv").read_text("utf-8").splitlines(keepends=True)
    few.write_text("".join(rows[:41]), "utf-8")
    options = TrainingOptions(model=model, hidden_dim=6, **OPTIONS | {"epochs": 1})
    trained = train_files(
        TASKS["entailment"],
        tmp_path / "bundle",
        options=options,
        device="cpu",
        train_file=str(few),
        dev_file=str(few),
    )
    expected = trained.matcher.predict(PAIRS).probabilities
    assert np.isfinite(expected).all()
    again = abcnn.load(tmp_path / "bundle").predict(PAIRS).probabilities
    np.testing.assert_allclose(again, expected, atol=1e-6)
