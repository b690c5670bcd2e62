"""An explanation in a terminal, by rich."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from abcnn.errors import require
from abcnn.explanation.records import NO_ATTENTION, Attention, Explanation, Logit
from abcnn.explanation.shades import shades, signed_shades
from abcnn.explanation.words import shown, unit_label, width_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console, RenderableType
    from rich.table import Table
    from rich.text import Text

_BLUE, _RED, _GREEN = (33, 102, 172), (178, 24, 43), (27, 120, 55)
_NARROWEST, _WIDEST = 4, 10
_LABEL = 26


def show(explanation: Explanation, console: Console) -> None:
    """Print an explanation: matrices as coloured cells, cut into parts as wide as the terminal.

    Without colours the numbers in the cells say the same.
    """
    for part in _parts(explanation, console.width):
        console.print(part)


def make_console(width: int | None = None) -> Console:
    """A console on stdout. Raises MissingExtraError without rich."""
    console: Console = require("rich.console", "explain").Console(
        highlight=False, width=width, soft_wrap=False
    )
    return console


def _parts(explanation: Explanation, width: int) -> Iterator[RenderableType]:
    yield _text(explanation.verdict, bold=True)
    if len(explanation.labels) == 2:
        yield _text(f"decided for {explanation.label}, threshold {explanation.threshold:.4f}")
    elif explanation.labels:
        pairs = zip(explanation.labels, explanation.probabilities, strict=True)
        yield _text(", ".join(f"{label} {value:.4f}" for label, value in pairs))
    if not explanation.attentions:
        yield _text(NO_ATTENTION)
    for attention in explanation.attentions:
        yield _text("")
        yield from _matrix(explanation, attention, width)
    yield _text("")
    yield _text("The score without the word, less the score (blue higher, red lower)", bold=True)
    sides = (explanation.left, explanation.right)
    all_shades = signed_shades(np.concatenate([side.changes for side in sides]))
    start = 0
    for side in sides:
        line = _text("")
        for token, change in zip(side.tokens, side.changes, strict=True):
            number = f" {change:+.3f}" if np.isfinite(change) else ""
            line.append(f"{shown(token)}{number}", style=_signed_style(all_shades[start]))
            line.append("  ")
            start += 1
        yield line
    for logit in explanation.logits:
        if logit.contributions:
            yield _text("")
            yield _text(f"Logit of {logit.label}: {logit.value:.4f}, the sum of", bold=True)
            yield _contributions(logit.brief())


def _matrix(explanation: Explanation, attention: Attention, width: int) -> Iterator[RenderableType]:
    rows, columns = (
        [unit_label(words) for words in explanation.words(units)]
        for units in (attention.rows, attention.columns)
    )
    low, high = attention.matrix.min(), attention.matrix.max()
    yield _text(f"{attention.title}: {low:.3f} to {high:.3f}", bold=True)
    label = min(_LABEL, max(map(width_of, rows)))
    cell = min(_WIDEST, max(_NARROWEST, *map(width_of, columns)))
    weighed = attention.row_weights is not None
    count = max(1, (width - label - 8 * weighed - 2) // (cell + 1))
    tones = shades(attention.matrix)
    for start in range(0, len(columns), count):
        chosen = range(start, min(start + count, len(columns)))
        table = _table()
        table.add_column("", width=label, no_wrap=True, overflow="ellipsis")
        for column in chosen:
            header = _text(columns[column])
            table.add_column(
                header, justify="center", width=cell, no_wrap=True, overflow="ellipsis"
            )
        if weighed:
            table.add_column("weight", justify="center", width=6)
        for row, name in enumerate(rows):
            cells = [
                _cell(attention.matrix[row, column], tones[row, column], _BLUE, cell)
                for column in chosen
            ]
            table.add_row(_text(name), *cells, *_weights(attention.row_weights, [row], 6))
        if attention.column_weights is not None:
            table.add_row("weight", *_weights(attention.column_weights, chosen, cell))
        yield table


def _weights(values: np.ndarray | None, places: range | list[int], width: int) -> list[Text]:
    if values is None:
        return []
    tones = shades(values)
    return [_cell(values[place], tones[place], _GREEN, width) for place in places]


def _contributions(logit: Logit) -> RenderableType:
    table = _table()
    for name in ("input", "value", "weight", "product"):
        table.add_column(name, justify="left" if name == "input" else "right", no_wrap=True)
    tones = signed_shades(np.array([part.product for part in logit.contributions]))
    for part, tone in zip(logit.contributions, tones, strict=True):
        raw = "" if part.raw is None else f" = {part.raw:.4g}"
        table.add_row(
            _text(f"{part.name}{raw}"),
            f"{part.value:.4f}",
            f"{part.weight:.4f}",
            _text(f"{part.product:+.4f}", style=_signed_style(tone)),
        )
    return table


def _table() -> Table:
    table: Table = require("rich.table", "explain").Table(
        box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="dim"
    )
    return table


def _text(text: str, *, bold: bool = False, style: str = "") -> Text:
    # Never as markup: a sentence may hold "[red]".
    made: Text = require("rich.text", "explain").Text(shown(text), style="bold" if bold else style)
    return made


def _cell(value: float, tone: float, color: tuple[int, int, int], width: int) -> Text:
    number = f"{value:.2f}" if abs(value) < 100 else f"{value:.0f}"
    return _text(number.center(width)[:width], style=_style(tone, color))


def _signed_style(tone: float) -> str:
    return _style(abs(tone), _BLUE if tone > 0 else _RED)


def _style(tone: float, color: tuple[int, int, int]) -> str:
    """Black on white to white on the full colour, the same on dark and on light terminals."""
    mixed = ",".join(str(round(255 + (part - 255) * tone)) for part in color)
    return f"{'bright_white' if tone > 0.8 else 'black'} on rgb({mixed})"
