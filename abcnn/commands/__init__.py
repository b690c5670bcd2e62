"""The command line: one file a command, read only when it is called.

Importing Keras takes seconds, and `--help` must not: this module and the command modules import
nothing heavy, and each command imports what it runs inside its function.
"""

from __future__ import annotations

import importlib
import tomllib
from pathlib import Path
from typing import Any

import click

from abcnn.commands.interrupt import heard_interrupts
from abcnn.errors import AbcnnError

COMMANDS = {
    "train": "Train a model on a file of labelled sentence pairs.",
    "evaluate": "Measure a trained model on a labelled file.",
    "predict": "Score every row of a table, or one pair.",
    "explain": "Why pairs got their scores: attention, weighed inputs, words left out.",
    "report": "A page on how a model does on a labelled file.",
    "serve": "Serve a trained model over HTTP, with a page to try it on.",
    "export": "Write a trained model as NumPy, ONNX, SavedModel or LiteRT.",
    "measure": "Ranking measures from TREC qrels and run files, without a model.",
    "baseline": "What a model is to be read against: guesses and simple models.",
    "compare": "Is one of two systems better, or is it chance?",
    "compare-models": "Train several models under one budget: which one pays?",
    "search": "Search the training options that are best on dev.",
    "info": "What a trained bundle holds.",
    "doctor": "Versions, backend and devices; what to install if something is missing.",
    "embeddings": "Train word vectors.",
    "push": "Upload a bundle to the Hugging Face Hub.",
    "pull": "Download a bundle from the Hugging Face Hub.",
    "data": "Public corpora and word vectors: list, fetch, check.",
}


def _command(name: str) -> click.Command:
    module = importlib.import_module(f"abcnn.commands.{name.replace('-', '_')}")
    command: click.Command = module.command
    return command


class LazyGroup(click.Group):
    """A group whose commands are imported by name when they are asked for.

    Each command is the attribute `command` of `abcnn.commands.<name>`. An `AbcnnError` that leaves
    a command becomes one line on stderr and exit code 1.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        return _command(cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        # The short texts stand in the table above, so that listing imports no command.
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except AbcnnError as error:
            raise click.ClickException(str(error)) from error


def _read_config(context: click.Context, _parameter: click.Parameter, path: str | None) -> None:
    """Take the defaults of the commands' options from a TOML file with a table a command."""
    if path is None:
        return
    try:
        defaults = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise click.ClickException(f"{path}: expected a TOML file. Received: {error}") from error
    for name, value in defaults.items():
        if not isinstance(value, dict):
            raise click.ClickException(
                f"{path}: expected a table a command, such as [train]. Received: {name} = {value!r}"
            )
        if name not in COMMANDS:
            raise click.ClickException(
                f"{path}: expected a table a command, one of {', '.join(COMMANDS)}. "
                f"Received: [{name}]"
            )
        _check_options(path, name, _command(name), value)
    context.default_map = defaults


def _check_options(path: str, name: str, command: click.Command, options: dict[str, Any]) -> None:
    """ClickException for what is neither an option of a command nor, of a group, a command."""
    inner = command.commands if isinstance(command, click.Group) else {}
    known = {parameter.name for parameter in command.params}
    for option, value in options.items():
        if option in inner and isinstance(value, dict):
            _check_options(path, f"{name}.{option}", inner[option], value)
        elif option not in known:
            raise click.ClickException(
                f"{path}: [{name}] must hold options of its command, written with underscores. "
                f"Received: {option}"
            )


@click.group(
    cls=LazyGroup,
    context_settings={
        "help_option_names": ["-h", "--help"],
        "auto_envvar_prefix": "ABCNN",
        "show_default": True,
        "max_content_width": 100,
    },
    epilog="Example: abcnn train paraphrase --train pairs.csv --out runs/first",
)
@click.option(
    "--config",
    type=click.Path(),
    callback=_read_config,
    expose_value=False,
    is_eager=True,
    help="TOML file with defaults of options, a table a command.",
)
@click.version_option(package_name="abcnn", prog_name="abcnn")
@click.pass_context
def main(context: click.Context) -> None:
    """Model pairs of sentences with attention CNNs: train, evaluate, score."""
    context.with_resource(heard_interrupts())
