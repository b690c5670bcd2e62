"""Named sets of options, a starting point that single options overrule."""

from __future__ import annotations

from itertools import chain
from typing import Any

from abcnn.errors import InputError
from abcnn.network_config import MODEL_OPTIONS
from abcnn.tasks import Task

PRESETS = ("none", "paper", "best")

# Learning rate, filter width and L2 by model, convolution layers and task: the paper's table 2.
_TASKS = ("answer-selection", "paraphrase", "entailment")
_PAPER = {
    # The BCNN has no row: these are ABCNN-1's, from which it differs by the attention alone.
    ("bcnn", 1): ((0.08, 4, 0.0004), (0.08, 3, 0.0002), (0.08, 3, 0.0006)),
    ("bcnn", 2): ((0.085, 4, 0.0006), (0.085, 3, 0.0003), (0.085, 3, 0.0006)),
    ("abcnn-1", 1): ((0.08, 4, 0.0004), (0.08, 3, 0.0002), (0.08, 3, 0.0006)),
    ("abcnn-1", 2): ((0.085, 4, 0.0006), (0.085, 3, 0.0003), (0.085, 3, 0.0006)),
    ("abcnn-2", 1): ((0.05, 4, 0.0003), (0.085, 3, 0.0001), (0.09, 3, 0.00065)),
    ("abcnn-2", 2): ((0.06, 4, 0.0006), (0.085, 3, 0.0001), (0.085, 3, 0.0007)),
    ("abcnn-3", 1): ((0.05, 4, 0.0003), (0.05, 3, 0.0003), (0.09, 3, 0.0007)),
    ("abcnn-3", 2): ((0.06, 4, 0.0006), (0.055, 3, 0.0005), (0.09, 3, 0.0007)),
}

# What else the output layer reads: sections 5.2 and 5.3.
_PAPER_READS: dict[str, dict[str, Any]] = {
    "answer-selection": {},
    "paraphrase": {"pooled_attention": 10, "both_orders": True},
    "entailment": {"rest_network": True},
}


# Of the networks with one convolution layer the one whose mean on dev is highest in `RESULTS.md`.
_BEST_MODEL = {
    "answer-selection": "abcnn-1",
    "paraphrase": "abcnn-1",
    "entailment": "abcnn-2",
    "similarity": "bcnn",
}

# Features that need a WordNet are left out where there is none, antonyms where no label says which
# pairs hold: a message says so.
_BEST: dict[str, dict[str, Any]] = {
    "answer-selection": {"comparison": ("difference", "product"), "vector_dropout": 0.2},
    "paraphrase": {"features": ("lexical", "translation", "relations")},
    "entailment": {
        "comparison": ("difference", "product"),
        "features": ("lexical", "translation", "antonyms"),
        "learning_rate": 0.001,
    },
    "similarity": {
        "comparison": ("difference", "product"),
        "learning_rate": 0.001,
        "loss": "distribution",
    },
}


def preset_model(name: str, task: Task) -> str | None:
    """The model of the preset `name` where the user asks for none; of "best" alone there is one."""
    return _BEST_MODEL[task.name] if name == "best" else None


def preset(name: str, task: Task, *, model: str, conv_layers: int) -> dict[str, Any]:
    """The options of the preset `name`, by the names of `TrainingOptions`.

    "paper" is the recipe of Yin et al. 2016 as far as their table goes: AdaGrad with its learning
    rate, width and L2, 50 filters, pairs by themselves in the loss, no dropout, blocks trained one
    after the other, the paper's features, and a logistic regression for the final decision; for
    paraphrase the attention pooled to 10 by 10, where the model attends, for entailment the second
    network. What the paper leaves open stays as it is: batches of 32, padding that counts for
    nothing, epochs chosen on dev. "best" is what was best on dev of the corpora in `RESULTS.md`,
    each part of it measured by itself in `benchmarks/IDEAS.md`. "none" is empty. Which model is not
    among them: `preset_model`.

    Raises InputError, for "paper", for a model or depth without a row in the table, and for a task
    that is not in the paper.
    """
    if name == "none":
        return {}
    if name == "best":
        return _read_by(model, _BEST[task.name])
    return _paper(task, model, conv_layers)


def _read_by(model: str, options: dict[str, Any]) -> dict[str, Any]:
    """Those of the options that the model reads, or every model."""
    read = MODEL_OPTIONS[model]
    return {
        option: value
        for option, value in options.items()
        if option in read or option not in chain.from_iterable(MODEL_OPTIONS.values())
    }


def _paper(task: Task, model: str, conv_layers: int) -> dict[str, Any]:
    if task.name not in _TASKS:
        raise InputError(
            f"`preset` paper is for {', '.join(_TASKS)}. Received: the task {task.name}"
        )
    if (model, conv_layers) not in _PAPER:
        known = ", ".join(f"{model} with {layers}" for model, layers in _PAPER)
        raise InputError(
            f"`preset` paper must go with a model and a number of convolution layers among {known}."
            f" Received: {model} with {conv_layers}"
        )
    learning_rate, width, l2 = _PAPER[model, conv_layers][_TASKS.index(task.name)]
    return {
        "optimizer": "adagrad",
        "learning_rate": learning_rate,
        "width": width,
        "l2": l2,
        "filters": 50,
        "loss": "pointwise",
        "vector_dropout": 0.0,
        "score_dropout": 0.0,
        "layerwise": True,
        "features": ("paper",),
        "refit": "logistic",
        **_read_by(model, _PAPER_READS[task.name]),
    }
