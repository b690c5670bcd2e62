"""What a report says, against the measures of the package and loops; and its page."""

from __future__ import annotations

import shutil
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pytest

from abcnn.bundle import read_history
from abcnn.errors import InputError
from abcnn.pairs import Pair, PairBatch
from abcnn.readers import label_ids, read_pairs
from abcnn.report import make_report, report_page
from abcnn.report.charts import Series, line_chart
from abcnn.report.slices import by_length, by_overlap, by_question_word, overlap
from abcnn.tasks import TASKS


@pytest.fixture(scope="module")
def reports(trained):
    """A report a task on its sample's test file."""
    made = {}
    for task in TASKS:
        bundle = trained(task)
        pairs = read_pairs(bundle.test_file).pairs
        made[task] = make_report(bundle.matcher, pairs, read_history(bundle.folder), cases=2)
    return made


def test_measures_are_those_of_evaluate(trained, reports):
    for task, report in reports.items():
        stated = trained(task).matcher.metrics["test"]
        found = {one.name: one for one in report.measures}
        names = {"MAP": "map", "MRR": "mrr", "P@1": "p_at_1"} if TASKS[task].ranks else {}
        names |= {"expected calibration error": "expected_calibration_error"}
        if TASKS[task].graded:
            names = {"Pearson": "pearson", "Spearman": "spearman", "mean squared error": "mse"}
        elif not TASKS[task].ranks:
            names |= {"accuracy": "accuracy", "macro F1": "macro_f1"}
        for name, key in names.items():
            assert found[name].value == pytest.approx(stated[key]), (task, name)
        for one in report.measures:
            assert -1 <= one.low <= one.high
            assert one.low >= 0 or TASKS[task].graded
            assert one.high <= 1 or one.name == "mean squared error"
            assert one.name.startswith("expected") or one.low <= one.value <= one.high


def test_slices_hold_every_unit_once(reports):
    for task, report in reports.items():
        counted = report.measures[0]
        for one in report.slices:
            assert sum(part.units for part in one.parts) == counted.units
            weighted = sum(part.value * part.units for part in one.parts) / counted.units
            if TASKS[task].graded:
                errors = np.abs(report.judged.true - report.judged.said)
                assert weighted == pytest.approx(errors.mean())
            else:
                assert weighted == pytest.approx(counted.value), one.title


def test_worst_decisions_are_the_least_likely_true_labels(trained, reports):
    matcher, file = trained("entailment").matcher, trained("entailment").test_file
    pairs = read_pairs(file).pairs
    said, labels = matcher.predict(pairs), np.array(label_ids(pairs, matcher.labels))
    truth = said.probabilities[np.arange(len(pairs)), labels]
    wrong = sorted((truth[n], n) for n in range(len(pairs)) if said.labels[n] != labels[n])
    worst = reports["entailment"].worst
    assert [case.row for case in worst] == [pairs.row(n) for _, n in wrong[:2]]
    for case in worst:
        assert case.label != case.said
        assert case.explanation.score == pytest.approx(case.score, abs=1e-5)
    assert reports["entailment"].near[0].explanation is None


def test_worst_grades_are_the_furthest_off(reports):
    report = reports["similarity"]
    errors = np.abs(report.judged.true - report.judged.said)
    assert [case.row for case in report.worst] == (np.argsort(-errors)[:2] + 1).tolist()
    case = report.worst[0]
    assert abs(float(case.label) - case.score) == pytest.approx(errors.max())
    assert case.explanation.score == pytest.approx(case.score, abs=1e-5)
    assert report.near == ()


def test_worst_rankings_are_a_wrong_candidate_above_a_right_one(reports):
    worst = reports["answer-selection"].worst
    assert len(worst) == 4
    for wrong, right in zip(worst[::2], worst[1::2], strict=True):
        assert wrong.left == right.left
        assert (wrong.label, right.label) == ("0", "1")
        assert wrong.score > right.score


def test_slices_by_hand():
    values = np.array([1.0, 0.0, 1.0, 1.0])
    names = {"title": "t", "measure": "m", "kind": "pairs"}
    parts = by_length(np.array([3, 3, 5, 9]), values, 0, **names).parts
    assert [(part.name, part.value, part.units) for part in parts] == [
        ("3", 0.5, 2),
        ("5", 1, 1),
        ("9", 1, 1),
    ]
    parts = by_overlap(np.array([0, 0.25, 0.26, 1]), values, 0, **names).parts
    assert [part.name for part in parts] == ["none", "up to 1/4", "1/4 to 1/2", "over 3/4"]
    asked = [["Who", "x"], ["x"], ["so", "when"], ["who"]]
    parts = by_question_word(asked, values, 0, **names).parts
    assert [(part.name, part.units) for part in parts] == [("who", 2), ("when", 1), ("none", 1)]
    assert overlap(["The", "the", "cat"], ["THE"]) == 0.5
    assert overlap([], ["x"]) == 0


class Reader(HTMLParser):
    """Tags, ids and the links within the page."""

    def __init__(self):
        super().__init__()
        self.tags, self.ids, self.links, self.text = [], set(), set(), ""

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.tags.append(tag)
        self.ids |= {found["id"]} if "id" in found else set()
        self.links |= {found["href"]} if "href" in found else set()
        assert not [name for name in found if name.startswith("on") or name == "src"]

    def handle_data(self, data):
        self.text += data


@pytest.mark.parametrize("task", TASKS)
def test_a_page_has_all_its_parts_and_needs_nothing_else(reports, task):
    html = report_page(reports[task])
    reader = Reader()
    reader.feed(html)
    assert {link.removeprefix("#") for link in reader.links} == reader.ids
    assert reader.tags.count("svg") == {"entailment": 4, "similarity": 3}.get(task, 5)
    assert "http" not in html.replace("http://www.w3.org", "")
    assert "nan" not in reader.text.lower().split()
    for one in reports[task].measures:
        assert f"{one.low:.4f} to {one.high:.4f}" in reader.text


def test_a_page_of_little_data_says_what_there_is_not(trained):
    """One pair, right, in a bundle without a history; text that would be markup."""
    matcher = trained("paraphrase").matcher
    nasty = "<script>alert(1)</script> & so on"
    label = matcher.predict([(nasty, "x")]).label_names[0]
    pairs = PairBatch.of([Pair(nasty, "x", label)], source="<b>.csv")
    html = report_page(make_report(matcher, pairs))
    assert "<script>alert" not in html
    assert "<b>.csv" not in html
    assert "There is no error in this file." in html
    assert "The bundle holds no history" in html
    with pytest.raises(InputError, match="labelled pairs"):
        make_report(matcher, PairBatch.of([(nasty, "x")]))


def test_a_page_on_a_phone_in_the_dark(reports, tmp_path):
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if (chromium := shutil.which("chromium")) is None:
        pytest.skip("there is no Chromium")
    file = tmp_path / "report.html"
    file.write_text(report_page(reports["entailment"]), encoding="utf-8")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        context = browser.new_context(
            viewport={"width": 390, "height": 800}, color_scheme="dark", java_script_enabled=False
        )
        tab = context.new_page()
        tab.goto(file.as_uri())
        tab.set_viewport_size({"width": 390, "height": 800})
        assert tab.locator("main").bounding_box()["width"] <= 390
        assert tab.locator("text=Worst errors").first.is_visible()
        browser.close()


def test_a_chart():
    svg = line_chart(
        [Series("a", [1, 2, 3], [0.5, np.nan, 1.5], dots=True)],
        title="<t>", x_name="x & y", y_name="y", whole=True,
    )  # fmt: skip
    root = ElementTree.fromstring(svg)
    assert root.find("title").text == "<t>"
    [line] = root.findall("polyline")
    assert line.get("points") == "66.0,246.0 426.0,12.0"
    assert len(root.findall("circle")) == 2
    assert [text.text for text in root.findall("text")][:3] == ["1", "2", "3"]
    flat = line_chart([Series("a", [1], [2])], title="t", x_name="x", y_name="y")
    assert ElementTree.fromstring(flat).findall("text")[0].text == "0.5"


def test_a_curve_of_many_points_is_thinned_out_but_keeps_its_ends():
    many = np.linspace(0, 1, 5000)
    svg = line_chart([Series("a", many, many)], title="t", x_name="x", y_name="y")
    points = ElementTree.fromstring(svg).find("polyline").get("points").split()
    assert len(points) == 300
    assert (points[0], points[-1]) == ("66.0,246.0", "426.0,12.0")
