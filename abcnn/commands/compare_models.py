"""`abcnn compare-models`: many models on one task under one budget."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from abcnn.commands.options import (
    device_option,
    json_option,
    precision_option,
    reading_options,
    vectors_option,
)
from abcnn.commands.training_options import extraction, option_values, training_options
from abcnn.tasks import TASKS

_FILE = click.Path(allow_dash=True)


@click.command(
    "compare-models",
    epilog="Example: abcnn compare-models paraphrase --train data/samples/paraphrase/train.tsv "
    "--dev data/samples/paraphrase/dev.tsv --models average,bcnn --seeds 2 --out runs/compared",
)
@click.argument("task", type=click.Choice(list(TASKS)))
@click.option("--train", "train_file", required=True, type=_FILE, help="Labelled training pairs.")
@click.option("--dev", "dev_file", type=_FILE, help="Pairs to choose epochs and to measure on.")
@click.option("--out", required=True, type=click.Path(), help="Folder for runs, tables, plot.")
@vectors_option()
@click.option(
    "--models",
    help="Models divided by commas.  [default: all but hierarchical, which is for documents, and "
    "seq2seq, which learns to write right sentences; both take long]",
)
@click.option("--seeds", default=3, type=click.IntRange(min=1), help="Runs of each model.")
@training_options
@reading_options
@device_option
@precision_option
@json_option
@click.pass_context
def command(
    context: click.Context, task: str, models: str | None, as_json: bool, **arguments: Any
) -> None:
    """Train several models for TASK under one budget, and measure all on dev.

    The table shows what each reaches on dev, its size, and how long it trains and scores. An option
    that only some models read is for these. A finished run stays in --out and is not made again:
    the same command goes on after an interruption. A run that fails is named in the table, and the
    exit code is then 1. Test is for the model that is chosen by this.
    """
    from abcnn.model_comparison import COMPARED, compare_models
    from abcnn.model_comparison.tables import markdown_table
    from abcnn.training.options import TrainingOptions
    from abcnn.training.progress import Progress

    files = ("out", "train_file", "dev_file", "vectors", "reading")
    try:
        rows = compare_models(
            TASKS[task],
            models=COMPARED if models is None else models.split(","),
            options=TrainingOptions(**option_values(arguments)),
            extraction=extraction(arguments["feature_cache"]),
            progress=Progress(lambda message: click.echo(message, err=True)),
            **{name: arguments[name] for name in (*files, "seeds", "device", "precision")},
        )
    except KeyboardInterrupt:
        click.echo("interrupted: finished runs are kept; the same command goes on", err=True)
        context.exit(130)
    if as_json:
        click.echo((Path(arguments["out"]) / "models.json").read_text(encoding="utf-8"), nl=False)
    else:
        click.echo(markdown_table(rows, TASKS[task].measure))
    click.echo(f"written to {arguments['out']}", err=True)
    if any(row.failures for row in rows):
        context.exit(1)
