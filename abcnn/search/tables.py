"""A search as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict

from abcnn.search.records import SearchResult, TrialRow, best_first
from abcnn.search.values import text_of


def search_table(result: SearchResult, most: int = 10) -> str:
    """The best trials, at most so many, in Markdown; how many there were; what mattered."""
    states = [trial.state for trial in result.trials]
    counts = ", ".join(
        f"{states.count(state)} {state}"
        for state in ("finished", "pruned", "failed")
        if state in states
    )
    lines = [*_table(result, best_first(result.trials)[:most]), f"trials: {counts or 'none'}"]
    if result.importance:
        shares = (f"{name} {share:.0%}" for name, share in result.importance.items())
        lines.append(f"share of each option in the differences: {', '.join(shares)}")
    return "\n".join(lines)


def _table(result: SearchResult, trials: Sequence[TrialRow]) -> list[str]:
    head = ["trial", f"dev {result.measure}", "best epoch", "s", *result.space]
    cells = [head, *(_cells(trial, result.space) for trial in trials)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    rule = "|".join(["", *("-" * (width + 2) for width in widths), ""])
    lines = [
        f"| {' | '.join(cell.rjust(width) for cell, width in zip(line, widths, strict=True))} |"
        for line in cells
    ]
    return [lines[0], rule, *lines[1:]]


def _cells(trial: TrialRow, names: Iterable[str]) -> list[str]:
    return [
        f"{trial.number}",
        f"{trial.dev:.4f}",
        f"{trial.best_epoch}",
        f"{trial.seconds:.1f}",
        *(text_of(trial.values[name]) for name in names),
    ]


def search_document(result: SearchResult, command: str | None) -> str:
    """Everything as JSON; `command` is the line that trains the best trial again."""
    document = {
        "measure": result.measure,
        "conditions": result.conditions,
        "best": result.best and asdict(result.best) | {"command": command},
        "importance": result.importance,
        "trials": [asdict(trial) for trial in result.trials],
    }
    return json.dumps(document, indent=1, ensure_ascii=False)
