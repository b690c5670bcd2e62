"""Measures on stdout, as tables or as JSON."""

from __future__ import annotations

import json
from typing import Any

import click

_HEADLINES = {
    "map": "MAP",
    "mrr": "MRR",
    "p_at_1": "P@1",
    "accuracy": "accuracy",
    "f1": "F1",
    "macro_f1": "macro F1",
}


def show_metrics(metrics: dict[str, dict[str, Any]], as_json: bool) -> None:
    """Print what training measured on dev and test: a line each, or one JSON object."""
    if as_json:
        click.echo(json.dumps(metrics, indent=2))
        return
    for part, values in metrics.items():
        click.echo(f"{part}: {headline(values)}")


def headline(values: dict[str, Any]) -> str:
    """The main measures and the count they rest on, on one line."""
    found = [f"{name} {values[key]:.4f}" for key, name in _HEADLINES.items() if key in values]
    counted = "questions" if "questions" in values else "pairs"
    return f"{', '.join(found)} ({values[counted]:,} {counted})"
