"""The benchmarks run: what they reach into is renamed as the code is."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize(
    ("script", "options", "told"),
    [
        (
            "bench_training.py",
            ("--repetitions", "1", "--seeds", "1", "--losses", "pointwise"),
            "against plain",
        ),
        (
            "bench_scoring.py",
            ("--no-cross-encoder", "--models", "abcnn-3"),
            "abcnn-3: times Keras",
        ),
        ("bench_vectors.py", ("--repetitions", "1"), "time against a block loop"),
    ],
)
def test_a_benchmark_runs_on_little(script, options, told):
    done = subprocess.run(
        [sys.executable, ROOT / "benchmarks" / script, "--quick", *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert told in done.stdout
