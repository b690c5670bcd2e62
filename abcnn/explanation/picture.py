"""An explanation as a picture: PNG or SVG, by matplotlib."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from abcnn.errors import require
from abcnn.explanation.fonts import fonts_for
from abcnn.explanation.panels import CELL, draw_changes, draw_logit, draw_matrix, matrix_size
from abcnn.explanation.records import NO_ATTENTION, Attention, Explanation, Logit
from abcnn.explanation.words import shown, unit_label, width_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# All in inches.
_LETTER = 0.072
_BAR = 0.24
_TITLE = 0.45
_HEAD = 0.8
_GAP = 0.35
_NARROWEST = 3.6  # what is written below a matrix may be wider than the matrix


@dataclass(frozen=True)
class _Panel:
    """A part of the picture: its axes' size, the room its labels take left and above, in inches."""

    width: float
    height: float
    left: float
    above: float
    draw: Callable[[Axes], None]


def draw(explanation: Explanation, stream: IO[bytes], format: str) -> str:
    """Write the picture of an explanation: every attention matrix, contributions, words left out.

    `format` is "png" or "svg". Every unit has the same room, so a long sentence makes a large
    picture. Returns the characters that no installed font has, in whose place there are boxes.

    Raises MissingExtraError without matplotlib.
    """
    return _draw(explanation, lambda: _figure(explanation), stream, format)


def draw_attention(
    explanation: Explanation, attention: Attention, stream: IO[bytes], format: str
) -> str:
    """Write a picture of one of an explanation's matrices alone, as `draw` does."""
    return _draw(explanation, lambda: _matrix_alone(explanation, attention), stream, format)


def _draw(
    explanation: Explanation, make: Callable[[], Figure], stream: IO[bytes], format: str
) -> str:
    matplotlib = require("matplotlib", "explain")
    texts = [*explanation.left.tokens, *explanation.right.tokens, *explanation.labels]
    families, missing = fonts_for(map(shown, texts))
    settings = {
        "font.family": families,
        "font.size": 8.5,
        "svg.fonttype": "path",  # right with whatever fonts the reader has
        "svg.hashsalt": "abcnn",
    }
    with matplotlib.rc_context(settings), warnings.catch_warnings():
        # Told by the result, and once.
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        figure = make()
        metadata = {"Date": None} if format == "svg" else {"Software": "abcnn"}
        figure.savefig(stream, format=format, dpi=150, facecolor="white", metadata=metadata)
    return missing


def _figure(explanation: Explanation) -> Figure:
    """Two columns: the sentences and what was weighed, and the attention matrices."""
    weighed = [_changes_panel(explanation)] + [
        _logit_panel(logit.brief()) for logit in explanation.logits if logit.contributions
    ]
    matrices = [_matrix_panel(explanation, one) for one in explanation.attentions]
    columns = [column for column in (weighed, matrices) if column]
    indents = [max(panel.left for panel in column) for column in columns]
    widths = [
        indent + max(*(panel.width for panel in column), _NARROWEST) + 2 * _GAP
        for column, indent in zip(columns, indents, strict=True)
    ]
    heights = [sum(panel.above + panel.height + _GAP for panel in column) for column in columns]
    width, height = max(sum(widths) + _GAP, 5.5), max(heights) + _HEAD
    figure = require("matplotlib.figure", "explain").Figure(figsize=(width, height))
    _draw_head(figure, explanation)
    start = _GAP
    for column, column_width, indent in zip(columns, widths, indents, strict=True):
        top = height - _HEAD
        for panel in column:
            top -= panel.above + panel.height
            place = ((start + indent) / width, top / height)
            size = (panel.width / width, panel.height / height)
            panel.draw(figure.add_axes((*place, *size)))
            top -= _GAP
        start += column_width
    return figure


def _matrix_alone(explanation: Explanation, attention: Attention) -> Figure:
    panel = _matrix_panel(explanation, attention)
    above = panel.above - _TITLE
    width = panel.left + max(panel.width, _NARROWEST) + _GAP
    height = above + panel.height + _GAP
    figure = require("matplotlib.figure", "explain").Figure(figsize=(width, height))
    place = (panel.left / width, _GAP / height)
    panel.draw(figure.add_axes((*place, panel.width / width, panel.height / height)))
    return figure


def _draw_head(figure: Figure, explanation: Explanation) -> None:
    width, height = figure.get_size_inches()
    figure.text(_GAP / width, 1 - 0.35 / height, shown(explanation.verdict), fontsize=13)
    about = explanation.about
    if not explanation.attentions:
        about += f". {NO_ATTENTION}"
    figure.text(_GAP / width, 1 - 0.57 / height, shown(about), color="#555555")


def _matrix_panel(explanation: Explanation, attention: Attention) -> _Panel:
    def longest(units: tuple[tuple[str, ...], ...]) -> float:
        return _LETTER * max(width_of(unit_label(words)) for words in units) + 0.15

    return _Panel(
        *matrix_size(attention),
        left=longest(explanation.words(attention.rows)),
        above=longest(explanation.words(attention.columns)) + _TITLE,
        draw=lambda axes: draw_matrix(axes, explanation, attention),
    )


def _changes_panel(explanation: Explanation) -> _Panel:
    words = max(len(explanation.left.tokens), len(explanation.right.tokens))
    return _Panel(
        max(words * CELL, 3.2), 2.9, 0.0, _TITLE, lambda axes: draw_changes(axes, explanation)
    )


def _logit_panel(logit: Logit) -> _Panel:
    return _Panel(
        width=3.4,
        height=_BAR * len(logit.contributions),
        left=_LETTER * max(len(part.name) + 8 for part in logit.contributions),
        above=_TITLE,
        draw=lambda axes: draw_logit(axes, logit),
    )
