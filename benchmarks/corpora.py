"""Train, evaluate and score on the real corpora, as the README shows: `make corpora`.

Each run is one `abcnn train` with one seed, epochs and threshold chosen on dev, then one
`abcnn evaluate` on test. Runs whose record is in `benchmarks/results/` are not made again. Paths
are relative to the repository.
MSRP has no dev file: its training pairs are split by the seed.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"


@dataclass(frozen=True)
class Corpus:
    """How the README trains on a corpus; files are relative to the folder of the corpora."""

    task: str
    train: str
    dev: str | None
    test: str
    vectors: str
    measures: tuple[str, ...]
    options: tuple[str, ...] = ()


CORPORA = {
    "WikiQA": Corpus(
        task="answer-selection",
        train="wikiqa/WikiQA-train.tsv",
        dev="wikiqa/WikiQA-dev.tsv",
        test="wikiqa/WikiQA-test.tsv",
        vectors="vectors/glove.6B.100d.wink.subset.bin",
        measures=("map", "mrr"),
    ),
    "MSRP": Corpus(
        task="paraphrase",
        train="msrp/msr_paraphrase_train.txt",
        dev=None,
        test="msrp/msr_paraphrase_test.txt",
        vectors="vectors/glove.6B.100d.wink.subset.bin",
        measures=("accuracy", "f1"),
    ),
    "SICK": Corpus(
        task="entailment",
        train="sick/SICK_train.txt",
        dev="sick/SICK_trial.txt",
        test="sick/SICK_test_annotated.txt",
        vectors="vectors/glove.6B.100d.wink.subset.bin",
        measures=("accuracy",),
    ),
}


def run(name: str, seed: int, data: Path) -> dict[str, Any]:
    """One training and evaluation; the record of it."""
    corpus = CORPORA[name]
    out = Path("runs") / f"{name.lower()}-{seed}"
    dev = ["--dev", str(data / corpus.dev)] if corpus.dev else []
    start = time.perf_counter()
    trained = abcnn(
        *("train", corpus.task, "--train", str(data / corpus.train), *dev),
        *("--vectors", str(data / corpus.vectors), "--out", str(out), "--seed", str(seed)),
        *(*corpus.options, "--force", "--json"),
    )
    seconds = time.perf_counter() - start
    record = {
        "corpus": name,
        "seed": seed,
        "options": list(corpus.options),
        "train_seconds": round(seconds, 1),
        "dev": trained["dev"],
        "test": abcnn("evaluate", str(out), str(data / corpus.test), "--json"),
        "about": json.loads((ROOT / out / "config.json").read_text(encoding="utf-8"))["about"],
    }
    if corpus.task == "answer-selection":
        record["test_mixed_only"] = abcnn(
            "evaluate", str(out), str(data / corpus.test), "--json", "--mixed-only"
        )
    return record


def abcnn(*arguments: str) -> dict[str, Any]:
    """Run a command as a user would; what it printed as JSON."""
    done = subprocess.run(
        [sys.executable, "cli.py", *arguments], cwd=ROOT, check=True, stdout=subprocess.PIPE
    )
    return json.loads(done.stdout)


def table(records: list[dict[str, Any]]) -> str:
    """Mean and standard deviation over seeds, a row a corpus and measure."""
    lines = [
        "| corpus | measure | dev | test | seeds | training, s |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name, corpus in CORPORA.items():
        mine = [record for record in records if record["corpus"] == name]
        for measure in corpus.measures if mine else ():
            seconds = [record["train_seconds"] for record in mine]
            lines.append(
                f"| {name} | {measure} | {spread([r['dev'][measure] for r in mine])} | "
                f"{spread([r['test'][measure] for r in mine])} | {len(mine)} | "
                f"{min(seconds):.0f} to {max(seconds):.0f} |"
            )
        mixed = [record["test_mixed_only"] for record in mine if "test_mixed_only" in record]
        for measure in corpus.measures if mixed else ():
            lines.append(
                f"| {name}, {mixed[0]['questions']} questions | {measure} | | "
                f"{spread([m[measure] for m in mixed])} | {len(mixed)} | |"
            )
    return "\n".join(lines)


def spread(values: list[float]) -> str:
    """Mean and, of several values, their standard deviation."""
    deviation = f" ± {statistics.stdev(values):.4f}" if len(values) > 1 else ""
    return f"{statistics.mean(values):.4f}{deviation}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--corpora", nargs="*", default=list(CORPORA), choices=list(CORPORA))
    arguments = parser.parse_args()
    RESULTS.mkdir(exist_ok=True)
    for seed in range(arguments.seeds):
        for name in arguments.corpora:
            path = RESULTS / f"{name.lower()}-{seed}.json"
            if not path.is_file():
                record = run(name, seed, arguments.data)
                part = path.with_suffix(".part")
                part.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
                part.replace(path)
    records = [json.loads(path.read_text("utf-8")) for path in sorted(RESULTS.glob("*-*.json"))]
    print(table(records))


if __name__ == "__main__":
    main()
