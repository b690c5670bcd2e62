"""Training from arrays on disk: the same matcher, and nothing left behind."""

from dataclasses import asdict

import numpy as np
import pytest

from abcnn.bundle import load_bundle
from abcnn.errors import InputError
from abcnn.tasks import TASKS
from abcnn.training.files import train_files
from abcnn.training.options import TrainingOptions
from abcnn.training.progress import Progress
from tests.trained import OPTIONS


def train(trained, name: str, out, progress: Progress | None = None, **arguments):
    task = trained(name)
    files = {
        f"{part}_file": str(getattr(task, f"{part}_file")) for part in ("train", "dev", "test")
    }
    return train_files(
        TASKS[name],
        out,
        options=TrainingOptions(**OPTIONS),
        memory_map=True,
        device="cpu",
        progress=progress or Progress(),
        **files | arguments,
    )


@pytest.mark.parametrize("name", ["answer-selection", "entailment"])
def test_the_matcher_is_the_one_trained_in_memory(trained, tmp_path, name):
    seen = []
    out, arrays = tmp_path / "out", tmp_path / "out.training" / "arrays"
    mapped = train(
        trained, name, out, Progress(epoch=lambda epoch: seen.append(sorted(arrays.iterdir())))
    )
    assert {"left_ids.bin", "right_ids.bin", "features.bin"} <= {file.name for file in seen[0]}
    assert [file.name for file in tmp_path.iterdir()] == ["out"]
    here = trained(name)
    epochs = [[{**asdict(e), "seconds": 0} for e in run.epochs] for run in (mapped, here)]
    assert epochs[0] == epochs[1]
    for one, other in zip(
        load_bundle(out).network.get_weights(), here.matcher.network.get_weights(), strict=True
    ):
        np.testing.assert_array_equal(one, other)
    assert mapped.matcher.metrics == here.matcher.metrics
    assert mapped.matcher.about["data"] == here.matcher.about["data"]


def test_interrupted_it_leaves_the_checkpoint_only_and_goes_on(trained, tmp_path):
    def press(epoch: int, batch: int, batches: int) -> None:
        if epoch == 2:
            raise KeyboardInterrupt

    out, state = tmp_path / "out", tmp_path / "out.training"
    assert train(trained, "entailment", out, Progress(batch=press)).interrupted
    assert [file.name for file in state.iterdir()] == ["checkpoint.npz"]
    resumed = train(trained, "entailment", out, resume=True)
    assert not state.exists()
    assert [epoch.loss for epoch in resumed.epochs] == [
        epoch.loss for epoch in trained("entailment").epochs
    ]


def test_bad_rows_and_a_missing_dev_file_leave_nothing(trained, tmp_path):
    bad = tmp_path / "train.tsv"
    bad.write_text("sentence1\tsentence2\tlabel\nA dog.\tA cat.\t1\nA dog.\t\t0\n")
    with pytest.raises(InputError, match=r"train.tsv, row 2 .*`sentence2` must hold a sentence"):
        train(trained, "paraphrase", tmp_path / "out", train_file=str(bad))
    with pytest.raises(InputError, match="`memory_map` needs a dev file"):
        train(trained, "paraphrase", tmp_path / "out", dev_file=None)
    assert [file.name for file in tmp_path.iterdir()] == ["train.tsv"]
