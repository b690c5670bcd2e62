"""Train, measure and score on the bundled samples, one task after the other: `make demo`."""

from __future__ import annotations

import shlex
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Small data sets want more epochs than the defaults, and some of them smaller batches.
OPTIONS = ("--epochs", "40", "--patience", "15")
TASKS: dict[str, tuple[str, ...]] = {
    "answer-selection": OPTIONS,
    "paraphrase": OPTIONS,
    "entailment": (*OPTIONS, "--batch-size", "16"),
    "similarity": (*OPTIONS, "--batch-size", "16"),
}


def abcnn(*arguments: str) -> None:
    """Print a command and run it as a user would."""
    print(f"\n$ abcnn {shlex.join(arguments)}", flush=True)
    subprocess.run([sys.executable, "cli.py", *arguments], cwd=ROOT, check=True)


def main() -> None:
    start = time.perf_counter()
    for task, options in TASKS.items():
        samples, bundle = f"data/samples/{task}", f"runs/demo/{task}"
        print(f"\n=== {task} ===", flush=True)
        abcnn(
            *("train", task, "--train", f"{samples}/train.tsv", "--dev", f"{samples}/dev.tsv"),
            *("--test", f"{samples}/test.tsv", "--out", bundle, "--force"),
            *options,
        )
        scored = ROOT / "runs" / "demo" / f"{task}.csv"
        abcnn("predict", bundle, f"{samples}/test.tsv", "-o", str(scored.relative_to(ROOT)))
        print(f"\n$ head -4 {scored.relative_to(ROOT)}")
        with scored.open(encoding="utf-8") as rows:
            print("".join(islice(rows, 4)), end="", flush=True)
    print(f"\n{time.perf_counter() - start:.0f} seconds; the bundles are in runs/demo")


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(error.returncode)
