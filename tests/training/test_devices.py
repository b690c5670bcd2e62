"""Several devices that share each batch give what one gives."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from abcnn.errors import InputError
from abcnn.tasks import TASKS
from abcnn.training.files import train_files
from abcnn.training.options import TrainingOptions


def losses(devices: int, out: Path) -> tuple[list[float], dict]:
    """The losses and measures of a run on so many virtual processors, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.training.devices", str(devices), str(out)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert done.returncode == 0, done.stderr
    used, told, metrics = json.loads(done.stdout.splitlines()[-1])
    assert used == [devices]
    return told, metrics


def test_two_devices_learn_what_one_learns(tmp_path):
    """Batches of an odd number of pairs, filled up so that each device has as many."""
    one, measured = losses(1, tmp_path / "one")
    two, measured_on_two = losses(2, tmp_path / "two")
    assert two == pytest.approx(one, rel=1e-4)
    assert measured_on_two["dev"]["accuracy"] == pytest.approx(
        measured["dev"]["accuracy"], abs=0.02
    )
    assert one[1] < one[0]


def test_a_loss_over_candidates_wants_one_device(tmp_path):
    with pytest.raises(InputError, match="`devices` needs --loss pointwise: the listwise loss"):
        train_files(
            TASKS["answer-selection"],
            tmp_path / "out",
            train_file="none.tsv",
            options=TrainingOptions(),
            devices="all",
        )
