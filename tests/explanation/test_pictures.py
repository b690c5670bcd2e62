"""The pictures of an explanation: whole, escaped, readable in every script."""

from __future__ import annotations

import io
import shutil
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pytest
from rich.console import Console

from abcnn.explanation import explain
from abcnn.explanation.fonts import fonts_for
from abcnn.explanation.page import page
from abcnn.explanation.picture import draw, draw_attention
from abcnn.explanation.shades import shades, signed_shades
from abcnn.explanation.terminal import show
from abcnn.explanation.words import is_right_to_left, shown, unit_label, width_of

NASTY = "</script><b onload=alert(1)> & \x1b[31m [red]word[/red] \"'"


@pytest.fixture(scope="module")
def explanation(trained):
    return explain(trained("paraphrase").matcher, NASTY, "one 中文 שלום word , and then some more")


class Reader(HTMLParser):
    """Every tag with its attributes, and the text of the page."""

    def __init__(self):
        super().__init__()
        self.tags: list[tuple[str, dict]] = []
        self.text = ""

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_data(self, data):
        self.text += data


def test_a_page_escapes_the_sentences_and_needs_nothing_else(explanation):
    html = page([explanation, explanation], title="<i>title</i>")
    reader = Reader()
    reader.feed(html)
    names = [tag for tag, _ in reader.tags]
    assert names.count("script") == 1
    assert not {"b", "i>title", "link", "img", "iframe"} & set(names)
    assert not [a for _, attributes in reader.tags for a in attributes if a.startswith("on")]
    assert not [a for _, attributes in reader.tags for a in attributes if a in ("src", "href")]
    assert "http" not in html
    assert "<i>title</i>" in reader.text
    assert "\x1b" not in html
    cells = sum(one.matrix.size + sum(one.matrix.shape) for one in explanation.attentions[1:])
    cells += explanation.attentions[0].matrix.size
    values = [a for tag, a in reader.tags if tag == "td" and "--s" in (a.get("style") or "")]
    assert len(values) == 2 * cells


def test_a_page_in_a_browser(explanation, tmp_path):
    """By keyboard, without an error, and no wider than a phone."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if (chromium := shutil.which("chromium")) is None:
        pytest.skip("there is no Chromium")
    file = tmp_path / "page.html"
    file.write_text(page([explanation]), encoding="utf-8")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": 390, "height": 800})
        said: list[str] = []
        tab.on("console", lambda message: said.append(message.text))
        tab.on("pageerror", lambda error: said.append(str(error)))
        tab.goto(file.as_uri())
        tab.focus("table.heat")
        for key in ("ArrowDown", "ArrowDown", "ArrowRight"):
            tab.keyboard.press(key)
        value = explanation.attentions[0].matrix[1, 1]
        read = tab.inner_text(".read").replace("\u2068", "").replace("\u2069", "")
        words = explanation.left.tokens[1], explanation.right.tokens[1]
        assert read == f"{words[0]} × {words[1]}: {value:.3g}"
        tab.focus("input[type=radio]")
        tab.keyboard.press("ArrowRight")
        assert tab.is_visible("text=green: the weights")
        assert tab.evaluate("document.documentElement.scrollWidth") == 390
        assert said == []
        browser.close()


def test_a_png_and_an_svg(explanation):
    png, svg, again = io.BytesIO(), io.BytesIO(), io.BytesIO()
    draw(explanation, png, "png")
    draw(explanation, svg, "svg")
    draw(explanation, again, "svg")
    assert png.getvalue().startswith(b"\x89PNG")
    assert ElementTree.fromstring(svg.getvalue()).tag.endswith("svg")
    assert svg.getvalue() == again.getvalue()


def test_a_matrix_alone(explanation):
    roots = []
    for attention in explanation.attentions:
        stream = io.BytesIO()
        draw_attention(explanation, attention, stream, "svg")
        roots.append(ElementTree.fromstring(stream.getvalue()))
    words, phrases = (
        [float(root.get(name)[:-2]) for name in ("width", "height")] for root in roots
    )
    assert words[0] < phrases[0]
    assert words[1] < phrases[1]
    cells = roots[0].findall(".//{*}g[@id='QuadMesh_1']/{*}path")
    assert len(cells) == explanation.attentions[0].matrix.size


def test_a_picture_grows_with_its_sentences(trained, explanation):
    def width(of):
        stream = io.BytesIO()
        draw(of, stream, "svg")
        return float(ElementTree.fromstring(stream.getvalue()).get("width").removesuffix("pt"))

    long = explain(trained("paraphrase").matcher, "word", "many " * 40)
    assert width(long) > width(explanation) + 72 * 0.25 * 25


def test_characters_that_no_font_has_are_told():
    families, missing = fonts_for(["word", "\U000f1234"])
    assert (families[0], missing) == ("DejaVu Sans", "\U000f1234")
    assert fonts_for(["word", "ж"])[1] == ""


def test_the_terminal_shows_the_text_as_it_is_and_cuts_no_number(explanation):
    for width in (60, 200):
        stream = io.StringIO()
        show(explanation, Console(file=stream, width=width, highlight=False))
        text = stream.getvalue()
        assert "\x1b" not in text
        assert max(map(width_of, text.splitlines())) <= width
        for attention in explanation.attentions:
            for value in (attention.matrix.min(), attention.matrix[-1, -1]):
                assert f"{value:.2f}" in text
        for part in explanation.logits[0].contributions:
            assert f"{part.product:+.4f}" in text


def test_the_terminal_in_colour(explanation):
    stream = io.StringIO()
    show(explanation, Console(file=stream, force_terminal=True, color_system="truecolor"))
    assert "\x1b[97;48;2;33;102;172m" in stream.getvalue()  # the strongest cell: white on blue
    assert "\x1b[31m" not in stream.getvalue()  # what the sentence itself held


def test_labels_of_units():
    assert unit_label(["one", "two", "three", "four"]) == "one two three four"
    assert unit_label(["one", "two", "three", "four", "five"]) == "one two … four five"
    assert unit_label(["a" * 20]) == "a" * 15 + "…"
    assert shown("a\x1b\u202eb\ud800") == "a\ufffd\ufffdb\ufffd"
    assert (width_of("abc"), width_of("中文"), width_of("e\u0301")) == (3, 4, 1)
    assert is_right_to_left(["שלום", "word"]) is False
    assert is_right_to_left(["שלום", "עולם", "ok"])


def test_shades():
    np.testing.assert_allclose(shades(np.array([2.0, 3.0, 6.0])), [0, 0.25, 1])
    np.testing.assert_array_equal(shades(np.array([2.0, 2.0])), [0.5, 0.5])
    np.testing.assert_array_equal(signed_shades(np.array([-2.0, 1.0, np.nan])), [-1, 0.5, 0])
    np.testing.assert_array_equal(signed_shades(np.zeros(2)), [0, 0])
