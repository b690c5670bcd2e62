"""The README's Python blocks run as printed, and its commands are ones that there are."""

import re
import shlex
from pathlib import Path

import click
import pytest

from abcnn.commands import COMMANDS, main

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
SHELL = re.findall(r"```\n(.*?)```", README, flags=re.DOTALL)
LINES = [
    line.split("  #")[0].strip()
    for block in SHELL
    for line in block.replace("\\\n", " ").splitlines()
    if line.startswith("abcnn ")
]


@pytest.mark.parametrize("number", range(len(PYTHON)))
def test_python_blocks_run(number, trained, capsys):
    code = PYTHON[number].replace(
        "runs/demo/answer-selection", str(trained("answer-selection").folder)
    )
    exec(compile(code, f"README block {number}", "exec"), {})  # noqa: S102
    if "print(" in code:
        assert capsys.readouterr().out


@pytest.mark.parametrize("line", LINES)
def test_commands_parse(line):
    """Every `abcnn ...` line names a command and options that there are."""
    arguments = shlex.split(line)[1:]
    command = main.get_command(click.Context(main), arguments[0])
    assert command is not None
    context = command.make_context(arguments[0], arguments[1:], resilient_parsing=True)
    known = {flag for parameter in command.params for flag in parameter.opts}
    if not isinstance(command, click.Group):
        assert {word for word in arguments if word.startswith("-")} <= known | {"-"}
    assert context is not None


def test_make_targets_exist():
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    named = set(re.findall(r"^make ([\w-]+)", "\n".join(SHELL), re.MULTILINE))
    assert named
    assert named <= targets


def test_the_table_of_commands_is_whole():
    for name in COMMANDS:
        assert f"abcnn {name}" in README, name
