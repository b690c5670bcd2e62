"""Explanations as one HTML file that needs nothing else."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from abcnn.errors import require
from abcnn.explanation.records import Attention, Explanation, Logit, Sentence, Units
from abcnn.explanation.shades import shades, signed_shades
from abcnn.explanation.words import is_right_to_left, shown, unit_label

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES = Path(__file__).parent / "templates"
_LARGEST_WITH_NUMBERS = 16


def page(explanations: Sequence[Explanation], title: str = "Explanation") -> str:
    """A page with a section a pair: words left out, attention matrices, what was weighed.

    Everything is in the page itself. Without scripts all of it can be read; with them the cell
    under the pointer, or moved to by arrow keys, is said in words.

    Raises MissingExtraError without jinja2.
    """
    template = environment().get_template("explanation.html")
    return template.render(title=title, pairs=[pair_view(one) for one in explanations])


@functools.cache
def environment(*folders: Path) -> Environment:
    """The templates of explanations, and those in `folders`; everything put in is escaped."""
    jinja2 = require("jinja2", "explain")
    made: Environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([*folders, TEMPLATES]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
    )
    return made


def pair_view(explanation: Explanation) -> dict[str, Any]:
    """What `parts.html` shows of an explanation."""
    sides = (explanation.left, explanation.right)
    changes = np.concatenate([side.changes for side in sides])
    tones = signed_shades(changes)
    split = len(explanation.left.tokens)
    probabilities = zip(explanation.labels, explanation.probabilities, strict=True)
    threshold = explanation.threshold
    return {
        "verdict": shown(explanation.verdict),
        "about": shown(
            explanation.about
            + (
                f" (threshold {threshold:.4f})"
                if threshold is not None
                else f" ({', '.join(f'{label} {value:.4f}' for label, value in probabilities)})"
                if explanation.labels
                else ""
            )
        ),
        "left": _words(explanation.left, tones[:split]),
        "right": _words(explanation.right, tones[split:]),
        "strongest": f"{np.abs(np.nan_to_num(changes)).max():.4f}",
        "maps": [_map(explanation, one) for one in explanation.attentions],
        "logits": [
            _logit(one.brief())
            # The label that was scored comes first: it is the one shown.
            for one in sorted(
                explanation.logits, key=lambda logit: logit.label != explanation.scored_label
            )
            if one.contributions
        ],
    }


def _words(side: Sentence, tones: np.ndarray) -> dict[str, Any]:
    def about(change: float) -> str:
        if np.isfinite(change):
            return f"without it the score changes by {change:+.4f}"
        return "the only word, so it is not left out"

    return {
        "words": [
            {
                "text": shown(token),
                "known": known,
                "read": place < side.read,
                "shade": float(tone),
                "about": about(change),
            }
            for place, (token, known, tone, change) in enumerate(
                zip(side.tokens, side.known, tones, side.changes, strict=True)
            )
        ]
    }


def _map(explanation: Explanation, attention: Attention) -> dict[str, Any]:
    def names(units: Units) -> list[dict[str, str]]:
        return [
            {"short": unit_label(words), "full": shown(" ".join(words))}
            for words in explanation.words(units)
        ]

    matrix = attention.matrix
    low, high = matrix.min(), matrix.max()
    row_weights = _cells(attention.row_weights)
    return {
        "title": attention.title,
        "about": f"{_sides(attention)}; from {low:.3f} (pale) to {high:.3f}"
        + ("; green: the weights that the pooling takes from it" if row_weights else ""),
        "right_to_left": is_right_to_left(explanation.tokens(attention.columns.side)),
        "dense": max(matrix.shape) > _LARGEST_WITH_NUMBERS,
        "columns": names(attention.columns),
        "rows": [
            {
                "name": name,
                "cells": _cells(values, tones),
                "weight": row_weights[row] if row_weights else None,
            }
            for row, (name, values, tones) in enumerate(
                zip(names(attention.rows), matrix, shades(matrix), strict=True)
            )
        ],
        "row_weights": bool(row_weights),
        "column_weights": _cells(attention.column_weights),
    }


def _sides(attention: Attention) -> str:
    rows, columns = attention.rows.side, attention.columns.side
    if rows == columns == "joined":
        return "Rows and columns: both sentences as one"
    if rows == "left_rest":
        return "Rows: the rest of the left sentence, columns: that of the right one"
    if rows == columns:
        return f"Rows and columns: the {rows} sentence"
    return f"Rows: the {rows} sentence, columns: the {columns} one"


def _cells(values: np.ndarray | None, tones: np.ndarray | None = None) -> list[dict[str, Any]]:
    if values is None:
        return []
    tones = shades(values) if tones is None else tones
    return [
        {"value": f"{value:.3g}", "shade": float(tone)}
        for value, tone in zip(values, tones, strict=True)
    ]


def _logit(logit: Logit) -> dict[str, Any]:
    tones = signed_shades(np.array([part.product for part in logit.contributions]))
    return {
        "title": shown(logit.label),
        "about": shown(
            f"Value times weight; the products sum to the logit of {logit.label}, {logit.value:.4f}"
        ),
        "parts": [
            {
                "name": part.name if part.raw is None else f"{part.name} = {part.raw:.4g}",
                "value": f"{part.value:.4f}",
                "weight": f"{part.weight:.4f}",
                "product": f"{part.product:+.4f}",
                "shade": float(tone),
            }
            for part, tone in zip(logit.contributions, tones, strict=True)
        ],
    }
