"""Every figure on the real corpora: `make results` runs what is missing and writes RESULTS.md.

A cell is one `abcnn train` of a corpus, recipe, model and seed: epochs and threshold are chosen on
dev, test is measured once. Its record in `benchmarks/results/` holds the command, the measures, the
time and the versions; a cell with a record is not run again, so an interrupted run goes on where it
was. `cells.py` says what there is, `results_page.py` how it is shown.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from cells import CORPORA, SEEDS, VECTORS, Cell, Corpus, cells
from results_page import write_pages

from abcnn.features.wordnet import installed_wordnet

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"
RUNS = Path("runs") / "results"
# One thread a process: several trainings side by side are faster than one on several cores.
ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
    "TF_NUM_INTRAOP_THREADS": "1",
    "TF_NUM_INTEROP_THREADS": "1",
}

# Its names in the index of `wn`.
WORDNET_3_0 = ("omw-en:1.4", "pwn:3.0")
# A folder without any: what a machine happens to have decides no figure.
NO_WORDNET = {"WN_DATA_DIR": str(ROOT / RUNS / "no-wordnet")}


def train_cell(cell: Cell, data: Path) -> dict[str, Any]:
    """Train and measure a cell; the record of it."""
    corpus, out = cell.corpus, RUNS / cell.name
    options = (
        *("--model", cell.model, "--conv-layers", str(cell.layers)),
        *cell.recipe.options,
        *(("--seeds", str(len(SEEDS)), "--ensemble") if cell.recipe.ensemble else ()),
    )
    command = (
        *("train", corpus.task, *files_of(corpus, data), "--test", str(data / corpus.test)),
        *(*vectors_of(data), "--out", str(out), *options, "--seed", str(cell.seed)),
    )
    shutil.rmtree(ROOT / out.with_name(f"{out.name}.training"), ignore_errors=True)
    lexicon = installed_wordnet() if cell.recipe.wordnet else None
    if cell.recipe.wordnet and lexicon not in WORDNET_3_0:
        raise RuntimeError(
            f"{cell.name}: needs WordNet 3.0: python -m wn download {WORDNET_3_0[0]}. "
            f"Received: {lexicon}"
        )
    start = time.perf_counter()
    measured = abcnn(*command, "--force", "--json", wordnet=cell.recipe.wordnet)
    seconds = time.perf_counter() - start
    about = json.loads((ROOT / out / "config.json").read_text(encoding="utf-8"))["about"]
    record = {
        "corpus": corpus.name,
        "recipe": cell.recipe.name,
        "model": cell.model,
        "conv_layers": cell.layers,
        "seed": cell.seed,
        "command": ["abcnn", *(word.replace(str(data), "DATA") for word in command)],
        "dev": measured["dev"],
        "test": measured["test"],
        "seconds": round(seconds, 1),
        "about": about,
    }
    if lexicon is not None:
        record["wordnet"] = lexicon
    if corpus.mixed:
        record["test_mixed_only"] = abcnn(
            "evaluate", str(out), str(data / corpus.test), "--json", "--mixed-only"
        )
    return record


def baselines(corpus: Corpus, data: Path) -> dict[str, Any]:
    """The record of `abcnn baseline` on a corpus."""
    command = ("baseline", corpus.task, *files_of(corpus, data), "--test", str(data / corpus.test))
    return {"corpus": corpus.name, "measures": abcnn(*command, *vectors_of(data), "--json")}


def compared_models(corpus: Corpus, data: Path) -> dict[str, Any]:
    """The record of `abcnn compare-models` on a corpus; dev only."""
    files = (*files_of(corpus, data), *vectors_of(data))
    command = ("compare-models", corpus.task, *files, *corpus.compared)
    document = abcnn(*command, "--out", str(RUNS / corpus.name / "models"), "--json")
    return {"corpus": corpus.name, **document}


def files_of(corpus: Corpus, data: Path) -> tuple[str, ...]:
    """`--train`, and `--dev` where the corpus has one."""
    dev = ("--dev", str(data / corpus.dev)) if corpus.dev else ()
    return ("--train", str(data / corpus.train), *dev)


def vectors_of(data: Path) -> tuple[str, ...]:
    return tuple(word for file in VECTORS for word in ("--vectors", str(data / file)))


def abcnn(*arguments: str, wordnet: bool = False) -> Any:
    """Run a command as a user would, with or without a WordNet; what it printed as JSON."""
    done = subprocess.run(
        [sys.executable, "cli.py", *arguments],
        cwd=ROOT,
        env=os.environ | ONE_THREAD | ({} if wordnet else NO_WORDNET),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"abcnn {' '.join(arguments)}\n{done.stderr[-2000:]}")
    return json.loads(done.stdout)


def run_missing(jobs: Sequence[tuple[str, Callable[[], dict[str, Any]]]], side_by_side: int) -> int:
    """Make the records that are not there, whole files only; the number of jobs that failed.

    A job is the record's name and what makes it.
    """
    missing = [(name, make) for name, make in jobs if not (RESULTS / f"{name}.json").is_file()]
    failures = 0

    def run(name: str, make: Callable[[], dict[str, Any]]) -> str | None:
        path = RESULTS / f"{name}.json"
        start = time.perf_counter()
        try:
            record = make()
        except RuntimeError as error:
            return f"{name}: {error}"
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        part.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        part.replace(path)
        print(f"{name}: {time.perf_counter() - start:.0f} s", flush=True)
        return None

    with ThreadPoolExecutor(side_by_side) as pool:
        for failure in pool.map(lambda job: run(*job), missing):
            if failure is not None:
                failures += 1
                print(failure, file=sys.stderr, flush=True)
    return failures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--corpora", nargs="*", default=list(CORPORA), choices=list(CORPORA))
    parser.add_argument(
        "--only", default="", help="Run only records whose name holds this; * stands for anything."
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="Runs side by side.")
    parser.add_argument("--render", action="store_true", help="Run nothing, write the pages.")
    arguments = parser.parse_args()
    data: Path = arguments.data
    jobs: list[tuple[str, Callable[[], dict[str, Any]]]] = [
        *((f"{n}/baselines", lambda n=n: baselines(CORPORA[n], data)) for n in arguments.corpora),
        *((c.name, lambda c=c: train_cell(c, data)) for c in cells(arguments.corpora)),
        *(
            (f"{n}/models", lambda n=n: compared_models(CORPORA[n], data))
            for n in arguments.corpora
        ),
    ]
    failures = 0
    if not arguments.render:
        wanted = [job for job in jobs if fnmatch(job[0], f"*{arguments.only}*")]
        failures = run_missing(wanted, arguments.jobs)
    write_pages(RESULTS, ROOT)
    sys.exit(min(failures, 1))


if __name__ == "__main__":
    main()
