"""Rows in Markdown and CSV, and the picture."""

from __future__ import annotations

import csv
import io
from xml.etree import ElementTree

import pytest

from abcnn.model_comparison import ModelRow
from abcnn.model_comparison.chart import draw_models
from abcnn.model_comparison.tables import csv_table, markdown_table

ROWS = (
    ModelRow("average", 2, 0.625, 0.17678, 2.5, 13, 80013, 15.04, 210000.4, "fast"),
    ModelRow("abcnn-3", 1, 0.5, None, 1, 20051, 100051, 120, 900.5, "keras", ("seed 1: a | b",)),
    ModelRow("bcnn", 0, failures=("seed 0: no", "seed 1: no")),
)


def test_markdown():
    assert markdown_table(ROWS, "map") == (
        "| model   |         dev map | seeds | parameters | with word vectors | training, s "
        "| pairs/s | engine | failed                 |\n"
        "|---------|-----------------|-------|------------|-------------------|-------------"
        "|---------|--------|------------------------|\n"
        "| average | 0.6250 ± 0.1768 |     2 |         13 |            80,013 |        15.0 "
        "| 210,000 | fast   |                        |\n"
        "| abcnn-3 |          0.5000 |     1 |     20,051 |           100,051 |       120.0 "
        "|     900 | keras  | seed 1: a \\| b         |\n"
        "| bcnn    |               - |     0 |          - |                 - |           - "
        "|       - | -      | seed 0: no; seed 1: no |"
    )


def test_csv_has_every_figure_whole():
    average, abcnn3, bcnn = csv.DictReader(io.StringIO(csv_table(ROWS)))
    assert float(average["dev_deviation"]) == 0.17678
    assert abcnn3["dev_deviation"] == ""
    assert bcnn["failures"] == "seed 0: no; seed 1: no"


def test_the_picture_names_what_finished_and_is_the_same_again():
    pytest.importorskip("matplotlib")
    first, second = io.BytesIO(), io.BytesIO()
    draw_models(ROWS, "map", first)
    draw_models(ROWS, "map", second)
    assert first.getvalue() == second.getvalue()
    ElementTree.fromstring(first.getvalue())
    comments = first.getvalue().decode()  # matplotlib notes there each text that it draws
    assert "<!-- average -->" in comments
    assert "<!-- abcnn-3 -->" in comments
    assert "<!-- bcnn -->" not in comments
