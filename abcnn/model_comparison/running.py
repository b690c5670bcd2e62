"""One run: a model is trained, counted, and timed while it predicts."""

from __future__ import annotations

import statistics
import time
from dataclasses import replace

from abcnn.features.extraction import Extraction
from abcnn.model_comparison.records import ModelRun
from abcnn.pairs import PairBatch
from abcnn.scoring.matcher import Matcher
from abcnn.tasks import Task
from abcnn.text.vector_sets import VectorFiles
from abcnn.training.options import TrainingOptions
from abcnn.training.progress import Progress


def run_model(
    task: Task,
    train_pairs: PairBatch,
    dev_pairs: PairBatch,
    *,
    options: TrainingOptions,
    vectors: VectorFiles,
    engine: str,
    extraction: Extraction | None,
    progress: Progress,
) -> ModelRun:
    """Train as `abcnn.training.run.train` does, then predict dev with `engine`.

    Raises what training raises, and KeyboardInterrupt when it was interrupted: a run that was not
    finished is none.
    """
    from abcnn.training.run import train

    trained = train(
        task,
        train_pairs,
        dev_pairs,
        options=options,
        vectors=vectors,
        extraction=extraction,
        progress=progress,
    )
    if trained.interrupted:
        raise KeyboardInterrupt
    matcher = replace(trained.matcher, engine=engine)
    sizes = {name: int(weight.size) for name, weight in matcher.weights.items()}
    vector_parameters = sum(size for name, size in sizes.items() if name.startswith("vectors/"))
    return ModelRun(
        model=options.model,
        seed=options.seed,
        dev=matcher.metrics["dev"][task.measure],
        best_epoch=matcher.about["best_epoch"],
        epochs=matcher.about["epochs"],
        parameters=sum(sizes.values()) - vector_parameters,
        vector_parameters=vector_parameters,
        train_seconds=matcher.about["seconds"],
        pairs_per_second=round(pairs_per_second(matcher, dev_pairs), 1),
        engine="keras" if matcher.folded is None else "fast",
    )


def pairs_per_second(matcher: Matcher, pairs: PairBatch, seconds: float = 1.0) -> float:
    """How fast a matcher scores pairs, from text to probabilities: the median of repetitions.

    They go on for `seconds`, and are three at least. One before them is not timed: it compiles.
    """
    matcher.predict(pairs)
    times: list[float] = []
    while len(times) < 3 or sum(times) < seconds:
        start = time.perf_counter()
        matcher.predict(pairs)
        times.append(time.perf_counter() - start)
    return len(pairs) / statistics.median(times)
