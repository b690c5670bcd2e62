"""Measures as tables for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from abcnn.evaluation.classification import ClassificationMeasures
from abcnn.evaluation.grading import GradeMeasures
from abcnn.evaluation.paired import Comparison
from abcnn.evaluation.ranking import RankingMeasures

_HEADLINES = {
    "map": "MAP",
    "mrr": "MRR",
    "p_at_1": "P@1",
    "accuracy": "accuracy",
    "f1": "F1",
    "macro_f1": "macro F1",
    "pearson": "Pearson",
    "spearman": "Spearman",
    "mse": "MSE",
}


def part_name(part: str, about: Mapping[str, Any]) -> str:
    """How a measured part of the data is named beside its measures; `about` is the bundle's.

    With `train_on_dev` dev's measures are not those of the network that was kept, and say so.
    """
    learnt = part == "dev" and "train_on_dev" in about
    return "dev (before it was trained on)" if learnt else part


def headline(values: Mapping[str, Any]) -> str:
    """The main measures and the count they rest on, on one line."""
    found = [f"{name} {values[key]:.4f}" for key, name in _HEADLINES.items() if key in values]
    counted = "questions" if "questions" in values else "pairs"
    return f"{', '.join(found)} ({values[counted]:,} {counted})"


def ranking_table(measures: RankingMeasures) -> str:
    """MAP, MRR, P@1 and the counts they rest on, a line each, then the rules they follow."""
    rules = f"ties: {measures.ties}, no answer: {measures.no_answer}"
    table = _aligned(
        [
            ("MAP", f"{measures.map:.4f}"),
            ("MRR", f"{measures.mrr:.4f}"),
            ("P@1", f"{measures.p_at_1:.4f}"),
            ("questions in the means", f"{measures.questions}"),
            ("  of these with ties", f"{measures.questions_with_ties}"),
            ("questions in all", f"{measures.questions_total}"),
            ("  without a right candidate", f"{measures.questions_without_answer}"),
            ("  with right candidates only", f"{measures.questions_all_answers}"),
            ("  not ranked", f"{measures.questions_not_ranked}"),
            ("pairs ranked", f"{measures.pairs}"),
        ]
    )
    return f"{table}\n({rules}{', mixed questions only' * measures.mixed_only})"


def classification_table(measures: ClassificationMeasures) -> str:
    """Accuracy, F1, the measures of every label and the confusion matrix."""
    summary = [("pairs", f"{measures.pairs}"), ("accuracy", f"{measures.accuracy:.4f}")]
    if measures.positive_f1 is not None:
        summary.append((f"F1 of {measures.names[-1]}", f"{measures.positive_f1:.4f}"))
    summary.append(("macro F1", f"{measures.macro_f1:.4f}"))
    labels = [("label", "precision", "recall", "F1")] + [
        (name, f"{precision:.4f}", f"{recall:.4f}", f"{f1:.4f}")
        for name, precision, recall, f1 in zip(
            measures.names, measures.precision, measures.recall, measures.f1, strict=True
        )
    ]
    confusion = [("true \\ predicted", *measures.names)] + [
        (name, *map(str, row)) for name, row in zip(measures.names, measures.confusion, strict=True)
    ]
    return "\n\n".join([_aligned(summary), _aligned(labels), _aligned(confusion)])


def grade_table(measures: GradeMeasures) -> str:
    """Both correlations, the mean squared error and the number of pairs, a line each."""
    return _aligned(
        [
            ("pairs", f"{measures.pairs}"),
            ("Pearson", f"{measures.pearson:.4f}"),
            ("Spearman", f"{measures.spearman:.4f}"),
            ("MSE", f"{measures.mse:.4f}"),
        ]
    )


def parts_table(measures: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> str:
    """The main measures of some systems on each part of the data, a line a system."""
    first = next(iter(measures.values()))
    columns = [(part, key) for part, values in first.items() for key in _HEADLINES if key in values]
    head = ("", *(f"{part} {_HEADLINES[key]}" for part, key in columns))
    rows = [
        (name, *(f"{parts[part][key]:.4f}" for part, key in columns))
        for name, parts in measures.items()
    ]
    return _aligned([head, *rows])


def spread_table(spread: Mapping[str, Mapping[str, Mapping[str, float]]], runs: int) -> str:
    """Mean and standard deviation of the main measures over some runs, a line each."""
    rows = [
        (f"{part} {_HEADLINES[key]}", f"{values['mean']:.4f}", f"{values['sd']:.4f}")
        for part, measures in spread.items()
        for key, values in measures.items()
        if key in _HEADLINES
    ]
    return _aligned([(f"{runs} runs", "mean", "sd"), *rows])


def comparison_table(comparisons: Sequence[Comparison]) -> str:
    """Two systems by each measure: their values, the difference, its interval, the p-value."""
    shared = comparisons[0]
    head = ("", "A", "B", "B - A", f"{shared.level:.0%} interval", "p", f"{shared.unit}s differing")
    rows = [
        (
            one.measure,
            f"{one.first:.4f}",
            f"{one.second:.4f}",
            f"{one.difference:+.4f}",
            f"[{one.low:+.4f}, {one.high:+.4f}]",
            f"{one.p_value:.4f}",
            f"{one.differing:,} of {one.units:,}",
        )
        for one in comparisons
    ]
    return (
        f"{_aligned([head, *rows])}\n(paired bootstrap and randomisation test, {shared.rounds:,} "
        f"rounds, seed {shared.seed})"
    )


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    """Rows of equally many cells: the first column to the left, the others to the right."""
    first, *others = (max(map(len, column)) for column in zip(*rows, strict=True))
    return "\n".join(
        "  ".join(
            [row[0].ljust(first), *(c.rjust(w) for c, w in zip(row[1:], others, strict=True))]
        )
        for row in rows
    )
