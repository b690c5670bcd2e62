"""The pages under docs/: their Python blocks run in order, and their tables are whole."""

import re
from pathlib import Path

import pytest

PAGES = sorted((Path(__file__).resolve().parent.parent / "docs").glob("*.md"))


def blocks(page: Path) -> list[str]:
    """The Python code of a page, a string a block."""
    return re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), flags=re.DOTALL)


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p)], ids=lambda page: page.name)
def test_python_blocks_run(page, trained, capsys):
    """In one namespace a page; `runs/demo/TASK` is a bundle of the task."""
    namespace: dict[str, object] = {}
    for number, code in enumerate(blocks(page)):
        for task in re.findall(r"runs/demo/([\w-]+)", code):
            code = code.replace(f"runs/demo/{task}", trained(task).folder.as_posix())
        exec(compile(code, f"{page.name} block {number}", "exec"), namespace)  # noqa: S102
        if "print(" in code:
            assert capsys.readouterr().out


def test_the_page_on_attention_names_every_match_score_and_every_attention():
    from abcnn import layers
    from abcnn.layers.match_scores import MATCH_SCORES

    text = next(page for page in PAGES if page.name == "attention.md").read_text("utf-8")
    assert re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE) == list(MATCH_SCORES)
    for name in layers.__all__:
        if "Attention" in name:
            assert f"`{name}" in text, name
