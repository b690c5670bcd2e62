"""A comparison in Markdown, CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

from abcnn.model_comparison.records import ModelRow, ModelRun


def markdown_table(rows: Sequence[ModelRow], measure: str) -> str:
    """A table that reads well as text too; what a model has no value for is a dash."""
    head = ["model", f"dev {measure}", "seeds", "parameters", "with word vectors"]
    head += ["training, s", "pairs/s", "engine", "failed"]
    cells = [head, *(_cells(row) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [_line(line, widths) for line in cells]
    rule = "|".join(["", *("-" * (width + 2) for width in widths), ""])
    return "\n".join([lines[0], rule, *lines[1:]])


def markdown_page(rows: Sequence[ModelRow], measure: str, conditions: Mapping[str, Any]) -> str:
    """The table, and what its figures are."""
    train, dev = conditions["train"], conditions["dev"]
    vectors = " and ".join(file["file"] for file in conditions["vectors"])
    return "\n".join(
        [
            f"# Models compared: {conditions['task']}",
            "",
            markdown_table(rows, measure),
            "",
            f"Trained on {train['pairs']:,} pairs of {train['file']}, measured on {dev['pairs']:,} "
            f"pairs of {dev['file']}, on which the epochs were chosen too: no figure is of test. "
            f"Word vectors: {vectors or 'trained on the training pairs'}.",
            "",
            "Dev is the mean ± the standard deviation over seeds. Parameters are those of the "
            "network, without and with the word vectors. Training is the median of whole runs; "
            "pairs/s are the median from text to probabilities, with "
            f"{conditions['processors']} processors.",
            "",
        ]
    )


def csv_table(rows: Sequence[ModelRow]) -> str:
    """The rows as they are, with a header; what is None is empty."""
    stream = io.StringIO()
    names = [field.name for field in fields(ModelRow)]
    writer = csv.DictWriter(stream, names, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow(asdict(row) | {"failures": "; ".join(row.failures)})
    return stream.getvalue()


def json_document(
    rows: Sequence[ModelRow], runs: Sequence[ModelRun], measure: str, conditions: Mapping[str, Any]
) -> str:
    """Everything: the conditions, a row a model, every run."""
    document = {
        "measure": measure,
        "conditions": conditions,
        "rows": [asdict(row) for row in rows],
        "runs": [asdict(run) for run in runs],
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _cells(row: ModelRow) -> list[str]:
    failed = "; ".join(row.failures).replace("|", "\\|")
    if row.dev is None:
        return [row.model, "-", "0", "-", "-", "-", "-", "-", failed]
    deviation = "" if row.dev_deviation is None else f" ± {row.dev_deviation:.4f}"
    return [
        row.model,
        f"{row.dev:.4f}{deviation}",
        f"{row.seeds}",
        f"{row.parameters:,}",
        f"{row.parameters_with_vectors:,}",
        f"{row.train_seconds:.1f}",
        f"{row.pairs_per_second:,.0f}",
        f"{row.engine}",
        failed,
    ]


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Words to the left, figures to the right."""
    last = len(cells) - 1
    padded = [
        cell.ljust(width) if place in (0, last - 1, last) else cell.rjust(width)
        for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return f"| {' | '.join(padded)} |"
