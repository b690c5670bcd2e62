"""A report as one HTML file that needs nothing else."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from abcnn.errors import require
from abcnn.explanation.page import environment, pair_view
from abcnn.explanation.words import shown
from abcnn.report.charts import Series, line_chart
from abcnn.report.records import Case, Decisions, Grading, Measured, Report

TEMPLATES = Path(__file__).parent / "templates"
_STYLES = ("one", "two", "three")


def report_page(report: Report) -> str:
    """The page: without scripts, in dark and light, for phones and for paper.

    Raises MissingExtraError without jinja2.
    """
    markup = require("markupsafe", "explain").Markup
    template = environment(TEMPLATES).get_template("report.html")
    charts = {name: markup(svg) for name, svg in _charts(report).items()}
    return template.render(
        report=report,
        title=shown(report.title),
        charts=charts,
        measures=[_measure(one) for one in report.measures],
        slices=[
            {
                "title": one.title,
                "measure": one.measure,
                "kind": one.kind,
                "parts": [_measure(part) for part in one.parts],
            }
            for one in report.slices
        ],
        decisions=_decisions(report.judged) if isinstance(report.judged, Decisions) else None,
        worst=[_case(case) for case in report.worst],
        near=[_case(case) for case in report.near],
    )


def _decisions(judged: Decisions) -> dict[str, Any]:
    table = np.array(judged.confusion.confusion)
    return {
        "bins": _bins(judged),
        "error": f"{judged.reliability.expected_error:.4f}",
        "confusion": [
            {
                "name": shown(name),
                "cells": [
                    {"value": f"{count:,}", "shade": float(count / max(table.sum(axis=1)[row], 1))}
                    for count in table[row]
                ],
            }
            for row, name in enumerate(judged.confusion.names)
        ],
        "labels": [shown(name) for name in judged.confusion.names],
    }


def _charts(report: Report) -> dict[str, str]:
    charts = {}
    if epochs := report.epochs:
        seeds = list(dict.fromkeys(epoch["seed"] for epoch in epochs))
        members = [[epoch for epoch in epochs if epoch["seed"] == seed] for seed in seeds]
        kept = [epoch["number"] for epoch in epochs if epoch["best"]]
        # Of an ensemble each network kept an epoch of its own.
        best = max(kept, default=None) if len(members) == 1 else None
        for name, what in (("loss", "mean loss in training"), ("dev", f"{report.measure} on dev")):
            charts[name] = line_chart(
                [
                    Series(
                        what,
                        [epoch["number"] for epoch in member],
                        [epoch[name] for epoch in member],
                        _STYLES[place % 3],
                        dots=len(epochs) < 40,
                    )
                    for place, member in enumerate(members)
                ],
                title=f"{what} by epoch",
                x_name="epoch",
                y_name=what,
                mark=best,
                whole=True,
            )
    if isinstance(report.judged, Decisions):
        return charts | _decision_charts(report.judged)
    return charts | {"grades": _grade_chart(report.judged)}


def _grade_chart(judged: Grading) -> str:
    """Mean score, and the scores' 10th and 90th percentile, of pairs with about the same grade."""
    order = np.argsort(judged.true, kind="stable")
    parts = np.array_split(order, min(12, len(order)))
    true = [float(judged.true[part].mean()) for part in parts]
    low, mean, high = (
        [float(of(judged.said[part])) for part in parts]
        for of in (partial(np.quantile, q=0.1), np.mean, partial(np.quantile, q=0.9))
    )
    ends = (judged.grades.low, judged.grades.high)
    return line_chart(
        [
            Series("as true", ends, ends, "guide"),
            Series("10% below", true, low, "two"),
            Series("mean score", true, mean, "one", dots=True),
            Series("10% above", true, high, "two"),
        ],
        title="Scores by true grade",
        x_name="true grade",
        y_name="score",
    )


def _decision_charts(report: Decisions) -> dict[str, str]:
    charts = {}
    found, whole = report.reliability, (0.0, 1.0)
    charts["calibration"] = line_chart(
        [
            Series("as said", whole, whole, "guide"),
            Series("found", found.probability, found.share, "one", dots=True),
        ],
        title="How often what was given a probability was so",
        x_name="probability said",
        y_name="share that was so",
        x_range=whole,
        y_range=whole,
    )
    charts["precision_recall"] = line_chart(
        [
            Series(name, curve.recall, curve.precision, _STYLES[place % 3])
            for place, (name, curve) in enumerate(report.curves.items())
        ],
        title="Precision by recall",
        x_name="recall",
        y_name="precision",
        x_range=whole,
        y_range=whole,
    )
    if report.threshold is not None:
        [curve] = report.curves.values()
        charts["threshold"] = line_chart(
            [
                Series("F1", curve.thresholds, curve.f1, "one"),
                Series("accuracy", curve.thresholds, curve.accuracy, "two"),
            ],
            title="F1 and accuracy by threshold",
            x_name="threshold",
            y_name="measure",
            x_range=whole,
            y_range=whole,
            mark=report.threshold,
        )
    return charts


def _measure(one: Measured) -> dict[str, Any]:
    # The bar is from 0 to 1; an error may be larger, a correlation below.
    low, at, high = (min(max(value, 0.0), 1.0) for value in (one.low, one.value, one.high))
    return {
        "name": shown(one.name),
        "value": f"{one.value:.4f}",
        "interval": f"{one.low:.4f} to {one.high:.4f}",
        "units": f"{one.units:,}",
        "low": f"{low:.4f}",
        "width": f"{high - low:.4f}",
        "at": f"{at:.4f}",
    }


def _bins(report: Decisions) -> list[dict[str, str]]:
    found = report.reliability
    rows = zip(
        found.edges[:-1], found.edges[1:], found.counts, found.probability, found.share, strict=True
    )
    return [
        {
            "range": f"{low:.1f} to {high:.1f}",
            "pairs": f"{count:,}",
            "said": f"{said:.3f}" if count else "",
            "so": f"{so:.3f}" if count else "",
        }
        for low, high, count, said, so in rows
    ]


def _case(case: Case) -> dict[str, Any]:
    return {
        "row": case.row,
        "left": shown(case.left),
        "right": shown(case.right),
        "label": shown(case.label),
        "said": shown(case.said),
        "score": f"{case.score:.4f}",
        "note": case.note,
        "view": case.explanation and pair_view(case.explanation),
    }
