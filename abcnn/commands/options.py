"""Options that several commands share, each a decorator."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from abcnn.errors import InputError, require

ties_option = click.option(
    "--ties",
    type=click.Choice(["expected", "trec"]),
    default="expected",
    help="Candidates with equal scores: the expected value over all their orders, or trec_eval's "
    "rule (descending candidate id).",
)

no_answer_option = click.option(
    "--no-answer",
    type=click.Choice(["skip", "zero"]),
    default="skip",
    help="Questions without a right candidate: left out of the means, or counted as 0.",
)

mixed_only_option = click.option(
    "--mixed-only",
    is_flag=True,
    help="Only questions with both a right and a wrong candidate.",
)

json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object instead of a table."
)

device_option = click.option(
    "--device", default="auto", metavar="auto|cpu|gpu[:N]", help="Where to compute."
)

devices_option = click.option(
    "--devices",
    metavar="all|N,N",
    help="Devices of this kind, by number, that share each batch (TensorFlow, --loss pointwise).",
)

engine_option = click.option(
    "--engine",
    type=click.Choice(["fast", "keras"]),
    default="fast",
    help="What scores: compiled loops without TensorFlow, or the Keras network, the reference. "
    "A GPU asked for means keras.",
)

precision_option = click.option(
    "--precision",
    type=click.Choice(["float32", "mixed_bfloat16"]),
    default="float32",
    help="Precision of the arithmetic.",
)


def reading_options(command: Callable) -> Callable:
    """How to read the files of pairs: gives the command one argument `reading`, a dict.

    The dict holds the keyword arguments of `abcnn.readers.read_pairs`.
    """
    names = (
        "format",
        "columns",
        "left_column",
        "right_column",
        "label_column",
        "group_column",
        "candidate_column",
        "encoding",
    )

    @click.option("--format", help="Format of the files, when it is not to be recognised.")
    @click.option(
        "--columns",
        callback=lambda _context, _parameter, value: value and value.split(","),
        help="The files have no header: names of their columns in order, `_` to skip one, for "
        "instance left,right,label.",
    )
    @click.option("--left-column", help="Column of the left sentence (question, premise).")
    @click.option("--right-column", help="Column of the right sentence (answer, hypothesis).")
    @click.option("--label-column", help="Column of the label.")
    @click.option("--group-column", help="Column that names the question candidates belong to.")
    @click.option("--candidate-column", help="Column that names the candidate.")
    @click.option("--encoding", default="utf-8", help="Encoding of text files.")
    @functools.wraps(command)
    def with_reading(**arguments: Any) -> Any:
        reading = {name: arguments.pop(name) for name in names}
        return command(**arguments, reading=reading)

    return with_reading


class _Files(click.Option):
    """An option that may be given again; in a `--config` file one name or a list."""

    def consume_value(self, ctx: click.Context, opts: Mapping[str, Any]) -> tuple[Any, Any]:
        value, source = super().consume_value(ctx, opts)
        return ((value,) if isinstance(value, str) else value), source


def vectors_option(*, required: bool = False) -> Callable:
    """`--vectors`, once or again: gives the command a tuple of paths."""
    return click.option(
        "--vectors",
        cls=_Files,
        multiple=True,
        required=required,
        type=click.Path(),
        help="Word vectors: word2vec, GloVe, fastText; of several files side by side.",
    )


def require_folder_of(*outputs: str | None) -> None:
    """InputError when a file that is written at the end, `-` aside, would have no folder."""
    for output in outputs:
        if output not in (None, "-") and not Path(output).resolve().parent.is_dir():
            raise InputError(f"{output}: the folder {Path(output).parent} does not exist")


def quiet_hub() -> None:
    """No progress bars of the Hub's client where stderr is no terminal."""
    if not sys.stderr.isatty():
        require("huggingface_hub", "hub")
        require("huggingface_hub.utils", "hub").disable_progress_bars()
