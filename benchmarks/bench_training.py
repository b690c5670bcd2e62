"""Training: an epoch against plain `fit`, and the memory that a large file takes.

Speed: ABCNN-3 on the training pairs of WikiQA, 300-dimensional vectors, batch 32, pointwise loss.
`plain` is Keras's `fit` with all sentences padded to 40 on the textbook network, which makes the
feature map and convolves over it; `padded` is `fit` on this package's network, so that what the
batches and what the layers gain can be told apart. The losses after some epochs are compared over
seeds. Without the corpora, or with `--quick`, the bundled samples and random vectors are used.

Memory: with `--pairs N`, `abcnn train --memory-map` on N generated pairs in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
RESULTS = ROOT / "benchmarks" / "results" / "bench"
SAMPLE = ROOT / "data" / "samples" / "answer-selection" / "train.tsv"
VECTORS = "vectors/spacy_en_core_web_md_300d.subset.bin.gz"
PADDED = 40


def prepared(data: Path, quick: bool, loss: str, limit: int | None):
    """The training pairs in numbers, and their options."""
    from abcnn.readers import read_pairs
    from abcnn.tasks import TASKS
    from abcnn.text.vectors import WordVectors
    from abcnn.training import prepare as preparing
    from abcnn.training.options import TrainingOptions

    task = TASKS["answer-selection"]
    options = TrainingOptions(train_vectors=False, loss=loss, dim=300).for_task(task)
    real = not quick and (data / VECTORS).is_file()
    file = data / "wikiqa/WikiQA-train.tsv" if real else SAMPLE
    pairs = read_pairs(file, require_labels=True).pairs
    pairs = pairs.select(range(limit or len(pairs)))
    if real:
        return preparing.prepare(pairs, task, options, data / VECTORS), options
    with tempfile.TemporaryDirectory() as folder:
        from abcnn.text.word2vec import write_vectors

        words = tuple(
            sorted({word for text in (*pairs.left, *pairs.right) for word in text.split()})
        )
        matrix = np.random.default_rng(0).normal(size=(len(words), 300)).astype("float32")
        path = Path(folder) / "vectors.bin"
        write_vectors(WordVectors(words, matrix, "random"), path)
        return preparing.prepare(pairs, task, options, path), options


@contextmanager
def textbook() -> Iterator[None]:
    """In the block, networks make the feature map and convolve over it beside the units."""
    from unittest.mock import patch

    from keras import ops

    from abcnn.layers.windows import phrase_mask
    from abcnn.models.block import Block, BlockOutput

    def convolved(block, units, mask):
        margin = block.width - 1
        units = ops.pad(ops.where(mask[..., None], units, 0), ((0, 0), (margin, margin), (0, 0)))
        phrases = ops.conv(units, block.convolution.kernel, padding="valid")
        phrases = ops.tanh(phrases + block.convolution.bias)
        return ops.where(phrase_mask(mask, block.width)[..., None], phrases, 0)

    def call(self, left, right, left_mask=None, right_mask=None):
        attention = self.input_attention(left, right, left_mask, right_mask)
        left_map, right_map = self.feature_map(attention)
        left = convolved(self, ops.concatenate([left, left_map], axis=-1), left_mask)
        right = convolved(self, ops.concatenate([right, right_map], axis=-1), right_mask)
        left_mask, right_mask = self._phrase_mask(left_mask), self._phrase_mask(right_mask)
        attention = self.pooling_attention(left, right, left_mask, right_mask)
        left_weights, right_weights = ops.sum(attention, axis=2), ops.sum(attention, axis=1)
        return BlockOutput(
            left=self.pool_windows(left, left_weights),
            right=self.pool_windows(right, right_weights),
            left_vector=self.pool_all(left, left_weights, left_mask),
            right_vector=self.pool_all(right, right_weights, right_mask),
        )

    with patch.object(Block, "call", call):
        yield


class Trainer:
    """A fresh network and one way of training it; `epoch()` gives the epoch's mean loss.

    plain: padded to 40 on the textbook network; padded: the same on this package's network; ours:
    the loop of `abcnn train`. With a loss over candidates `fit` cannot keep questions whole: plain
    and padded then take the loop's batches, one `train_on_batch` each.
    """

    def __init__(self, way: str, made, options, seed: int) -> None:
        import keras

        from abcnn.network import NetworkConfig, build_network
        from abcnn.training.losses import LOSSES
        from abcnn.training.step import training_step

        self.way, self.pairs, self.options, self.number = way, made.pairs, options, 0
        self.options = replace(options, seed=seed)
        keras.utils.set_random_seed(seed)
        config = NetworkConfig(
            *made.vectors.shape, self.pairs.features.shape[1], 1, ("cosine",), l2=options.l2
        )
        with self.form():
            self.network = build_network(config, made.vectors)
        # Compiled by XLA, which `fit` would do, it is slower here.
        self.network.compile(
            keras.optimizers.Adam(options.learning_rate), LOSSES[options.loss], jit_compile=False
        )
        self.network.optimizer.build(self.network.trainable_variables)
        self.step = training_step(self.network)
        if way != "ours":
            every = np.arange(len(self.pairs))
            self.inputs = {
                "left": self.pairs.left.padded(every, PADDED),
                "right": self.pairs.right.padded(every, PADDED),
                "features": self.pairs.features,
            }
            self.targets = np.stack([self.pairs.labels, self.pairs.groups], 1).astype("float32")

    def form(self):
        return textbook() if self.way == "plain" else nullcontext()

    def epoch(self) -> float:
        from abcnn.training.batching import BatchShapes, ahead_of_time, epoch_order, training_batch

        self.number += 1
        with self.form():
            if self.way != "ours" and self.options.loss == "pointwise":
                history = self.network.fit(
                    self.inputs, self.targets, batch_size=self.options.batch_size, verbose=0
                )
                return history.history["loss"][-1]
            order = epoch_order(self.pairs, self.options, self.number)
            batches = (
                training_batch(self.pairs, indices, PADDED, None, BatchShapes())
                for indices in order
            )
            total = 0.0
            for indices, batch in zip(order, ahead_of_time(batches), strict=True):
                if self.way == "ours":
                    loss = self.step(batch)
                else:
                    inputs = {name: array[indices] for name, array in self.inputs.items()}
                    loss = float(self.network.train_on_batch(inputs, batch.targets))
                total += loss * batch.pairs
            return total / sum(map(len, order))


def speed(made, options, repetitions: int, seeds: int) -> dict[str, Any]:
    """Seconds of interleaved epochs after one to warm up, and the loss after them, a way."""
    ways = ("plain", "padded", "ours")
    seconds: dict[str, list[float]] = {way: [] for way in ways}
    losses: dict[str, list[float]] = {way: [] for way in ways}
    for seed in range(seeds):
        trainers = {way: Trainer(way, made, options, seed) for way in ways}
        for repetition in range(repetitions + 1):
            for way, trainer in trainers.items():
                start = time.perf_counter()
                told = trainer.epoch()
                if repetition and seed == 0:
                    seconds[way].append(time.perf_counter() - start)
                if repetition == repetitions:
                    losses[way].append(told)
    middle = {way: statistics.median(values) for way, values in seconds.items()}
    return {
        "loss": options.loss,
        "pairs": len(made.pairs),
        "dim": made.vectors.shape[1],
        "epoch_seconds": seconds,
        "losses_after_epochs": losses,
        "times_plain": middle["plain"] / middle["ours"],
        "times_padded": middle["padded"] / middle["ours"],
    }


def memory(pairs: int) -> dict[str, Any]:
    """The peak of `abcnn train --memory-map` on a generated file, in MB, and its seconds."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        generate(folder, pairs)
        command = [
            *(sys.executable, "cli.py", "train", "paraphrase", "--memory-map", "--device", "cpu"),
            *("--train", str(folder / "train.csv"), "--dev", str(folder / "dev.csv")),
            *("--vectors", str(folder / "vectors.txt"), "--out", str(folder / "out")),
            *("--model", "bcnn", "--epochs", "1", "--batch-size", "512"),
            *("--features", "left_length,right_length,word_count"),
        ]
        start = time.perf_counter()
        process = os.posix_spawn(sys.executable, command, os.environ)
        _, status, usage = os.wait4(process, 0)
        if status:
            raise subprocess.CalledProcessError(status, command)
        return {
            "pairs": pairs,
            "file_megabytes": (folder / "train.csv").stat().st_size / 1e6,
            "peak_megabytes": usage.ru_maxrss / 1024,
            "seconds": time.perf_counter() - start,
        }


def generate(folder: Path, pairs: int) -> None:
    """Pairs of random sentences, alike when the label is 1, and vectors of their words."""
    generator = np.random.default_rng(0)
    words = np.array([f"word{index}" for index in range(30_000)])
    for name, count in (("train.csv", pairs), ("dev.csv", 2000)):
        with (folder / name).open("w", encoding="utf-8") as file:
            file.write("sentence1,sentence2,label\n")
            for start in range(0, count, 10_000):
                left, other = generator.choice(words, (2, min(10_000, count - start), 12))
                labels = generator.integers(0, 2, len(left))
                right = np.where(labels[:, None] == 1, left[:, ::-1], other)
                file.writelines(
                    f"{' '.join(a)},{' '.join(b)},{label}\n"
                    for a, b, label in zip(left, right, labels, strict=True)
                )
    with (folder / "vectors.txt").open("w", encoding="utf-8") as file:
        for word, row in zip(words, generator.normal(size=(len(words), 50)), strict=True):
            file.write(f"{word} {' '.join(f'{value:.4f}' for value in row)}\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--quick", action="store_true", help="bundled samples; no goal is meant")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--losses", nargs="*", default=["pointwise", "listwise"])
    parser.add_argument("--limit", type=int, help="only so many of the training pairs")
    parser.add_argument("--pairs", type=int, help="measure memory on so many pairs instead")
    arguments = parser.parse_args()
    RESULTS.mkdir(parents=True, exist_ok=True)
    quick = "-quick" if arguments.quick else ""
    print("| what | goal | reached |\n| --- | --- | --- |")
    if arguments.pairs:
        figures = memory(arguments.pairs)
        write(f"training-memory{quick}.json", figures)
        print(
            f"| peak memory of training on {figures['pairs']:,} pairs, one epoch, "
            f"{figures['seconds']:.0f} s | <= 2,048 MB | {figures['peak_megabytes']:,.0f} MB |"
        )
        return
    records = []
    for loss in arguments.losses:
        made, options = prepared(arguments.data, arguments.quick, loss, arguments.limit)
        record = speed(made, options, arguments.repetitions, arguments.seeds)
        records.append(record)
        print(
            f"| an epoch, {loss}, against plain | >= 3 times | {record['times_plain']:.2f} times |"
        )
        print(
            f"| against padded, with this package's layers | | {record['times_padded']:.2f} times |"
        )
        for way, values in record["losses_after_epochs"].items():
            told = ", ".join(f"{value:.4f}" for value in values)
            print(
                f"| loss after {arguments.repetitions + 1} epochs, {way} | | {told} |", flush=True
            )
    write(f"training{quick}.json", records)


def write(name: str, figures: Any) -> None:
    (RESULTS / name).write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
