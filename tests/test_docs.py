"""What the pages under docs/ show runs, in the order in which a page shows it.

`python` blocks share one namespace a page. `sh` blocks run line by line in a folder that holds
`data/samples`, the bundles that `make demo` makes (tiny ones), and the blocks with a title, which
are files. A `text` block is the output of the block above it, but for the numbers. In a block
without a language stands what needs a network, a GPU or the real corpora: its `abcnn` lines name
commands and options that there are.
"""

import re
import shlex
import shutil
import subprocess
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from abcnn.commands import COMMANDS, main
from tests.commands.process import start

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = {page.relative_to(DOCS).as_posix(): page for page in sorted(DOCS.rglob("*.md"))}
# Run by tests/cluster, which start the clusters.
ELSEWHERE = {"clusters.md"}
# As small as training gets: what a page trains is there to be used by its other blocks.
TINY = ("--epochs", "1", "--dim", "8")

_BLOCK = re.compile(r'^```(\w*)(?: title="(.+?)")?\n(.*?)^```$', re.DOTALL | re.MULTILINE)
_NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?")


@dataclass(frozen=True)
class Block:
    """A fenced block of a page; `title` is the name of a file that it shows."""

    language: str
    title: str
    code: str

    @property
    def lines(self) -> list[str]:
        """The commands of a shell block."""
        whole = self.code.replace("\\\n", " ").splitlines()
        return [line for line in whole if line and not line.startswith("#")]


def blocks(page: Path) -> list[Block]:
    return [Block(*found) for found in _BLOCK.findall(page.read_text("utf-8"))]


@pytest.mark.parametrize("name", [n for n in PAGES if n not in ELSEWHERE and blocks(PAGES[n])])
def test_what_a_page_shows_runs(name, trained, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "data" / "samples", "data/samples")
    for task in set(re.findall(r"runs/demo/([a-z-]+)", PAGES[name].read_text("utf-8"))):
        shutil.copytree(trained(task).folder, f"runs/demo/{task}")
    namespace: dict[str, object] = {}
    output = ""
    with ExitStack() as servers:
        for number, block in enumerate(blocks(PAGES[name])):
            if block.title:
                Path(block.title).write_text(block.code, encoding="utf-8")
            elif block.language == "python":
                capsys.readouterr()
                exec(compile(block.code, f"{name} block {number}", "exec"), namespace)  # noqa: S102
                output = capsys.readouterr().out
                assert output or "print(" not in block.code
            elif block.language == "sh":
                output = run(block.lines, servers)
            elif block.language == "text":
                assert shapes(block.code) <= shapes(output), output


def run(lines: list[str], servers: ExitStack) -> str:
    """What the lines of a shell block print; each must succeed.

    A server takes a free port, which the lines behind it ask in place of 8000, until `servers` is
    closed.
    """
    output, address = "", "localhost:8000"
    for line in lines:
        program, *arguments = shlex.split(line, comments=True)
        if program != "abcnn":
            line = line.replace("localhost:8000", address).replace("curl", "curl --fail")
            done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=True)
            output += done.stdout
        elif arguments[0] == "serve":
            address = servers.enter_context(served(arguments))
        else:
            arguments += TINY if arguments[0] == "train" else ()
            said = CliRunner().invoke(main, arguments, prog_name="abcnn")
            assert said.exit_code == 0, (line, said.output, said.exception)
            output += said.output
    return output


@contextmanager
def served(arguments: list[str]):
    """The address of a server that is running."""
    process = start(*arguments, "--port", 0, cwd=Path.cwd())
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        found = re.search(r"is served on http://(\S+)", line)
        assert found, line
        yield found[1]
    finally:
        process.terminate()
        process.wait(60)


def shapes(text: str) -> set[str]:
    """The lines of a text, with one sign for every number and one for white space."""
    return {" ".join(_NUMBER.sub("#", line).split()) for line in text.splitlines()} - {"", "..."}


@pytest.mark.parametrize("name", PAGES)
def test_commands_that_are_only_shown_parse(name):
    for block in blocks(PAGES[name]):
        for line in block.lines if block.language == "" else ():
            program, *arguments = shlex.split(line, comments=True)
            if program == "abcnn":
                parse(main, arguments)


def parse(group: click.Group, arguments: list[str]) -> None:
    """A command's name and its options must be known; its files need not be there."""
    context = click.Context(group)
    name, *rest = arguments
    command = group.get_command(context, name)
    assert command is not None, name
    if isinstance(command, click.Group):
        parse(command, rest)
    else:
        known = {flag for one in command.params for flag in (*one.opts, *one.secondary_opts)}
        assert {word for word in rest if word.startswith("-")} <= known | {"-"}, arguments
        command.make_context(name, rest, resilient_parsing=True)


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_to_pages(name):
    for link in re.findall(r"\]\(([^)#:]+)(?:#[\w-]*)?\)", PAGES[name].read_text("utf-8")):
        assert (PAGES[name].parent / link).is_file(), link


def test_the_navigation_has_every_page():
    listed = re.findall(r"^ +- .*: ([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.M)
    assert sorted(listed) == sorted(PAGES)


def test_the_pages_name_every_command():
    text = "\n".join(page.read_text("utf-8") for page in PAGES.values())
    assert [name for name in COMMANDS if f"abcnn {name}" not in text] == []


def test_the_reference_has_every_layer():
    from abcnn import layers

    listed = re.findall(
        r"^::: abcnn\.layers\.(\w+)$", PAGES["reference/layers.md"].read_text(), re.M
    )
    assert sorted(listed) == sorted(layers.__all__)


def test_the_page_on_attention_names_every_match_score_and_every_attention():
    from abcnn import layers
    from abcnn.layers.match_scores import MATCH_SCORES

    text = PAGES["attention.md"].read_text("utf-8")
    assert re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE) == list(MATCH_SCORES)
    for name in layers.__all__:
        if "Attention" in name:
            assert f"`{name}" in text, name
