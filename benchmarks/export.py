"""Size, speed and loss of every form of an exported model: the tables of `docs/export.md`.

`python benchmarks/export.py BUNDLE TEST_FILE`: each form is exported, loaded in its own runtime and
scores the encoded pairs of the file in batches of like lengths, as the Keras network does. All are
measured once a round, and the medians over the rounds are compared. Loss is against the Keras
network: the largest difference of a probability, and the task's measure. The table goes to the
screen, the figures to `results/bench/export-<task>.json`.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import abcnn  # noqa: E402
import abcnn.runtime  # noqa: E402
from abcnn.export import FORMATS, export_bundle  # noqa: E402
from abcnn.export.scorer import ExportedScorer  # noqa: E402
from abcnn.readers import read_pairs  # noqa: E402
from abcnn.runtime.packed_vectors import PACKINGS  # noqa: E402

Logits = Callable[[Any], np.ndarray]


def loaded(form: str, folder: Path, matcher: abcnn.Matcher) -> Logits:
    """What computes the logits of encoded pairs, in the runtime of the form."""
    if form in ("numpy", "onnx"):
        return abcnn.runtime.load(folder).logits
    if form == "saved_model":
        import tensorflow as tf

        model = tf.saved_model.load(folder / "saved_model")
        serve = model.signatures["serving_default"]
    else:
        from ai_edge_litert.interpreter import Interpreter

        model = Interpreter(str(folder / "model.tflite"), num_threads=os.cpu_count())
        serve = model.get_signature_runner("serving_default")

    def network(inputs: Mapping[str, np.ndarray]) -> np.ndarray:
        return np.asarray(serve(**inputs)["logits"])

    return ExportedScorer(matcher, network).logits


def measured(bundle: Path, test_file: Path, rounds: int) -> list[dict[str, Any]]:
    """A row a form and packing; the first two are the bundle's own engines."""
    pairs = read_pairs(test_file).pairs
    keras, fast = (abcnn.load(bundle, engine=engine) for engine in ("keras", "fast"))
    encoded = keras.encode(pairs.left, pairs.right)
    expected = keras.decide(keras.logits(encoded)).probabilities
    rows: list[dict[str, Any]] = []
    contestants: list[Logits] = []

    def enter(form: str, vectors: str, folder: Path, load: Callable[[], Logits]) -> None:
        start = time.perf_counter()
        contestants.append(load())
        seconds = time.perf_counter() - start
        said = keras.decide(contestants[-1](encoded))
        measures = keras.measure(pairs, said)
        rows.append(
            {
                "form": form,
                "vectors": vectors,
                "bytes": sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()),
                "load_seconds": seconds,
                "largest_difference": float(np.abs(said.probabilities - expected).max()),
                keras.task.measure: getattr(measures, keras.task.measure),
            }
        )

    enter("bundle, engine keras", "float32", bundle, lambda: keras.logits)
    enter("bundle, engine fast", "float32", bundle, lambda: fast.logits)
    with tempfile.TemporaryDirectory() as parent:
        for form in FORMATS:
            for vectors in PACKINGS:
                if (form, vectors) == ("litert", "float16"):
                    continue  # LiteRT looks up no float16
                folder = Path(parent) / f"{form}-{vectors}"
                export_bundle(bundle, folder, form, vectors=vectors)
                enter(form, vectors, folder, lambda: loaded(form, folder, keras))  # noqa: B023
        seconds: list[list[float]] = [[] for _ in rows]
        for _ in range(rounds):
            for number, logits in enumerate(contestants):
                start = time.perf_counter()
                logits(encoded)
                seconds[number].append(time.perf_counter() - start)
    for row, times in zip(rows, seconds, strict=True):
        row["pairs_a_second"] = len(pairs) / statistics.median(times)
    return rows


def table(rows: list[dict[str, Any]]) -> str:
    """The rows in Markdown."""
    measure = list(rows[0])[5]
    slowest = rows[0]["pairs_a_second"]
    lines = [
        f"| form | vectors | MB | pairs/s | times Keras | largest difference | {measure} |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    lines += [
        f"| {row['form']} | {row['vectors']} | {row['bytes'] / 1e6:.1f} | "
        f"{row['pairs_a_second']:,.0f} | {row['pairs_a_second'] / slowest:.1f} | "
        f"{row['largest_difference']:.1e} | {row[measure]:.4f} |"
        for row in rows
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bundle", type=Path)
    parser.add_argument("test_file", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    rows = measured(arguments.bundle, arguments.test_file, arguments.rounds)
    task = json.loads((arguments.bundle / "config.json").read_text(encoding="utf-8"))["task"]
    path = ROOT / "benchmarks" / "results" / "bench" / f"export-{task}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    print(table(rows))


if __name__ == "__main__":
    main()
