"""The pages that `make results` writes: what is chosen, and that they show the records."""

import importlib
import json
import statistics
from collections import defaultdict
from pathlib import Path
from types import ModuleType

import pytest

from abcnn.tasks import TASKS
from abcnn.training.presets import preset_model

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"


@pytest.fixture
def page(monkeypatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return importlib.import_module("results_page")


def record(model: str, seed: int, dev: float, test: float) -> dict:
    figures = {"dev": {"accuracy": dev}, "test": {"accuracy": test}}
    cell = {"corpus": "sick", "recipe": "best", "model": model, "conv_layers": 1, "seed": seed}
    return cell | figures | {"seconds": 60.0, "name": f"best-{model}-1-seed-{seed}"}


def test_a_goal_is_measured_by_the_network_that_is_best_on_dev(page):
    records = {name: [] for name in page.CORPORA}
    records["sick"] = [
        *(record("bcnn", seed, 0.80, 0.99) for seed in (0, 1)),
        *(record("abcnn-3", seed, 0.85, 0.80 + seed / 10) for seed in (0, 1)),
        record("abcnn-1", 0, 0.90, 0.95),  # Of one seed only.
    ]
    lines = page.goals_table(records).splitlines()
    [line] = [line for line in lines if line.startswith("| SICK accuracy, all features")]
    assert line == (
        "| SICK accuracy, all features | 0.862 | 0.865 | 0.8500 ± 0.0707 | ABCNN-3, 1 layer | 2 |"
    )
    assert "| SICK accuracy, no features | 0.846 | 0.846 | not run |  | 0 |" in lines


def test_records_are_read_by_corpus_and_shown_by_recipe(page, tmp_path):
    (tmp_path / "sick").mkdir()
    for one in (record("bcnn", 0, 0.8, 0.7), record("bcnn", 1, 0.9, 0.8)):
        (tmp_path / "sick" / f"{one['name']}.json").write_text(json.dumps(one))
    measured = {"constant": {"dev": {"accuracy": 0.5}, "test": {"accuracy": 0.25}}}
    baselines = json.dumps({"corpus": "sick", "measures": measured})
    (tmp_path / "sick" / "baselines.json").write_text(baselines)
    text = page.results_page(page.read_records(tmp_path))
    assert "| BCNN, 1 layer | 0.8500 ± 0.0707 | 0.7500 ± 0.0707 | 0.848 | 2 | 60 |" in text
    assert "| constant | 0.5000 | 0.2500 |" in text


def test_the_pages_are_those_of_the_records(page):
    """A figure that no record gives is a defect: `make results` writes the pages anew."""
    records = page.read_records(RESULTS)
    assert (ROOT / "RESULTS.md").read_text(encoding="utf-8") == page.results_page(records)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"{page.BEGIN}\n{page.goals_table(records)}\n{page.END}" in readme


def test_the_best_preset_brings_the_model_of_one_layer_that_is_best_on_dev(page):
    records = page.read_records(RESULTS)
    for corpus in page.CORPORA.values():
        on_dev: dict[str, list[float]] = defaultdict(list)
        for one in records[corpus.name]:
            if one.get("recipe") == "best" and one["conv_layers"] == 1:
                on_dev[one["model"]].append(one["dev"][corpus.measures[0]])
        best = max(on_dev, key=lambda model: statistics.mean(on_dev[model]))
        assert preset_model("best", TASKS[corpus.task]) == best, dict(on_dev)
