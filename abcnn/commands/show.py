"""Measures on stdout, as tables or as JSON."""

from __future__ import annotations

import json
from typing import Any

import click


def show_metrics(metrics: dict[str, dict[str, Any]], as_json: bool) -> None:
    """Print what training measured on dev and test: a line each, or one JSON object."""
    if as_json:
        click.echo(json.dumps(metrics, indent=2))
        return
    from abcnn.evaluation.report import headline

    for part, values in metrics.items():
        click.echo(f"{part}: {headline(values)}")
