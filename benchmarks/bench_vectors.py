"""Reading a few words from a large word2vec file: time and memory against a plain block loop.

The file, 3 million rows of 300 values unless `--quick`, is generated in a temporary folder and
removed. Time is the median of interleaved readings from the page cache; memory is what one reading
adds to the peak of a process of its own, beyond the rows it keeps.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
RESULTS = Path(__file__).resolve().parent / "results" / "bench"
DIM = 300
MEASURE = r"""
import json, re, sys
from pathlib import Path
from benchmarks.bench_vectors import wanted
from abcnn.text.vectors import read_vectors
def peak():
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\s*(\d+)", status)[1]) / 1024
words = wanted(int(sys.argv[2]))
before = peak()
vectors = read_vectors(sys.argv[1], words, most_frequent=0)
assert len(vectors) == len(words)
print(json.dumps(peak() - before - vectors.matrix.nbytes / 2**20))
"""


def wanted(rows: int) -> set[str]:
    """One word in sixty, spread over the file."""
    return {f"word_{index}" for index in range(0, rows, 60)}


def generate(path: Path, rows: int) -> None:
    """A word2vec file of random values; the same few thousand vectors come again and again."""
    vectors = np.random.default_rng(0).normal(size=(5000, DIM)).astype("<f4")
    values = [row.tobytes() for row in vectors]
    with path.open("wb") as file:
        file.write(f"{rows} {DIM}\n".encode())
        for start in range(0, rows, len(values)):
            part = values[: rows - start]
            file.write(b"".join(b"word_%d %b" % (start + i, value) for i, value in enumerate(part)))


def block_loop(path: Path) -> None:
    """All bytes once."""
    with path.open("rb") as file:
        while file.read(1 << 20):
            pass


def measure(rows: int, repetitions: int) -> dict:
    from abcnn.text.vectors import read_vectors

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "vectors.bin"
        generate(path, rows)
        words = wanted(rows)
        loop, reading = [], []
        for _ in range(repetitions):
            start = time.perf_counter()
            block_loop(path)
            loop.append(time.perf_counter() - start)
            start = time.perf_counter()
            read_vectors(path, words, most_frequent=0)
            reading.append(time.perf_counter() - start)
        done = subprocess.run(
            [sys.executable, "-c", MEASURE, str(path), str(rows)],
            cwd=RESULTS.parents[2],
            check=True,
            stdout=subprocess.PIPE,
        )
    return {
        "rows": rows,
        "dim": DIM,
        "wanted": len(words),
        "block_loop_seconds": loop,
        "reading_seconds": reading,
        "ratio": statistics.median(reading) / statistics.median(loop),
        "megabytes_beyond_rows": json.loads(done.stdout),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="150,000 rows; no goal is meant")
    parser.add_argument("--repetitions", type=int, default=5)
    arguments = parser.parse_args()
    figures = measure(150_000 if arguments.quick else 3_000_000, arguments.repetitions)
    RESULTS.mkdir(parents=True, exist_ok=True)
    name = "vectors-quick.json" if arguments.quick else "vectors.json"
    (RESULTS / name).write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    print("| what | goal | reached |\n| --- | --- | --- |")
    print(
        f"| {figures['wanted']:,} words from {figures['rows']:,} x {DIM}: time against a block "
        f"loop | <= 2 times | {figures['ratio']:.2f} times |"
    )
    print(
        f"| memory beyond the rows kept | <= 200 MB | {figures['megabytes_beyond_rows']:.0f} MB |"
    )


if __name__ == "__main__":
    main()
