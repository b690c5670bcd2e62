"""One tiny matcher a task, trained from the samples as `abcnn train` does it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from abcnn.tasks import TASKS
from abcnn.training.files import train_files
from abcnn.training.options import TrainingOptions

if TYPE_CHECKING:
    from abcnn.scoring.matcher import Matcher
    from abcnn.training.progress import Epoch

SAMPLES = Path(__file__).resolve().parents[1] / "data" / "samples"
OPTIONS: dict[str, Any] = {"dim": 8, "filters": 4, "epochs": 2, "batch_size": 64}


@dataclass(frozen=True)
class TrainedTask:
    """A bundle, the matcher as it was before it was saved, and the files it comes from."""

    folder: Path
    matcher: Matcher
    epochs: tuple[Epoch, ...]
    train_file: Path
    dev_file: Path
    test_file: Path


def train_task(name: str, folder: Path) -> TrainedTask:
    """Train the smallest model for the task `name` and save it to `folder`."""
    files = {f"{part}_file": SAMPLES / name / f"{part}.tsv" for part in ("train", "dev", "test")}
    trained = train_files(
        TASKS[name],
        folder,
        options=TrainingOptions(**OPTIONS),
        device="cpu",
        **{part: str(file) for part, file in files.items()},
    )
    return TrainedTask(folder, trained.matcher, trained.epochs, **files)
