"""Comparisons of trained models, in this process."""

from __future__ import annotations

import json

import pytest

from abcnn.errors import InputError
from abcnn.model_comparison import compare_models
from abcnn.tasks import TASKS
from abcnn.training.options import TrainingOptions
from abcnn.training.progress import Progress
from tests.trained import OPTIONS


def test_a_run_is_that_of_train_and_one_that_fails_leaves_the_others(trained, tmp_path):
    known = trained("paraphrase")
    told: list[str] = []

    def compare(models, **options):
        return compare_models(
            TASKS["paraphrase"],
            tmp_path / "out",
            train_file=str(known.train_file),
            dev_file=str(known.dev_file),
            models=models,
            seeds=1,
            options=TrainingOptions(**OPTIONS | options),
            device="cpu",
            progress=Progress(told.append),
        )

    (row,) = compare(["abcnn-3"])
    assert row.dev == known.matcher.metrics["dev"]["accuracy"]
    weights = known.matcher.weights
    vectors = weights["vectors/embeddings"].size
    assert row.parameters == sum(weight.size for weight in weights.values()) - vectors
    assert row.parameters_with_vectors == row.parameters + vectors
    assert row.engine == "fast"
    assert row.pairs_per_second > 0

    kept = tmp_path / "out" / "runs" / "abcnn-3-0.json"
    before = kept.stat().st_mtime_ns
    assert compare(["abcnn-3"]) == (row,)
    assert kept.stat().st_mtime_ns == before
    with pytest.raises(InputError, match=r"abcnn-3-0\.json: was made with other epochs, l2; one"):
        compare(["abcnn-3"], epochs=1, l2=0.0)

    # Steps so long that the loss is not finite.
    (failed,) = compare(["bcnn"], learning_rate=1e30, optimizer="sgd")
    assert (failed.seeds, failed.dev) == (0, None)
    assert failed.failures[0].startswith("seed 0: the ")
    assert (
        told[-1] == f"bcnn, seed 0 (1 of 1): failed: {failed.failures[0].removeprefix('seed 0: ')}"
    )
    assert [file.name for file in kept.parent.iterdir()] == [kept.name]
    document = json.loads((tmp_path / "out" / "models.json").read_text())
    assert document["rows"][0]["failures"] == list(failed.failures)


@pytest.mark.parametrize("content", ["", "[]", '{"conditions": {}, "run": {"model": 3}}'])
def test_a_file_that_is_no_run_is_named_before_anything_is_trained(trained, tmp_path, content):
    known = trained("paraphrase")
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "bcnn-0.json").write_text(content)
    with pytest.raises(InputError, match=r"bcnn-0\.json: expected a finished run\. Received: "):
        compare_models(
            TASKS["paraphrase"],
            tmp_path,
            train_file=str(known.train_file),
            dev_file=str(known.dev_file),
            models=["average", "bcnn"],
        )
    assert [file.name for file in tmp_path.rglob("*.json")] == ["bcnn-0.json"]


def test_a_folder_of_something_else_is_left_alone(trained, tmp_path):
    known = trained("paraphrase")
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(InputError, match="is not empty and holds no comparison"):
        compare_models(TASKS["paraphrase"], tmp_path, train_file=str(known.train_file))
    assert [file.name for file in tmp_path.iterdir()] == ["thesis.txt"]
