"""Where the time of one training run goes, by stage: part of `make profile`.

ABCNN-3 on the training pairs of WikiQA where the corpora are, otherwise on the bundled samples. The
stages are the functions that `abcnn train` calls, one after the other.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
SAMPLES = ROOT / "data" / "samples" / "answer-selection"


def profile(train: Path, dev: Path, vectors: Path | None, epochs: int) -> dict[str, float]:
    """Seconds by stage of a training run over so many epochs."""
    stages: dict[str, float] = {}

    def stage(name: str, run: Callable[[], Any]) -> Any:
        start = time.perf_counter()
        result = run()
        stages[name] = time.perf_counter() - start
        return result

    def libraries() -> None:
        import keras  # noqa: F401
        import tensorflow  # noqa: F401

        import abcnn.training.run  # noqa: F401

    stage("import the libraries", libraries)

    from abcnn.readers import read_pairs
    from abcnn.tasks import TASKS
    from abcnn.text.tokenizer import Tokenizer
    from abcnn.training.arrays import ArrayStore
    from abcnn.training.corpus import read_corpus
    from abcnn.training.options import TrainingOptions
    from abcnn.training.prepare import prepare
    from abcnn.training.progress import Epoch, Progress
    from abcnn.training.run import train as train_matcher

    task, store, seen = TASKS["answer-selection"], ArrayStore(), list[Epoch]()
    options = TrainingOptions(epochs=epochs, patience=epochs)
    pairs, dev_pairs = stage("read", lambda: [read_pairs(file).pairs for file in (train, dev)])
    corpus = stage("tokenise", lambda: read_corpus([pairs], Tokenizer(), store))
    filled = options.for_task(task)
    stage("vectors, features, ids", lambda: prepare(corpus, task, filled, vectors))
    progress = Progress(lambda text: None, lambda *place: None, seen.append)
    trained = stage(
        "all of train",
        lambda: train_matcher(
            task, corpus, dev_pairs, options=options, vectors=vectors, progress=progress
        ),
    )
    stages["epochs: batches, steps, dev"] = sum(epoch.seconds for epoch in seen)
    stages["build, calibrate, measure dev"] = (
        stages.pop("all of train")
        - stages["epochs: batches, steps, dev"]
        - stages["vectors, features, ids"]
    )
    with tempfile.TemporaryDirectory() as folder:
        stage("write the bundle", lambda: trained.matcher.save(Path(folder) / "bundle"))
    return stages


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--epochs", type=int, default=5)
    options = parser.parse_args()
    wikiqa = options.data / "wikiqa"
    if wikiqa.is_dir():
        vectors = options.data / "vectors" / "glove.6B.100d.wink.subset.bin"
        files = wikiqa / "WikiQA-train.tsv", wikiqa / "WikiQA-dev.tsv"
    else:
        vectors, files = None, (SAMPLES / "train.tsv", SAMPLES / "dev.tsv")
    stages = profile(*files, vectors, options.epochs)
    total = sum(stages.values())
    for name, seconds in stages.items():
        print(f"{name:32} {seconds:8.2f} s {100 * seconds / total:5.1f} %")


if __name__ == "__main__":
    main()
