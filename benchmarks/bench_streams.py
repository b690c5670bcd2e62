"""Streams: memory and speed of scoring tables of many rows, and of reading and writing alone.

    python benchmarks/bench_streams.py                        # 100,000 and 1,000,000 rows
    python benchmarks/bench_streams.py --rows 100000,10000000 --json benchmarks/results/streams.json

Each size is a process of its own, so that its peak memory is its own: that of the process that
reads and writes, and that of the largest worker. The model is the sample one of `make demo`,
trained here where it is not there, or any bundle.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = ROOT / "runs" / "demo" / "paraphrase"
CSV_ROWS = 3_000  # Different rows, again and again.


def write_rows(path: Path, rows: int) -> None:
    """A CSV of small pairs, half of the answers in quotes, as sentences with commas are."""
    generator = random.Random(0)
    words = [f"w{number}" for number in range(2_000)]

    def sentence() -> str:
        return " ".join(generator.choices(words, k=generator.randint(5, 25)))

    lines = []
    for number in range(CSV_ROWS):
        answer = sentence()
        lines.append(f"{sentence()},{answer}\n" if number % 2 else f'{sentence()},"{answer}, so"\n')
    block = "".join(lines)
    with path.open("w", encoding="utf-8") as file:
        file.write("left,right\n")
        for _ in range(rows // CSV_ROWS):
            file.write(block)
        file.writelines(lines[: rows % CSV_ROWS])


def copy_table(source: str, output: str) -> None:
    """Read and write alone: every row, with a score that costs nothing."""
    import numpy as np
    import pyarrow

    from abcnn.tables import create_table, open_table

    with (
        open_table(source) as table,
        create_table(output, [*table.names, "score", "note"], schema=table.schema) as writer,
    ):
        for chunk in table:
            scores = pyarrow.array(np.linspace(0, 1, len(chunk)))
            notes = pyarrow.nulls(len(chunk), pyarrow.string())
            writer.write([*chunk.columns, scores, notes])


def score_table(source: str, output: str, folder: str, workers: int) -> None:
    from abcnn.scoring.files import score_files
    from abcnn.scoring.workers import BundleScorer

    score_files(BundleScorer(folder), [source], output, workers=workers)


def measured(arguments: argparse.Namespace) -> None:
    """One size in this process: prints seconds and peak memory as JSON."""
    start = time.perf_counter()
    if arguments.one == "copy":
        copy_table(arguments.source, arguments.output)
    else:
        score_table(arguments.source, arguments.output, arguments.bundle, arguments.workers)
    seconds = time.perf_counter() - start
    own, workers = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    kibibytes = {"own": own.ru_maxrss, "worker": workers.ru_maxrss}
    busy = sum(usage.ru_utime + usage.ru_stime for usage in (own, workers))
    print(
        json.dumps(
            {
                "seconds": round(seconds, 3),
                "cpu_seconds": round(busy, 3),
                "peak_mb": {name: round(value / 1024, 1) for name, value in kibibytes.items()},
            }
        )
    )


def train_sample(bundle: Path) -> None:
    """The sample model of paraphrase, as the first lines of the README make it."""
    sample = ROOT / "data" / "samples" / "paraphrase" / "train.tsv"
    command = ("train", "paraphrase", "--train", str(sample), "--out", str(bundle))
    subprocess.run(
        [sys.executable, "cli.py", *command], cwd=ROOT, check=True, stdout=subprocess.DEVNULL
    )


def run(kind: str, source: Path, output: Path, arguments: argparse.Namespace) -> dict:
    done = subprocess.run(
        [
            *(sys.executable, __file__, "--one", kind, "--source", str(source)),
            *("--output", str(output), "--bundle", str(arguments.bundle)),
            *("--workers", str(arguments.workers)),
        ],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    output.unlink()
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", default="100000,1000000", help="sizes, divided by commas")
    parser.add_argument("--bundle", type=Path, default=SAMPLE)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument(
        "--only", choices=["copy", "score"], help="read and write alone, or scoring"
    )
    parser.add_argument("--formats", default="csv", help="for reading and writing: csv,parquet,...")
    parser.add_argument("--json", type=Path, help="file for the figures")
    for hidden in ("--one", "--source", "--output"):
        parser.add_argument(hidden, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        measured(arguments)
        return
    if arguments.bundle == SAMPLE and not SAMPLE.is_dir():
        train_sample(SAMPLE)
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for rows in map(int, arguments.rows.split(",")):
            source = Path(folder) / "in.csv"
            write_rows(source, rows)
            kinds = [("score", "csv")] if arguments.only != "copy" else []
            if arguments.only != "score":
                kinds += [("copy", format) for format in arguments.formats.split(",")]
            for kind, format in kinds:
                found = run(kind, source, Path(folder) / f"out.{format}", arguments)
                found = {"what": f"{kind} to {format}", "rows": rows, **found}
                found["rows_per_second"] = round(rows / found["seconds"])
                results.append(found)
                print(
                    f"{found['what']:16} {rows:>12,} rows {found['rows_per_second']:>10,} rows/s "
                    f"({rows / found['cpu_seconds']:>9,.0f} a core's second)   "
                    f"peak {found['peak_mb']['own']:,.0f} MB, "
                    f"largest worker {found['peak_mb']['worker']:,.0f} MB"
                )
            source.unlink()
    for what in sorted({found["what"] for found in results}):
        peaks = [found["peak_mb"] for found in results if found["what"] == what]
        for name in ("own", "worker"):
            grown = max(peak[name] for peak in peaks) - peaks[0][name]
            print(
                f"{what}: peak memory ({name}) grows by {grown:.0f} MB; the goal is 100 MB at most"
            )
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
