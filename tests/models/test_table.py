"""Every model of the table trains, is saved and loaded, and scores as before."""

import numpy as np
import pytest

import abcnn
from abcnn.models import MODELS
from abcnn.network_config import MODEL_OPTIONS
from abcnn.tasks import TASKS
from abcnn.training.files import train_files
from abcnn.training.options import TrainingOptions
from tests.trained import SAMPLES

PAIRS = [("Who moved the ferry?", "Two men moved it."), ("The man is not running", "A cat ran.")]


SMALL = {"conv_layers": 1, "filters": 4, "hidden_dim": 6, "heads": 2, "depth": 2}
VARIANTS = [
    *((model, {}) for model in MODELS),
    ("abcnn-3", {"pooled_attention": 10, "rest_network": True}),
    ("transformer", {"joint": True}),
    ("siamese-rnn", {"cell": "lstm", "both_directions": True}),
    ("conditional-rnn", {"cell": "rnn", "both_directions": True}),
    ("attentive-rnn", {"attention": "local-predictive", "match_score": "bilinear"}),
    ("hierarchical", {"cell": "lstm", "both_directions": True, "max_sentences": 2}),
    ("abcnn-3", {"comparison": ("difference", "product"), "width": (2, 4)}),
    ("siamese-rnn", {"comparison": ("product",)}),
    ("attentive-rnn", {"attention": "hard", "cell": "lstm", "both_directions": True}),
]


@pytest.mark.parametrize(("model", "chosen"), VARIANTS)
def test_from_training_to_a_loaded_bundle(model, chosen, tmp_path):
    few = tmp_path / "few.tsv"
    rows = (SAMPLES / "entailment" / "train.tsv").read_text("utf-8").splitlines(keepends=True)
    few.write_text("".join(rows[:41]), "utf-8")
    small = {name: size for name, size in SMALL.items() if name in MODEL_OPTIONS[model]}
    options = TrainingOptions(model=model, dim=8, epochs=1, batch_size=64, **small | chosen)
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
