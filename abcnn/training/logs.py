"""Where else a run is written down: TensorBoard, MLflow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from abcnn.errors import require
from abcnn.training.progress import Epoch, Progress


class RunLog(Protocol):
    """A place for numbers by name; it is opened with the first of them, so that a run that fails
    before leaves nothing there."""

    def numbers(self, values: Mapping[str, float], step: int) -> None:
        """Note numbers at an epoch."""

    def close(self, options: Mapping[str, Any]) -> None:
        """Note the options and end, if anything was noted."""


@dataclass
class TensorBoardLog:
    """Event files in a folder. Raises MissingExtraError without tensorboard."""

    folder: Path
    _writer: Any = field(default=None, init=False)

    def __post_init__(self) -> None:
        require("tensorboard", "tensorboard")

    def numbers(self, values: Mapping[str, float], step: int) -> None:
        if self._writer is None:
            self._writer = require("tensorboard.summary", "tensorboard").Writer(str(self.folder))
        for name, value in values.items():
            self._writer.add_scalar(name, value, step)
        self._writer.flush()

    def close(self, options: Mapping[str, Any]) -> None:
        if self._writer is not None:
            self._writer.close()


@dataclass
class MlflowLog:
    """A run of MLflow, where its own environment variables say. Raises MissingExtraError."""

    _mlflow: Any = field(default=None, init=False)
    _run: Any = field(default=None, init=False)

    def __post_init__(self) -> None:
        self._mlflow = require("mlflow", "mlflow")

    def numbers(self, values: Mapping[str, float], step: int) -> None:
        self._run = self._run or self._mlflow.start_run()
        self._mlflow.log_metrics(dict(values), step=step)

    def close(self, options: Mapping[str, Any]) -> None:
        if self._run is not None:
            self._mlflow.log_params(dict(options))
            self._mlflow.end_run()


@contextmanager
def logged(
    progress: Progress, logs: list[RunLog], measure: str, options: Mapping[str, Any]
) -> Iterator[Progress]:
    """A progress that also writes the loss, the dev measure and the seconds of every epoch."""

    def epoch(one: Epoch) -> None:
        values = {"loss": one.loss, f"dev_{measure}": one.dev, "seconds": one.seconds}
        for log in logs:
            log.numbers(values, one.number)
        progress.epoch(one)

    with ExitStack() as stack:
        for log in logs:
            stack.callback(log.close, options)
        yield replace(progress, epoch=epoch)
