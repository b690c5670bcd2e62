"""What attention costs: time and memory of each layer against the length of its sentences.

`python benchmarks/attention_cost.py` measures each layer in a process of its own, forward and
backward over a batch of pairs of equally long sentences, and writes
`results/bench/attention-cost.json` and the plot of `docs/attention.md`. Seconds are medians;
memory is the growth of the process's peak, lengths going up.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "benchmarks" / "results" / "bench" / "attention-cost.json"
PLOT = ROOT / "docs" / "assets" / "attention" / "cost.svg"
BATCH, DIM = 8, 100


def _layers() -> dict[str, Callable]:
    """A function from `(left, right)` to what the layer gives, by the layer's name."""
    from keras import ops

    from abcnn import layers

    def convolution() -> Callable:
        convolve = layers.WideConvolution(DIM, 4)
        return lambda left, right: convolve(left)

    def abcnn1() -> Callable:
        attend = layers.AttentionMatrix()
        feature_map = layers.AttentionFeatureMap(DIM, 1024)
        return lambda left, right: feature_map(attend(left, right))[0]

    def abcnn2() -> Callable:
        attend, pool = layers.AttentionMatrix(), layers.AllPooling()
        return lambda left, right: pool(left, weights=ops.sum(attend(left, right), 2))

    return {
        "no attention: WideConvolution": convolution,
        "ABCNN-1: AttentionFeatureMap": abcnn1,
        "ABCNN-2: weighted pooling": abcnn2,
        "SoftAttention": lambda: layers.SoftAttention("scaled_dot"),
        "LocalAttention": lambda: layers.LocalAttention(5, match_score="scaled_dot"),
        "HardAttention": lambda: layers.HardAttention("scaled_dot"),
        "SoftAttention, additive": lambda: layers.SoftAttention("additive"),
        "MultiHeadAttention, 4 heads": lambda: layers.MultiHeadAttention(4, DIM // 4),
        "WordByWordAttention": lambda: layers.WordByWordAttention("scaled_dot"),
    }


def measure(name: str, lengths: list[int], repeats: int) -> list[dict]:
    """Seconds and peak memory of a layer at each length, in this process."""
    import numpy as np
    import tensorflow as tf

    layer = _layers()[name]()

    @tf.function(reduce_retracing=False)
    def step(left, right):
        with tf.GradientTape() as tape:
            tape.watch((left, right))
            loss = tf.reduce_sum(layer(left, right) ** 2)
        return tape.gradient(loss, (left, right))

    generator, rows = np.random.default_rng(0), []

    def sentences(length: int) -> tf.Tensor:
        return tf.constant(generator.normal(size=(BATCH, length, DIM)), tf.float32)

    step(sentences(8), sentences(9))  # What every length shares is in memory before.
    for length in lengths:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        pair = sentences(length), sentences(length)
        step(*pair)
        seconds = []
        for _ in range(repeats):
            start = time.perf_counter()
            step(*pair)
            seconds.append(time.perf_counter() - start)
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        rows.append(
            {
                "layer": name,
                "length": length,
                "seconds_a_pair": statistics.median(seconds) / BATCH,
                "peak_growth_mb": grown / 1024,
            }
        )
    return rows


def draw(rows: list[dict], path: Path) -> None:
    """Time against length, both logarithmic, a line a layer."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"svg.hashsalt": "abcnn", "svg.fonttype": "none"}):
        figure = Figure(figsize=(8, 4.8), layout="constrained")
        axes = figure.subplots()
        marks = "os^vDPX*<"
        for mark, name in zip(marks, dict.fromkeys(row["layer"] for row in rows), strict=True):
            mine = [row for row in rows if row["layer"] == name]
            axes.plot(
                [row["length"] for row in mine],
                [row["seconds_a_pair"] * 1e3 for row in mine],
                marker=mark,
                label=name,
            )
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        lengths = sorted({row["length"] for row in rows})
        axes.set_xticks(lengths, [str(length) for length in lengths])
        axes.set_xlabel("units of each sentence")
        axes.set_ylabel("forward and backward, ms a pair")
        axes.grid(visible=True, alpha=0.3)
        figure.legend(loc="outside right upper", frameon=False)
        figure.savefig(path, format="svg", metadata={"Date": None})
    text = path.read_text(encoding="utf-8")
    path.write_text("\n".join(line.rstrip() for line in text.splitlines()) + "\n", encoding="utf-8")


def table(rows: list[dict]) -> str:
    """A row a layer: milliseconds a pair at each length, and the memory of the longest."""
    lengths = sorted({row["length"] for row in rows})
    lines = [
        f"| layer | {' | '.join(f'{n} units, ms' for n in lengths)} | {lengths[-1]} units, MB |",
        f"| --- |{' --- |' * (len(lengths) + 1)}",
    ]
    for name in dict.fromkeys(row["layer"] for row in rows):
        mine = {row["length"]: row for row in rows if row["layer"] == name}
        cells = [f"{mine[length]['seconds_a_pair'] * 1e3:.2f}" for length in lengths]
        memory = sum(row["peak_growth_mb"] for row in mine.values())
        lines.append(f"| {name} | {' | '.join(cells)} | {memory:.0f} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lengths", default="16,32,64,128,256,512")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--layer", help="Measure this one here, and print JSON.")
    arguments = parser.parse_args()
    lengths = [int(length) for length in arguments.lengths.split(",")]
    if arguments.layer:
        print(json.dumps(measure(arguments.layer, lengths, arguments.repeats)))
        return
    rows: list[dict] = []
    for name in _layers():
        command = [sys.executable, __file__, "--layer", name, "--lengths", arguments.lengths]
        command += ["--repeats", str(arguments.repeats)]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, cwd=ROOT)
        rows += json.loads(done.stdout.splitlines()[-1])
        print(name, file=sys.stderr, flush=True)
    RECORD.write_text(json.dumps({"batch": BATCH, "dim": DIM, "rows": rows}, indent=1) + "\n")
    draw(rows, PLOT)
    print(table(rows))


if __name__ == "__main__":
    main()
