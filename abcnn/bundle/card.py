"""The model card that lies beside a trained model."""

from __future__ import annotations

import json
import math
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from abcnn.evaluation.report import headline, part_name
from abcnn.network_config import model_in_words
from abcnn.text.vocabulary import FIRST_WORD

if TYPE_CHECKING:
    from abcnn.scoring.matcher import Matcher


_PIPELINES = {"answer-selection": "text-ranking", "similarity": "sentence-similarity"}
_MEASURES = ("map", "mrr", "accuracy", "f1", "macro_f1", "pearson", "spearman", "mse")


NOTES = ("calibration", "vectors", "coverage", "train_on_dev")
"""What a bundle's `about` says in words."""


def model_card(matcher: Matcher) -> str:
    """The card as Markdown: what the model does, what it saw, how well it did, where it ends.

    Before it stands what a model repository of the Hugging Face Hub reads of a card, as YAML.
    """
    config, about = matcher.config, matcher.about
    return "\n".join(
        [
            *front_matter(matcher),
            "",
            f"# {matcher.name} for {matcher.task.name}",
            "",
            f"{model_in_words(vars(config), len(matcher.members))}, over "
            f"{config.vocabulary - FIRST_WORD:,} word vectors of {config.dim} dimensions.",
            f"Scores are grades from {matcher.grades}."
            if matcher.grades is not None
            else f"Labels, in this order: {', '.join(matcher.labels)}.",
            *(
                [f"`{matcher.labels[-1]}` is decided for from probability {matcher.threshold:.4f}."]
                if len(matcher.labels) == 2
                else []
            ),
            *(
                ["A score is the mean over both orders of the two sentences."]
                if matcher.encoder.both_orders
                else []
            ),
            "",
            "## Use",
            "",
            "```",
            "abcnn predict THIS_FOLDER pairs.csv -o scored.csv",
            "```",
            "",
            "## Data",
            "",
            *[f"- {line}" for line in _data_lines(about)],
            "",
            "## Measures",
            "",
            *[
                f"- {part_name(part, about)}: {headline(values)}"
                for part, values in matcher.metrics.items()
            ],
            "",
            "## Limits",
            "",
            f"- The network sees the first {matcher.encoder.max_length} tokens of a sentence.",
            "- A word that is neither in the training text nor among the vectors kept is unknown; "
            "all unknown words are one.",
            "- A score is a grade as the training data's annotators gave them; others may differ."
            if matcher.grades is not None
            else "- A score is a probability under the training data's share of labels; where that "
            "share differs, it is off.",
            "- Measures on other text than the training data's kind will be lower.",
            "",
        ]
    )


def front_matter(matcher: Matcher) -> list[str]:
    """The lines of the card's YAML head; every value is written as JSON, which is YAML too.

    Source: Hugging Face Hub, "Model Cards", metadata. The licence is for whoever publishes to say.
    """
    task = matcher.task.name
    pipeline = _PIPELINES.get(task, "text-classification")
    data = matcher.about.get("data", {})
    results: list[dict[str, Any]] = [
        {
            "task": {"type": pipeline, "name": task},
            "dataset": {
                "name": data[part]["file"],
                "type": PurePath(data[part]["file"]).stem or part,
                "split": part,
            },
            "metrics": found,
        }
        for part, values in matcher.metrics.items()
        # What dev measured is not this network.
        if part in data
        and part_name(part, matcher.about) == part
        and (found := _finite_measures(values))
    ]
    head: dict[str, Any] = {
        "library_name": "abcnn",
        "pipeline_tag": pipeline,
        "tags": ["abcnn", "keras", "sentence-pairs", task, matcher.config.model],
        "metrics": list(dict.fromkeys(one["type"] for part in results for one in part["metrics"])),
        "model-index": [{"name": f"{matcher.name} for {task}", "results": results}],
    }
    if not results:
        del head["metrics"], head["model-index"]
    return ["---", *[f"{key}: {json.dumps(value)}" for key, value in head.items()], "---"]


def _finite_measures(values: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"type": name, "value": round(values[name], 4)}
        for name in _MEASURES
        if isinstance(values.get(name), float) and math.isfinite(values[name])
    ]


def _data_lines(about: dict[str, Any]) -> list[str]:
    data = about.get("data", {})
    lines = [
        f"{part}: {facts['pairs']:,} pairs from `{facts['file']}` ("
        + ", ".join(f"{label}: {count:,}" for label, count in facts["labels"].items())
        + ")"
        for part, facts in data.items()
    ]
    lines += [about[key] for key in NOTES if key in about and key != "calibration"]
    return lines or ["not recorded"]
