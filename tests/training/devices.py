"""Run by `test_devices.py` as a program: train on `argv[1]` virtual processors, print JSON."""

import json
import sys
from pathlib import Path

import tensorflow as tf

from abcnn.devices import device_count
from abcnn.tasks import TASKS
from abcnn.training.files import train_files
from abcnn.training.options import TrainingOptions
from abcnn.training.progress import Progress

SAMPLES = Path(__file__).resolve().parents[2] / "data" / "samples" / "entailment"

if __name__ == "__main__":
    (processor,) = tf.config.list_physical_devices("CPU")
    tf.config.set_logical_device_configuration(
        processor, [tf.config.LogicalDeviceConfiguration()] * int(sys.argv[1])
    )
    used: set[int] = set()
    trained = train_files(
        TASKS["entailment"],
        sys.argv[2],
        train_file=str(SAMPLES / "train.tsv"),
        dev_file=str(SAMPLES / "dev.tsv"),
        options=TrainingOptions(model="bcnn", dim=8, filters=4, epochs=2, batch_size=63),
        device="cpu",
        devices="all",
        progress=Progress(batch=lambda *now: used.add(device_count())),
    )
    print(
        json.dumps([list(used), [epoch.loss for epoch in trained.epochs], trained.matcher.metrics])
    )
