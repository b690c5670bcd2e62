"""The records of `make results` as tables: RESULTS.md, and the goals in the README."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from cells import CORPORA, SEEDS, Corpus, Goal, Recipe

from abcnn.model_comparison.records import ModelRow
from abcnn.model_comparison.tables import markdown_table

Record = Mapping[str, Any]
BEGIN, END = "<!-- results -->", "<!-- end of results -->"
_NAMES = {"map": "MAP", "mrr": "MRR", "f1": "F1", "mse": "MSE"}
_INTRODUCTION = f"""# Results on the real corpora

Written by `make results` from the records in `benchmarks/results/`, one a run: the command, seed,
measures, seconds, versions. Epochs, thresholds and every option were chosen on dev or on held-out
training pairs; test was measured once a run. Figures are mean ± standard deviation over seeds
({SEEDS[0]} to {SEEDS[-1]} where there are {len(SEEDS)}); ties count with their expected value. No
feature tells where a candidate stands in its document. The word vectors are GloVe 6B, 100 and 50
dimensions side by side, static. The paper's figures (Yin et al. 2016) were made with GoogleNews
vectors of 300 dimensions, and its code chose epochs on test. Seconds are the median of whole
commands, each with one thread beside others on the same machine; so are the times and the pairs a
second of the models compared, which hold against each other roughly.
"""


def write_pages(results: Path, root: Path) -> None:
    """Write RESULTS.md and the part of the README between its markers."""
    records = read_records(results)
    (root / "RESULTS.md").write_text(results_page(records), encoding="utf-8")
    readme = root / "README.md"
    text = readme.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    filled = f"{before}{BEGIN}\n{goals_table(records)}\n{END}{after}"
    readme.write_text(filled, encoding="utf-8")


def read_records(results: Path) -> dict[str, list[Record]]:
    """The records by the name of their corpus."""
    return {
        name: [
            json.loads(path.read_text(encoding="utf-8")) | {"name": path.stem}
            for path in sorted((results / name).glob("*.json"))
        ]
        for name in CORPORA
    }


def results_page(records: Mapping[str, Sequence[Record]]) -> str:
    """The whole page: the goals, then each corpus by recipe, baselines and models compared."""
    parts = [_INTRODUCTION, "## Goals\n", goals_table(records)]
    for corpus in CORPORA.values():
        mine = records[corpus.name]
        parts += ["", f"## {corpus.title}", *_recipes(corpus, mine), *_baselines(corpus, mine)]
        parts += _models(corpus, mine)
    return "\n".join(parts) + "\n"


def goals_table(records: Mapping[str, Sequence[Record]]) -> str:
    """Each goal beside the row of its recipe that is best on dev, so that test chooses nothing."""
    lines = _head("what", "paper", "goal", "reached", "by", "seeds")
    for corpus in CORPORA.values():
        for goal in corpus.goals:
            recipe = next(recipe for recipe in corpus.recipes if recipe.name == goal.recipe)
            lines.append(_line(goal.what, *_goal_cells(corpus, goal, recipe, records[corpus.name])))
    return "\n".join(lines)


def _goal_cells(
    corpus: Corpus, goal: Goal, recipe: Recipe, records: Sequence[Record]
) -> tuple[str, ...]:
    count = len(goal.goal)
    measures = corpus.measures[:count]
    paper = " / ".join(map(_figure, goal.paper)) or "–"
    wanted = " / ".join(map(_figure, goal.goal))
    rows = [row for row in _rows(recipe, records) if row]
    if not rows:
        return paper, wanted, "not run", "", "0"
    # The rows with the most seeds: a mean of one lucky seed beats nothing.
    seeds = max(map(len, rows))
    chosen = max(
        (row for row in rows if len(row) == seeds),
        key=lambda row: statistics.mean(record["dev"][corpus.measures[0]] for record in row),
    )
    reached = " / ".join(_spread([r["test"][measure] for r in chosen]) for measure in measures)
    return paper, wanted, reached, _network(chosen[0]), str(seeds)


def _recipes(corpus: Corpus, records: Sequence[Record]) -> list[str]:
    lines: list[str] = []
    for recipe in corpus.recipes:
        columns = [f"dev {_NAMES.get(m, m)}" for m in corpus.measures[:1]]
        columns += [f"test {_NAMES.get(m, m)}" for m in corpus.measures]
        if corpus.mixed:
            columns += [f"{_NAMES[m]}, 237 questions" for m in corpus.measures]
        columns += ["paper"] if corpus.paper else []
        lines += ["", f"### {recipe.what}", "", *_head("model", *columns, "seeds", "seconds")]
        for row in _rows(recipe, records):
            if row:
                lines.append(_recipe_line(corpus, row))
        if not any(_rows(recipe, records)):
            lines.append(_line("not run yet", *("" for _ in columns), "0", ""))
    return lines


def _recipe_line(corpus: Corpus, row: Sequence[Record]) -> str:
    first = row[0]
    cells = [_spread([record["dev"][corpus.measures[0]] for record in row])]
    cells += [_spread([record["test"][measure] for record in row]) for measure in corpus.measures]
    if corpus.mixed:
        cells += [_spread([r["test_mixed_only"][m] for r in row]) for m in corpus.measures]
    if corpus.paper:
        paper = corpus.paper[first["model"], first["conv_layers"]]
        cells.append(" / ".join(map(_figure, paper)))
    seconds = statistics.median(record["seconds"] for record in row)
    return _line(_network(first), *cells, str(len(row)), f"{seconds:.0f}")


def _rows(recipe: Recipe, records: Iterable[Record]) -> list[list[Record]]:
    """The records of a recipe, a list a model and number of layers."""
    mine = [record for record in records if record.get("recipe") == recipe.name]
    return [
        [r for r in mine if (r["model"], r["conv_layers"]) == (model, layers)]
        for model in recipe.models
        for layers in recipe.layers
    ]


def _baselines(corpus: Corpus, records: Iterable[Record]) -> list[str]:
    """What `abcnn baseline` measured."""
    lines: list[str] = []
    for record in records:
        if record["name"] == "baselines":
            columns = [
                f"{part} {_NAMES.get(m, m)}" for part in ("dev", "test") for m in corpus.measures
            ]
            lines += ["", f"### `abcnn baseline {corpus.task}`", "", *_head("baseline", *columns)]
            for name, parts in record["measures"].items():
                figures = [parts[part].get(m) for part in ("dev", "test") for m in corpus.measures]
                lines.append(
                    _line(
                        name.replace("_", " "), *("" if f is None else f"{f:.4f}" for f in figures)
                    )
                )
    return lines


def _models(corpus: Corpus, records: Iterable[Record]) -> list[str]:
    """What `abcnn compare-models` measured, on dev."""
    lines: list[str] = []
    for record in records:
        if record["name"] == "models":
            rows = [ModelRow(**row) for row in record["rows"]]
            options = " ".join(corpus.compared)
            lines += ["", f"### Models compared on dev, default options and `{options}`", ""]
            lines += [markdown_table(rows, record["measure"])]
    return lines


def _network(record: Record) -> str:
    layers = record["conv_layers"]
    return f"{record['model'].upper()}, {layers} layer{'s' if layers > 1 else ''}"


def _spread(values: Sequence[float]) -> str:
    deviation = f" ± {statistics.stdev(values):.4f}" if len(values) > 1 else ""
    return f"{statistics.mean(values):.4f}{deviation}"


def _figure(value: float) -> str:
    return f"{value:.4f}".rstrip("0") if value else "0"


def _head(*names: str) -> list[str]:
    return [_line(*names), _line(*("---" for _ in names))]


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"
