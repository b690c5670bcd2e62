"""The model card that lies beside a trained model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from abcnn.scoring.matcher import Matcher


def model_card(matcher: Matcher) -> str:
    """The card as Markdown: what the model does, what it saw, how well it did, where it ends."""
    config, about = matcher.config, matcher.about
    layers = f"{config.conv_layers} convolution layer{'s' * (config.conv_layers > 1)}"
    return "\n".join(
        [
            f"# {config.model} for {matcher.task.name}",
            "",
            f"{config.model} with {layers}, {config.filters} filters of width {config.width}, over "
            f"{config.vocabulary:,} word vectors of {config.dim} dimensions.",
            f"Labels, in this order: {', '.join(matcher.labels)}.",
            *(
                [f"`{matcher.labels[-1]}` is decided for from probability {matcher.threshold:.4f}."]
                if len(matcher.labels) == 2
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
            *[f"- {name}: {_main_measures(values)}" for name, values in matcher.metrics.items()],
            "",
            "## Limits",
            "",
            f"- The network sees the first {matcher.encoder.max_length} tokens of a sentence.",
            "- A word that is neither in the training text nor among the vectors kept is unknown; "
            "all unknown words are one.",
            "- A score is a probability under the training data's share of labels; where that "
            "share differs, it is off.",
            "- Measures on other text than the training data's kind will be lower.",
            "",
        ]
    )


def _data_lines(about: dict[str, Any]) -> list[str]:
    data = about.get("data", {})
    lines = [
        f"{part}: {facts['pairs']:,} pairs from `{facts['file']}` ("
        + ", ".join(f"{label}: {count:,}" for label, count in facts["labels"].items())
        + ")"
        for part, facts in data.items()
    ]
    lines += [about[key] for key in ("vectors", "coverage") if key in about]
    return lines or ["not recorded"]


def _main_measures(values: dict[str, Any]) -> str:
    names = {"map": "MAP", "mrr": "MRR", "p_at_1": "P@1", "accuracy": "accuracy", "f1": "F1"}
    found = [f"{name} {values[key]:.4f}" for key, name in names.items() if key in values]
    counts = [f"{values[key]:,} {key}" for key in ("questions", "pairs") if key in values]
    return f"{', '.join(found)} ({', '.join(counts)})"
