"""The model card that lies beside a trained model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from abcnn.evaluation.report import headline
from abcnn.text.vocabulary import FIRST_WORD

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
            f"{config.vocabulary - FIRST_WORD:,} word vectors of {config.dim} dimensions.",
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
            *[f"- {name}: {headline(values)}" for name, values in matcher.metrics.items()],
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
