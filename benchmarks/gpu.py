"""Pairs a second in training and scoring on whatever the backend computes on, and what share of
its matrix products that is.

`KERAS_BACKEND` is tensorflow, jax or torch. For float32 and bfloat16: the rate of one large matrix
product, measured in the same run; tokenised pairs with WikiQA's mean lengths scored and trained on
in large batches, copying to the device included; the operations of their matrix products a second
as a share of that rate. Vectors are frozen. The record goes to `results/bench/`.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
RESULTS = Path(__file__).resolve().parent / "results" / "bench"
LEFT, RIGHT, FEATURES = 8, 24, 4
GOALS = {"scoring": 500_000, "training": 100_000}  # Pairs a second on one data-centre GPU.


@dataclass(frozen=True)
class Sizes:
    """Sizes of the network, its batches, and the side of the matrix product's square matrices."""

    dim: int = 300
    words: int = 50_000
    batch: int = 4096
    matrix: int = 8192


QUICK = Sizes(dim=50, words=1000, batch=64, matrix=512)


def rate(run: Callable[[], object], repetitions: int) -> float:
    """Runs a second: the median over some, after one to compile."""
    run()
    seconds = []
    for _ in range(repetitions):
        start = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - start)
    return 1 / statistics.median(seconds)


def matrix_rate(side: int, dtype: str, repetitions: int) -> float:
    """Operations a second of a product of two square matrices; ten for each look at the result."""
    from keras import ops

    values = np.random.default_rng(0).normal(size=(side, side)).astype("float32") / side
    one = ops.cast(ops.convert_to_tensor(values), dtype)

    def run() -> None:
        product = one
        for _ in range(10):
            product = ops.matmul(product, one)
        ops.convert_to_numpy(ops.cast(product[0, 0], "float32"))

    return 10 * 2 * side**3 * rate(run, repetitions)


def operations(config) -> dict[str, int]:
    """Multiplications and additions of a pair's matrix products in ABCNN-3, one layer.

    Training adds the gradients of the kernels, and of both factors of the second attention.
    """
    both, filters = LEFT + RIGHT, config.filters
    # Every width has blocks and a first attention of its own.
    convolution = sum(
        2 * width * filters * (both * config.dim + 2 * LEFT * RIGHT) for width in config.widths
    )
    first = len(config.widths) * 2 * LEFT * RIGHT * config.dim
    second = sum(2 * (LEFT + width - 1) * (RIGHT + width - 1) * filters for width in config.widths)
    return {
        "scoring": convolution + first + second,
        "training": 2 * convolution + first + 3 * second,
    }


def measure(precision: str, sizes: Sizes, repetitions: int) -> dict:
    import keras

    from abcnn.devices import compiles_shapes
    from abcnn.network import NetworkConfig, build_network
    from abcnn.training.batching import TrainingBatch
    from abcnn.training.losses import LOSSES
    from abcnn.training.step import training_step

    keras.config.set_dtype_policy("float32" if precision == "float32" else "mixed_bfloat16")
    config = NetworkConfig(sizes.words, sizes.dim, FEATURES, 1, ("cosine",))
    generator = np.random.default_rng(0)
    vectors = generator.normal(size=(sizes.words, sizes.dim)).astype("float32")
    network = build_network(config, vectors)
    network.compile(keras.optimizers.Adam(), LOSSES["pointwise"], jit_compile=compiles_shapes())
    network.optimizer.build(network.trainable_variables)
    step = training_step(network)
    batch = TrainingBatch(
        inputs={
            "left": generator.integers(1, sizes.words, (sizes.batch, LEFT), "int32"),
            "right": generator.integers(1, sizes.words, (sizes.batch, RIGHT), "int32"),
            "features": generator.normal(size=(sizes.batch, FEATURES)).astype("float32"),
        },
        targets=np.stack([np.arange(sizes.batch) % 2, np.zeros(sizes.batch)], 1).astype("float32"),
        weights=None,
        pairs=sizes.batch,
    )
    products = matrix_rate(sizes.matrix, precision, repetitions)
    runs = {
        "scoring": lambda: network.predict_on_batch(batch.inputs),
        "training": lambda: step(batch),
    }
    figures: dict = {"precision": precision, "matrix_operations_per_second": products}
    for name, run in runs.items():
        pairs = sizes.batch * rate(run, repetitions)
        share = pairs * operations(config)[name] / products
        figures[name] = {"pairs_per_second": pairs, "share_of_matrix_rate": share}
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="sizes for a processor")
    parser.add_argument("--repetitions", type=int, default=20)
    parser.add_argument("--device", default="auto")
    arguments = parser.parse_args()

    from abcnn.devices import find_devices, use_device

    use_device(arguments.device)
    found = find_devices()
    sizes = QUICK if arguments.quick else Sizes()
    records = [
        measure(precision, sizes, arguments.repetitions) for precision in ("float32", "bfloat16")
    ]
    accelerator = arguments.device != "cpu" and found.gpus
    place = accelerator[0] if accelerator else "processor"
    result = {"backend": found.backend, "device": place, "sizes": vars(sizes), "records": records}
    RESULTS.mkdir(parents=True, exist_ok=True)
    name = f"gpu-{found.backend}{'-quick' if arguments.quick else ''}.json"
    (RESULTS / name).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(f"{found.backend} on {place}\n")
    print("| what | precision | goal, pairs/s | reached, pairs/s | share of the matrix rate |")
    print("| --- | --- | --- | --- | --- |")
    for record in records:
        for what, goal in GOALS.items():
            reached = record[what]
            print(
                f"| {what} | {record['precision']} | {f'{goal:,}' if accelerator else 'a GPU'} | "
                f"{reached['pairs_per_second']:,.0f} | {reached['share_of_matrix_rate']:.1%} |"
            )


if __name__ == "__main__":
    main()
