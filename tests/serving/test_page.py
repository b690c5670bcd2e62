"""The page in a real browser: by keyboard, on a phone, in the dark, with hostile text."""

from __future__ import annotations

import re
import shutil
from importlib.util import find_spec

import pytest

from abcnn.scoring.tables import score_table
from abcnn.serving.limits import Limits
from tests.serving.conftest import serving

sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on the path")
explained = pytest.mark.skipif(
    find_spec("abcnn.explanation") is None, reason="there are no explanations"
)

PAIR = ("The thief left.", "At noon the burglar <b>left</b> the inn.")
ARABIC = ("من كتب هذا الكتاب؟", "كتبه طبيب من مدينة صغيرة.")
HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>"


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        # Chromium's own sandbox wants rights that containers do not give.
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def visit(browser):
    """`visit(served)`: its page, which must complain of nothing and ask nobody else."""
    contexts, complaints = [], []

    def open_page(served, **context):
        contexts.append(browser.new_context(**context))
        page = contexts[-1].new_page()
        page.set_default_timeout(30_000)
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(dialog.message))
        page.on(
            "request",
            lambda request: (
                request.url.startswith((f"{served.address}/", "data:", "blob:"))
                or complaints.append(request.url)
            ),
        )
        page.goto(f"{served.address}/")
        sync_api.expect(page.locator("#about")).to_contain_text(served.matcher.task.name)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


def shown(page, selector):
    locator = page.locator(selector)
    sync_api.expect(locator).to_be_visible()
    return locator


def score(page, left, right):
    for side, text in (("left", left), ("right", right)):
        page.get_by_label(page.locator(f"#{side}-label").inner_text(), exact=True).fill(text)
    page.get_by_role("button", name="Score", exact=True).click()
    shown(page, "#pair-result")


def test_a_pair_by_keyboard_alone(served, visit):
    here = served("paraphrase")
    page = visit(here)
    page.keyboard.press("Tab")  # The link to the interface comes first.
    for text in PAIR:
        page.keyboard.press("Tab")
        page.keyboard.type(text)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    said = here.matcher.predict([PAIR])
    assert float(shown(page, "#score").inner_text()) == pytest.approx(said.scores[0], abs=1e-4)
    assert page.locator("#label").inner_text() == said.label_names[0]
    page.get_by_label("First sentence").focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("Another one")
    page.keyboard.press("Control+Enter")
    said = here.matcher.predict([("Another one", PAIR[1])])
    sync_api.expect(page.locator("#score")).to_have_text(f"{said.scores[0]:.4f}")


@pytest.mark.parametrize("task", ["answer-selection", "entailment"])
def test_every_label_has_its_probability(served, visit, task):
    here = served(task)
    page = visit(here)
    page.get_by_role("button", name="Example").click()
    shown(page, "#pair-result")
    numbers = [float(text) for text in page.locator("#bars .number").all_inner_texts()]
    assert sum(numbers) == pytest.approx(1, abs=2e-3)
    names = page.locator("#bars > span:not(.number)").all_inner_texts()
    assert names == list(here.matcher.labels)
    decision = "is decided for from" if task == "answer-selection" else "most probable"
    assert decision in page.locator("#decision").inner_text()


@explained
def test_why_the_words_and_what_adds_up(served, visit):
    page = visit(served("paraphrase"))
    score(page, *PAIR)
    shown(page, "#why")
    tokens = served("paraphrase").matcher.encoder.tokenizer
    for side, text in zip(("left", "right"), PAIR, strict=True):
        words = page.locator(f"#{side}-words li").all_inner_texts()
        assert [word.splitlines()[0] for word in words] == tokens(text)
    adds = page.locator("#sums tr td:nth-of-type(3)").all_inner_texts()
    total = sum(float(text.replace("−", "-")) for text in adds)
    assert float(page.locator("#sum").inner_text().replace("−", "-")) == pytest.approx(
        total, abs=1e-3 * len(adds)
    )


@explained
def test_the_heat_map_by_arrow_keys(served, visit):
    page = visit(served("paraphrase"))
    score(page, *PAIR)
    shown(page, "#heat")
    tokens = served("paraphrase").matcher.encoder.tokenizer
    left, right = map(tokens, PAIR)
    assert page.locator("#heat tbody td").count() == len(left) * len(right)
    page.locator("#map").focus()
    page.keyboard.press("Tab")
    if not page.evaluate("document.activeElement.matches('td')"):
        page.keyboard.press("Tab")  # A box that scrolls can have the focus too.
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp", "ArrowUp"):
        page.keyboard.press(key)
    told = page.locator("#cell").inner_text()
    assert told.startswith(f"{left[0]} × {right[1]}: ")
    focused = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert focused == told.split(";")[0]
    assert page.locator("#heat td[tabindex='0']").count() == 1


@explained
def test_right_to_left_text_runs_from_the_right(served, visit):
    page = visit(served("paraphrase"))
    score(page, *ARABIC)
    first, second = (
        shown(page, f"#heat tbody tr:first-child td:nth-of-type({place})").bounding_box()
        for place in (1, 2)
    )
    assert first["x"] > second["x"]
    page.locator("#heat td[tabindex='0']").focus()
    page.keyboard.press("ArrowLeft")
    tokens = served("paraphrase").matcher.encoder.tokenizer
    told = page.locator("#cell").inner_text()
    assert tokens(ARABIC[1])[1] in told


def test_text_is_never_markup(served, visit):
    page = visit(served("paraphrase"))
    score(page, HOSTILE, f"{HOSTILE} again")
    if find_spec("abcnn.explanation"):
        shown(page, "#why")
    page.get_by_label("Paste a table").fill(f"{HOSTILE},b\n1,2\n")
    page.get_by_role("button", name="Score the table").click()
    assert HOSTILE in shown(page, "#table-error").inner_text()
    assert page.locator("main img, main script").count() == 0


def test_sentences_without_words_are_told(served, visit):
    page = visit(served("answer-selection"))
    page.get_by_role("button", name="Score", exact=True).click()
    error = shown(page, "#pair-error")
    assert error.inner_text() == (
        "There is no score: “Question” is empty; “Candidate answer” is empty."
    )
    assert error.get_attribute("role") == "alert"
    score(page, "Who?", "The doctor.")
    sync_api.expect(error).to_be_hidden()


def test_a_pasted_table_comes_back_scored(served, visit, tmp_path):
    here = served("answer-selection")
    text = 'question,answer\nWho?,"The ""doctor"", he said"\nWhen?,\nWo?,In der Straße\n'
    given, expected = tmp_path / "table.csv", tmp_path / "expected.csv"
    given.write_text(text, encoding="utf-8")
    score_table(here.matcher, given, expected)
    page = visit(here)
    page.get_by_label("Paste a table").fill(text)
    page.get_by_role("button", name="Score the table").press("Enter")
    done = shown(page, "#table-done")
    assert "3 rows, 2 scored, 1 without a score" in done.inner_text()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download table-scored.csv").press("Enter")
    assert download.value.suggested_filename == "table-scored.csv"
    assert (tmp_path / download.value.path()).read_bytes() == expected.read_bytes()


def test_a_dropped_file_with_progress(served, visit, tmp_path):
    here = served("paraphrase")
    rows = 5_000
    page = visit(here)
    page.evaluate(
        """rows => {
          const data = new DataTransfer();
          const text = "a,b\\tleft\\n" + "the thief left\\the left the inn\\n".repeat(rows);
          data.items.add(new File([text], "mine.tsv"));
          document.getElementById("drop").dispatchEvent(
            new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}));
          window.seen = [];
          new MutationObserver(() => seen.push(document.getElementById("table-said").textContent))
            .observe(document.getElementById("table-said"), {childList: true});
        }""",
        rows,
    )
    assert page.locator("#chosen").inner_text().startswith("mine.tsv, ")
    page.get_by_text("Names of the columns").click()
    page.get_by_label("Left sentences").fill("a,b")
    page.get_by_label("Right sentences").fill("left")
    page.get_by_role("button", name="Score the table").click()
    assert f"{rows:,} rows, {rows:,} scored." in shown(page, "#table-done").inner_text()
    seen = page.evaluate("seen")
    assert "1,000 of about 5,000 rows" in seen
    assert seen[-1] == "5,000 of about 5,000 rows"
    with page.expect_download() as download:
        page.get_by_role("link", name="Download mine-scored.tsv").click()
    lines = (tmp_path / download.value.path()).read_text().splitlines()
    assert len(lines) == rows + 1
    page.get_by_role("button", name="Forget the file").click()
    sync_api.expect(page.get_by_label("Paste a table")).to_be_enabled()


def test_a_stopped_table_leaves_no_message(served, visit):
    page = visit(served("paraphrase"))
    page.get_by_label("Choose a file").set_input_files(
        {
            "name": "long.csv",
            "mimeType": "text/csv",
            "buffer": b"left,right\n" + b"the thief left,he left the inn\n" * 100_000,
        }
    )
    page.get_by_role("button", name="Score the table").click()
    shown(page, "#bar[value]")
    page.get_by_role("button", name="Stop").press("Enter")
    sync_api.expect(page.locator("#table-progress")).to_be_hidden()
    sync_api.expect(page.get_by_role("button", name="Score the table")).to_be_focused()
    for state in ("#table-error", "#table-done"):
        sync_api.expect(page.locator(state)).to_be_hidden()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "There is no table: paste one, or choose a file."),
        ("left,right\na\n", "table.csv, row 1 (line 2): expected 2 cells"),
        ("x,y\na,b\n", "table.csv: no column of sentences found"),
    ],
)
def test_a_bad_table_is_told(served, visit, text, message):
    page = visit(served("paraphrase"))
    page.get_by_label("Paste a table").fill(text)
    page.get_by_role("button", name="Score the table").click()
    assert shown(page, "#table-error").inner_text().startswith(message)
    assert page.locator("#columns").get_attribute("open") == ("" if "x,y" in text else None)


def test_what_is_too_large_is_not_sent(trained, visit):
    with serving(trained("paraphrase").matcher, Limits(table_bytes=100)) as small:
        page = visit(small)
        page.get_by_label("Paste a table").fill("left,right\n" + "a,b\n" * 100)
        page.get_by_role("button", name="Score the table").click()
        assert (
            shown(page, "#table-error")
            .inner_text()
            .startswith("The table must be at most 100 bytes. It has 411; ")
        )


def test_a_server_that_has_gone_is_told(trained, browser):
    """Chromium complains of it too, and may."""
    page = browser.new_page()
    with serving(trained("paraphrase").matcher) as gone:
        page.goto(f"{gone.address}/")
        page.get_by_role("button", name="Example").click()
        shown(page, "#pair-result")
    page.get_by_role("button", name="Score", exact=True).click()
    assert shown(page, "#pair-error").inner_text() == (
        "The server does not answer. Is it still running?"
    )
    page.close()


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_no_page_is_wider_than_its_window(served, visit, width):
    long = "antidisestablishmentarianism" * 8
    page = visit(served("entailment"), viewport={"width": width, "height": 700})
    score(page, f"{long} and words " * 10, long)
    if find_spec("abcnn.explanation"):
        shown(page, "#why")
    page.get_by_label("Paste a table").fill(f"{long},b\n1,2\n")
    page.get_by_role("button", name="Score the table").click()
    shown(page, "#table-error")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.goto(page.url + "docs")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


# Of every text that is seen: the least contrast to what is behind it, WCAG 2.2, 1.4.3.
CONTRAST = """() => {
  const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const over = (color, base) => {
    canvas.fillStyle = base; canvas.fillRect(0, 0, 1, 1);
    canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1);
    const [r, g, b] = canvas.getImageData(0, 0, 1, 1).data;
    return `rgb(${r}, ${g}, ${b})`;
  };
  const light = color => color.match(/\\d+/g).slice(0, 3).map(Number).map(v => v / 255)
    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = element => element
    ? over(getComputedStyle(element).backgroundColor, behind(element.parentElement)) : "white";
  const found = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some(n => n.nodeType === 3 && n.data.trim());
    if (!own || !element.checkVisibility() || element.matches("script, :disabled")) continue;
    const [a, b] = [behind(element)].flatMap(base =>
      [light(over(getComputedStyle(element).color, base)), light(base)]).sort((x, y) => y - x);
    found.push([(a + 0.05) / (b + 0.05), element.textContent.trim().slice(0, 40)]);
  }
  return found.sort((x, y) => x[0] - y[0])[0];
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read(served, visit, scheme):
    page = visit(served("entailment"), color_scheme=scheme)
    score(page, *PAIR)
    if find_spec("abcnn.explanation"):
        shown(page, "#why")
    page.get_by_label("Paste a table").fill("a,b\n1,2\n")
    page.get_by_role("button", name="Score the table").click()
    shown(page, "#table-error")
    least, text = page.evaluate(CONTRAST)
    assert least >= 4.5, text
    page.goto(page.url + "docs")
    least, text = page.evaluate(CONTRAST)
    assert least >= 4.5, text


def test_every_control_has_a_name(served, visit):
    page = visit(served("answer-selection"))
    page.get_by_text("Names of the columns").click()
    score(page, *PAIR)
    snapshot = page.locator("main").aria_snapshot()
    controls = re.findall(r"- (textbox|button|combobox|link)(.*)", snapshot)
    assert len(controls) >= 9
    assert all(re.match(r' "[^"]+"', rest) for _, rest in controls), snapshot
