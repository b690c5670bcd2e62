"""A model and a file in a few lines each."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from abcnn.bundle.card import NOTES
from abcnn.network_config import model_in_words
from abcnn.pairs import PairBatch
from abcnn.readers.grades import grade_bins, grade_values

if TYPE_CHECKING:
    from abcnn.scoring.matcher import Matcher


def model_facts(matcher: Matcher) -> dict[str, str]:
    """What the model is and what it was trained on."""
    about = matcher.about
    lines = {
        "task": matcher.task.name,
        "model": model_in_words(vars(matcher.config), len(matcher.members)),
    }
    if matcher.grades is not None:
        lines["grades"] = f"from {matcher.grades}"
    else:
        lines["labels"] = ", ".join(matcher.labels)
    if matcher.task.two_labels:
        lines["threshold"] = f"{matcher.threshold:.4f}"
    for name in NOTES:
        if name in about:
            lines[name] = str(about[name]).removeprefix(f"{name}: ")
    for part, facts in about.get("data", {}).items():
        counts = ", ".join(f"{label}: {count:,}" for label, count in facts["labels"].items())
        lines[f"{part} data"] = f"{facts['pairs']:,} pairs of {facts['file']} ({counts})"
    return lines


def data_facts(
    matcher: Matcher,
    pairs: PairBatch,
    left: list[list[str]],
    right: list[list[str]],
    groups: np.ndarray | None,
) -> dict[str, str]:
    """What the file holds: `left` and `right` are its tokens, `groups` numbers of questions."""
    if matcher.grades is not None:
        kind = "grade"
        counts = Counter(grade_bins(grade_values(pairs)))
        names = sorted(counts, key=lambda name: float(name.split()[0]))
    else:
        kind, counts, names = "label", Counter(pairs.labels or ()), list(matcher.labels)
    most = matcher.encoder.max_length
    cut = sum(len(tokens) > most for side in (left, right) for tokens in side)
    words = Counter(token for side in (left, right) for tokens in side for token in tokens)
    unknown = sum(n for word, n in words.items() if word not in matcher.encoder.vocabulary)
    lines = {
        "pairs": f"{len(pairs):,}",
        **{
            f"{kind} {name}": f"{counts[name]:,} ({counts[name] / len(pairs):.1%})"
            for name in names
        },
    }
    if groups is not None:
        right_ones = {
            group
            for group, name in zip(groups, pairs.labels or (), strict=True)
            if name == matcher.labels[-1]
        }
        total = int(groups.max()) + 1
        lines["questions"] = f"{total:,}, {total - len(right_ones):,} without a right candidate"
    for name, side in (("left", left), ("right", right)):
        lengths = [len(tokens) for tokens in side]
        lines[f"words, {name}"] = f"{np.mean(lengths):.1f} on average, {max(lengths)} at most"
    lines["sentences cut"] = f"{cut:,}, at {most} words"
    lines["unknown words"] = f"{unknown / max(words.total(), 1):.1%} of {words.total():,}"
    same = len(pairs) - len(set(zip(pairs.left, pairs.right, strict=True)))
    lines["pairs that stand there twice"] = f"{same:,}"
    return lines
