"""Which models are compared, and which options each of them is trained with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

from abcnn.errors import InputError
from abcnn.network_config import MODEL_OPTIONS
from abcnn.tasks import Task
from abcnn.training.options import TrainingOptions

# One learns from the right pairs' words, the other reads documents: neither is like the others on
# pairs of sentences, and both take long.
COMPARED = tuple(model for model in MODEL_OPTIONS if model not in ("seq2seq", "hierarchical"))
"""The models that are compared unless others are named."""


def planned(
    task: Task, options: TrainingOptions, models: Sequence[str], seeds: int
) -> list[TrainingOptions]:
    """The checked options of every run: all models with the first seed, then with the next.

    Of the options that only some models read (`MODEL_OPTIONS`) each model takes its own; one that
    none of them reads is refused as training refuses it. Raises InputError.
    """
    if not models or len(set(models)) < len(models) or not set(models) <= set(MODEL_OPTIONS):
        raise InputError(
            f"`models` must be one or more of {', '.join(MODEL_OPTIONS)}, each once. "
            f"Received: {', '.join(models)}"
        )
    if seeds < 1:
        raise InputError(f"`seeds` must be at least 1. Received: {seeds}")
    options.require_measure_of_dev("a comparison of models")
    return [
        _options_of(model, seed, options, models).for_task(task)
        for seed in range(seeds)
        for model in models
    ]


def _options_of(
    model: str, seed: int, options: TrainingOptions, models: Sequence[str]
) -> TrainingOptions:
    read_by_some = set(chain.from_iterable(MODEL_OPTIONS[other] for other in models))
    unread = read_by_some - set(MODEL_OPTIONS[model])
    defaults = {name: getattr(TrainingOptions(), name) for name in unread}
    return replace(options, model=model, seed=seed, **defaults)
