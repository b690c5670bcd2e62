"""The parts of the picture of an explanation, each drawn into axes of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from abcnn.errors import require
from abcnn.explanation.records import Attention, Explanation, Logit
from abcnn.explanation.shades import shades, signed_shades
from abcnn.explanation.words import is_right_to_left, shown, unit_label

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CELL = 0.27
"""Inches a word: it stays readable however long the sentence."""

_LARGEST_WITH_NUMBERS = 12
_STRIP = 1.6  # cells that a strip of weights takes, with the gap before it
_GREY = "#555555"


def matrix_size(attention: Attention) -> tuple[float, float]:
    """Width and height of a matrix with its strips, in inches."""
    rows, columns = attention.matrix.shape
    right = _STRIP * (attention.row_weights is not None)
    below = _STRIP * (attention.column_weights is not None)
    return (columns + right) * CELL, (rows + below) * CELL


def draw_matrix(axes: Axes, explanation: Explanation, attention: Attention) -> None:
    """The matrix as cells; pooling weights as a strip at its right and below it."""
    matrix = attention.matrix
    rows, columns = matrix.shape
    axes.pcolormesh(matrix, cmap="Blues", edgecolors="white", linewidth=0.5)
    if max(rows, columns) <= _LARGEST_WITH_NUMBERS:
        _write_numbers(axes, matrix)
    right, bottom = float(columns), float(rows)
    if attention.row_weights is not None:
        strip = attention.row_weights[:, None]
        axes.pcolormesh([columns + 0.6, columns + 1.6], range(rows + 1), strip, cmap="Greens")
        right += _STRIP
    if attention.column_weights is not None:
        strip = attention.column_weights[None, :]
        axes.pcolormesh(range(columns + 1), [rows + 0.6, rows + 1.6], strip, cmap="Greens")
        bottom += _STRIP
    names = [
        [unit_label(words) for words in explanation.words(units)]
        for units in (attention.rows, attention.columns)
    ]
    axes.set_yticks(np.arange(rows) + 0.5, names[0])
    axes.set_xticks(np.arange(columns) + 0.5, names[1], rotation=90)
    axes.xaxis.tick_top()
    axes.set_xlim(0, right)
    axes.set_ylim(bottom, 0)
    if is_right_to_left(explanation.tokens(attention.columns.side)):
        axes.invert_xaxis()
    _bare(axes)
    low, high = matrix.min(), matrix.max()
    reach = f"{low:.3f} (white) to {high:.3f}" if low < high else f"all {low:.3f}"
    weights = "; green: pooling weights" if right > columns else ""
    # The axes may be narrower than what is to be said: as an annotation it is not cut.
    axes.annotate(
        f"{attention.title}: {reach}{weights}",
        (0, 0),
        xytext=(0, -4),
        xycoords="axes fraction",
        textcoords="offset points",
        va="top",
        color=_GREY,
    )


def draw_changes(axes: Axes, explanation: Explanation) -> None:
    """Both sentences, their words coloured by what leaving the word out changes."""
    cmap = require("matplotlib", "explain").colormaps["RdBu"]
    sides = (explanation.left, explanation.right)
    all_shades = signed_shades(np.concatenate([side.changes for side in sides]))
    axes.set_title("The score without the word: blue higher, red lower", fontsize=8.5, loc="left")
    words = max(len(side.tokens) for side in sides)
    room = max(words, 12)
    remaining = iter(all_shades)
    for line, side in enumerate(sides):
        backwards = is_right_to_left(side.tokens)
        base = 1 - 1.4 * line
        for place, (token, change) in enumerate(zip(side.tokens, side.changes, strict=True)):
            at = words - place - 1 if backwards else place
            shade = next(remaining)
            axes.bar(at, 0.3, bottom=base, width=0.96, color=cmap(0.5 + 0.5 * shade))
            axes.text(
                at,
                base + 0.15,
                f"{change:+.2f}" if np.isfinite(change) else "",
                ha="center",
                va="center",
                fontsize=5.5,
                color="white" if abs(shade) > 0.75 else "black",
            )
            axes.text(at, base - 0.05, unit_label([token]), ha="center", va="top", rotation=90)
    axes.set_xlim(-0.5, room - 0.5)
    axes.set_ylim(-1.5, 1.35)
    axes.set_axis_off()


def draw_logit(axes: Axes, logit: Logit) -> None:
    """What every input of the output layer adds to the logit, as bars."""
    parts = logit.contributions
    products = [part.product for part in parts]
    colors = ["#2166ac" if product >= 0 else "#b2182b" for product in products]
    axes.barh(range(len(parts)), products, color=colors, height=0.7)
    axes.set_yticks(
        range(len(parts)),
        [part.name if part.raw is None else f"{part.name} = {part.raw:.3g}" for part in parts],
    )
    reach = 1.4 * max(*map(abs, products), 1e-9)
    axes.set_xlim(-reach, reach)
    for place, product in enumerate(products):
        side = 1 if product >= 0 else -1
        axes.annotate(
            f"{product:+.3f}",
            (product, place),
            xytext=(3 * side, 0),
            textcoords="offset points",
            ha="left" if product >= 0 else "right",
            va="center",
            fontsize=7,
        )
    axes.set_ylim(len(parts) - 0.4, -0.6)
    axes.axvline(0, color=_GREY, linewidth=0.6)
    axes.set_xticks([])
    _bare(axes)
    total = f"Value times weight, summing to the logit of {logit.label}: {logit.value:.4f}"
    axes.set_title(shown(total), fontsize=8.5, loc="left")


def _write_numbers(axes: Axes, matrix: np.ndarray) -> None:
    dark = shades(matrix) > 0.7
    for (row, column), value in np.ndenumerate(matrix):
        axes.text(
            column + 0.5,
            row + 0.5,
            f"{value:.2f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.1f}",
            ha="center",
            va="center",
            fontsize=6.5,
            color="white" if dark[row, column] else "black",
        )


def _bare(axes: Axes) -> None:
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
