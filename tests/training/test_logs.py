"""What TensorBoard and MLflow are told, read back from their own files."""

from __future__ import annotations

import sys

import pytest

from abcnn.errors import MissingExtraError
from abcnn.training.logs import MlflowLog, TensorBoardLog, logged
from abcnn.training.progress import Epoch, Progress

EPOCHS = [Epoch(1, 0.5, 0.75, True, 2.0), Epoch(2, 0.25, 0.5, False, 3.0)]


def tell(log):
    seen = []
    with logged(Progress(epoch=seen.append), [log], "map", {"seed": 7}) as progress:
        for epoch in EPOCHS:
            progress.epoch(epoch)
    assert seen == EPOCHS


def test_tensorboard(tmp_path):
    loading = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    tell(TensorBoardLog(tmp_path / "log"))
    found = loading.EventAccumulator(
        str(tmp_path / "log"), size_guidance={"tensors": 0, "scalars": 0}
    ).Reload()
    tags = found.Tags()
    assert set(tags["tensors"] or tags["scalars"]) == {"loss", "dev_map", "seconds"}
    steps = [event.step for event in found.Tensors("loss")]
    values = [event.tensor_proto.float_val[0] for event in found.Tensors("loss")]
    assert (steps, values) == ([1, 2], [0.5, 0.25])


def test_mlflow(tmp_path, monkeypatch):
    mlflow = pytest.importorskip("mlflow")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    tell(MlflowLog())
    client = mlflow.MlflowClient()
    [run] = client.search_runs(["0"])
    assert run.data.params == {"seed": "7"}
    assert run.data.metrics == {"loss": 0.25, "dev_map": 0.5, "seconds": 3.0}
    steps = [one.step for one in client.get_metric_history(run.info.run_id, "loss")]
    assert steps == [1, 2]


def test_a_run_that_fails_before_its_first_epoch_leaves_nothing(tmp_path):
    pytest.importorskip("tensorboard")
    log = TensorBoardLog(tmp_path / "log")
    with pytest.raises(ValueError, match="bad"), logged(Progress(), [log], "map", {}):
        raise ValueError("bad")
    assert not (tmp_path / "log").exists()


def test_a_missing_package_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'abcnn\[mlflow\]'"):
        MlflowLog()
