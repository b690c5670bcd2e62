"""How fast tables are scored, against Keras and a cross-encoder: part of `make bench`.

Everything is made here: bundles of random weights (50,000 words of 300 dimensions, one convolution
layer) and pairs with WikiQA's lengths. Every contestant is measured once a round, and the medians
over the rounds are compared, so that a busy machine slows all of them. The table goes to the
screen, the figures to `results/bench/scoring.json`.

What is measured of `abcnn predict` is CSV in to CSV out. Its start is taken off by a second command
on ten pairs, since `keras.Model.predict` is measured in a process that has started too; the start
has a line of its own.
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
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

import synthetic  # noqa: E402

MODELS = ("abcnn-3", "abcnn-2", "abcnn-1", "bcnn")
GOALS = {"abcnn-3": 30.0, "abcnn-2": 20.0, "abcnn-1": 20.0, "bcnn": 20.0}


@dataclass
class Measures:
    """Seconds of every round by what was measured, and what is told of them."""

    rounds: dict[str, list[float]] = field(default_factory=dict)
    told: list[dict[str, Any]] = field(default_factory=list)

    def add(self, name: str, run: Callable[[], float]) -> None:
        self.rounds.setdefault(name, []).append(run())

    def median(self, name: str) -> float:
        return statistics.median(self.rounds[name])

    def tell(self, what: str, reached: float, unit: str, goal: str = "", met: bool | None = None):
        self.told.append({"what": what, "reached": reached, "unit": unit, "goal": goal, "met": met})
        verdict = {True: "met", False: "MISSED", None: ""}[met]
        print(f"{what:58s} {reached:12,.2f} {unit:10s} {goal:12s} {verdict}", flush=True)


def seconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def command(*arguments: object) -> float:
    """The seconds of a command, from its start to its end.

    Python may keep its bytecode, as it does of an installed package, whatever the shell says.
    """
    full = [sys.executable, *map(str, arguments)]
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return seconds(
        lambda: subprocess.run(full, cwd=ROOT, check=True, capture_output=True, env=kept)
    )


def predict(bundle: Path, table: Path) -> float:
    return command("cli.py", "predict", bundle, table, "-o", table.with_suffix(".scored.csv"))


class KerasPredict:
    """`keras.Model.predict(batch_size=256)` of pairs that are tokenised and padded to 40."""

    def __init__(self, bundle: Path, pairs: list[tuple[str, str]]) -> None:
        from abcnn.bundle import load_bundle

        matcher = load_bundle(bundle, engine="keras")
        encoded = matcher.encoder([left for left, _ in pairs], [right for _, right in pairs])
        everyone, length = np.arange(len(pairs)), synthetic.MAX_LENGTH
        self.inputs = {
            "left": encoded.left.padded(everyone, length),
            "right": encoded.right.padded(everyone, length),
            "features": encoded.features,
        }
        self.network = matcher.network
        self()

    def __call__(self) -> None:
        self.network.predict(self.inputs, batch_size=256, verbose=0)


class CrossEncoder:
    """Six layers of 384, int8 by dynamic quantisation, batches of 32 pairs of like lengths."""

    def __init__(self, folder: Path, pairs: list[tuple[str, str]]) -> None:
        import onnx
        import onnxruntime
        from onnxruntime.quantization import QuantType, quantize_dynamic

        onnx.save(synthetic.cross_encoder(), folder / "float.onnx")
        quantize_dynamic(folder / "float.onnx", folder / "int8.onnx", weight_type=QuantType.QInt8)
        self.session = onnxruntime.InferenceSession(
            str(folder / "int8.onnx"), providers=["CPUExecutionProvider"]
        )
        # A token a word and three marks between the sentences: word pieces would be more.
        lengths = sorted(len(left.split()) + len(right.split()) + 3 for left, right in pairs)
        self.batches = [
            np.ones((len(lengths[at : at + 32]), lengths[at : at + 32][-1]), np.int64)
            for at in range(0, len(lengths), 32)
        ]
        self()

    def __call__(self) -> None:
        for batch in self.batches:
            self.session.run(None, {"ids": batch})


def measure_models(
    measures: Measures, folder: Path, words: list[str], options: argparse.Namespace
) -> None:
    """The four models against Keras, and the cross-encoder against all of them."""
    tables = {"few": folder / "few.csv", "many": folder / "many.csv"}
    synthetic.write_pairs(tables["few"], words, 10)
    pairs = synthetic.write_pairs(tables["many"], words, options.pairs)
    some = pairs[: options.keras_pairs]
    bundles = {model: folder / model for model in options.models}
    for model, bundle in bundles.items():
        synthetic.save_bundle(bundle, words, model, options.dim)
    networks = {model: KerasPredict(bundle, some) for model, bundle in bundles.items()}
    others = pairs[: options.cross_pairs]
    cross = CrossEncoder(folder, others) if options.cross_pairs else None
    predict(next(iter(bundles.values())), tables["few"])  # machine code, once an installation
    for _ in range(options.rounds):
        for model, bundle in bundles.items():
            measures.add(f"{model} few", lambda bundle=bundle: predict(bundle, tables["few"]))
            measures.add(f"{model} many", lambda bundle=bundle: predict(bundle, tables["many"]))
            measures.add(f"{model} keras", lambda model=model: seconds(networks[model]))
        if cross:
            measures.add("cross-encoder", lambda: seconds(cross))
    for model in options.models:
        start, whole = measures.median(f"{model} few"), measures.median(f"{model} many")
        rate = (len(pairs) - 10) / max(whole - start, 1e-9)
        keras = len(some) / measures.median(f"{model} keras")
        measures.tell(f"{model}: keras.Model.predict, padded to 40", keras, "pairs/s")
        measures.tell(f"{model}: abcnn predict, CSV to CSV, whole command", whole, "s")
        measures.tell(f"{model}: the same after its start", whole - start, "s")
        measures.tell(f"{model}: pairs a second after its start", rate, "pairs/s")
        measures.tell(f"{model}: pairs a second with its start", len(pairs) / whole, "pairs/s")
        ratio, goal = rate / keras, GOALS[model]
        measures.tell(f"{model}: times Keras", ratio, "x", f">= {goal:g}", ratio >= goal)
        if cross and model == "abcnn-3":
            other = len(others) / measures.median("cross-encoder")
            measures.tell("cross-encoder, int8, sorted batches of 32", other, "pairs/s")
            times, name = rate / other, f"{model}: times the cross-encoder"
            measures.tell(name, times, "x", ">= 150", times >= 150)


def measure_start(measures: Measures, bundle: Path, options: argparse.Namespace) -> None:
    """From nothing to the first score, and the import of the libraries that it needs."""
    needed = "import click, numpy, numba, pyarrow.csv, rapidfuzz, regex, wrapt"
    pair = ("--left", "bababa?", "--right", "Bebebe ba.")
    for _ in range(options.rounds):
        measures.add("imports", lambda: command("-c", needed))
        measures.add("start", lambda: command("cli.py", "predict", bundle, *pair))
    start, imports = measures.median("start"), measures.median("imports")
    measures.tell("import of the libraries needed", imports, "s")
    measures.tell("start to first score, without TensorFlow", start, "s", "< 1.5", start < 1.5)
    measures.tell("start / imports", start / imports, "x", "<= 1.3", start <= 1.3 * imports)


def measure_flatness(
    measures: Measures, folder: Path, words: list[str], options: argparse.Namespace
) -> None:
    """The cost of a pair in tables of 10^4, 10^5 and with --large 10^6 pairs."""
    bundle = folder / options.models[0]
    sizes = [10_000, 100_000] + ([1_000_000] if options.large else [])
    for size in sizes:
        synthetic.write_pairs(folder / f"{size}.csv", words, size)
    # The start is measured in the same rounds: of 10,000 pairs it is most of the time.
    for _ in range(options.rounds):
        measures.add("start", lambda: predict(bundle, folder / "few.csv"))
        for size in sizes:
            measures.add(f"{size}", lambda size=size: predict(bundle, folder / f"{size}.csv"))
    start = measures.median("start")
    costs = [(measures.median(f"{size}") - start) / size * 1e6 for size in sizes]
    for size, cost in zip(sizes, costs, strict=True):
        measures.tell(f"cost of a pair among {size:,}", cost, "us")
    spread = max(costs) / min(costs) if min(costs) > 0 else float("inf")
    measures.tell("largest cost / smallest", spread, "x", "<= 1.1", spread <= 1.1)


def measure_stages(measures: Measures, folder: Path, options: argparse.Namespace) -> None:
    """Where the time of one process goes, a stage after the other, on one thread."""
    from abcnn.bundle import load_bundle
    from abcnn.runtime import FastEncoder, logits
    from abcnn.scoring.predictions import decide
    from abcnn.tables import create_table, open_table
    from abcnn.text.batches import EncodedPairs

    matcher = load_bundle(folder / options.models[0])
    encoder = FastEncoder(matcher.encoder)
    assert matcher.folded is not None
    [folded] = matcher.folded
    # So that the machine code is there.
    matcher.predict([("once", "before")])
    stages: dict[str, float] = {}

    def stage(name: str, run: Callable[[], Any]) -> Any:
        start = time.process_time()
        result = run()
        stages[name] = stages.get(name, 0.0) + time.process_time() - start
        return result

    rows = 0
    with (
        open_table(folder / "many.csv") as table,
        create_table(folder / "stages.csv", [*table.names, "score", "label"]) as writer,
    ):
        chunks = iter(table)
        while (chunk := stage("read", lambda: next(chunks, None))) is not None:
            texts = stage("read", lambda c=chunk: [c.column(name) for name in c.names])
            coded = stage(
                "tokenise and look up", lambda t=texts: [encoder.code(side) for side in t]
            )
            sides = stage(
                "tokenise and look up",
                lambda c=coded: [encoder.sentences(side) for side in c],
            )
            features = stage("features", lambda c=coded: encoder.features(*c))
            scores = stage(
                "kernel",
                lambda s=sides, f=features: logits(folded, EncodedPairs(*s, f), 1),
            )
            said = stage("decide", lambda s=scores: decide(s, matcher.labels, matcher.threshold))
            stage(
                "write",
                lambda c=chunk, p=said: writer.write([*c.columns, p.scores, p.label_names]),
            )
            rows += len(chunk)
    for name, spent in stages.items():
        measures.tell(f"stage {name}, processor time", spent / rows * 1e6, "us/pair")
    total = sum(stages.values())
    measures.tell("all stages, processor time", total / rows * 1e6, "us/pair")
    count_work(measures, matcher, rows / stages["kernel"])


def count_work(measures: Measures, matcher: Any, pairs_a_second: float) -> None:
    """Operations and bytes a pair of mean length, over the towers of all widths, and the share of
    the matrix-product rate."""
    config = matcher.config
    [folded] = matcher.folded
    n, m = np.mean(synthetic.QUESTION_LENGTHS), np.mean(np.minimum(synthetic.ANSWER_LENGTHS, 40))
    dim, filters = config.dim, config.filters
    operations = unfolded = stored = 0.0
    for tower, width in zip(folded.towers, config.widths, strict=True):
        taps, margin = width * filters, width - 1
        phrases = (n + margin) + (m + margin)
        # The averages are compared once.
        operations += 2 * (n + m) * dim * tower.averages + phrases * filters * (width + 15)
        if tower.attend_input:
            operations += 2 * n * m * dim + 2 * 2 * n * m * taps
        if tower.attend_pooling:
            operations += 2 * (n + margin) * (m + margin) * filters
        unfolded += 2 * 2 * phrases * taps * dim * (2 if tower.attend_input else 1)
        stored += sum(array.shape[1] for array in (tower.vectors, tower.taps))
    measures.tell("operations, folded", operations / 1e3, "kFLOP/pair")
    measures.tell("operations of the convolution alone, not folded", unfolded / 1e3, "kFLOP/pair")
    measures.tell("table rows read", (n + m) * stored * 4 / 1e3, "kB/pair")
    a, b = (np.random.default_rng(0).random((1500, 1500), np.float32) for _ in range(2))
    spent = []
    for _ in range(5):
        start = time.process_time()
        a @ b
        spent.append(time.process_time() - start)
    rate = 2 * 1500**3 / statistics.median(spent)
    measures.tell("matrix products, one core", rate / 1e9, "GFLOP/s")
    measures.tell("share of that reached by the kernel", operations * pairs_a_second / rate, "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, one round: does it run?")
    parser.add_argument("--large", action="store_true", help="flatness up to 1,000,000 pairs")
    parser.add_argument("--profile", action="store_true", help="the stages alone")
    parser.add_argument("--models", nargs="+", default=list(MODELS), choices=MODELS)
    parser.add_argument("--pairs", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--no-cross-encoder", action="store_true", help="without the extra `bench`")
    options = parser.parse_args()
    options.words, options.dim = 50_000, 300
    options.keras_pairs, options.cross_pairs = 10_000, 0 if options.no_cross_encoder else 320
    if options.quick:
        options.words, options.dim, options.pairs, options.rounds = 2_000, 20, 2_000, 1
        options.keras_pairs, options.cross_pairs = 500, min(options.cross_pairs, 32)
    options.keras_pairs = min(options.keras_pairs, options.pairs)

    measures = Measures()
    words = synthetic.words(options.words)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if options.profile:
            synthetic.save_bundle(folder / options.models[0], words, options.models[0], options.dim)
            synthetic.write_pairs(folder / "many.csv", words, options.pairs)
            predict(folder / options.models[0], folder / "many.csv")
        else:
            measure_models(measures, folder, words, options)
            measure_start(measures, folder / options.models[0], options)
            if not options.quick:
                measure_flatness(measures, folder, words, options)
        measure_stages(measures, folder, options)
    if not (options.quick or options.profile):
        record = {"options": vars(options), "cores": len(os.sched_getaffinity(0))}
        target = ROOT / "benchmarks" / "results" / "bench" / "scoring.json"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps(record | asdict(measures), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
