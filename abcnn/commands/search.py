"""`abcnn search`: which options are best on dev."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from abcnn.commands.command_line import command_line
from abcnn.commands.options import (
    device_option,
    json_option,
    precision_option,
    reading_options,
    vectors_option,
)
from abcnn.commands.training_options import (
    chosen_options,
    extraction,
    given_options,
    model_option,
    preset_option,
    setting,
    training_options,
)
from abcnn.tasks import TASKS, Task

if TYPE_CHECKING:
    from abcnn.training.options import TrainingOptions

_FILE = click.Path(allow_dash=True)


@click.command(
    "search",
    epilog="Example: abcnn search paraphrase --train data/samples/paraphrase/train.tsv "
    "--dev data/samples/paraphrase/dev.tsv --trials 2 --out runs/search",
)
@click.argument("task", type=click.Choice(list(TASKS)))
@click.option("--train", "train_file", required=True, type=_FILE, help="Labelled training pairs.")
@click.option("--dev", "dev_file", type=_FILE, help="Pairs to choose epochs and options on.")
@click.option("--out", required=True, type=click.Path(), help="Folder for the journal of trials.")
@vectors_option()
@click.option(
    "--trials", required=True, type=click.IntRange(min=1), help="Trials in all, earlier ones too."
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0),
    metavar="SECONDS",
    help="Begin no trial after so many seconds.",
)
@click.option(
    "--search",
    "asked",
    multiple=True,
    metavar="NAME=VALUES",
    help="What to search of an option: low..high, low..high:log or a|b|c; again for another one.  "
    "[default: by task and model]",
)
@click.option(
    "--prune/--no-prune",
    default=True,
    help="End a trial that is below the median of the earlier ones.",
)
@click.option("--force", is_flag=True, help="Forget the trials of an earlier search.")
@preset_option
@model_option
@training_options
@setting("seed", help="Seed of the search and of every training.")
@reading_options
@device_option
@precision_option
@json_option
@click.pass_context
def command(
    context: click.Context, task: str, asked: tuple[str, ...], as_json: bool, **arguments: Any
) -> None:
    """Search the training options that are best for TASK on dev.

    An option that is given is not searched; a preset is where the search starts. Trials stay in
    --out: the same command goes on after an interruption. At the end it prints the best trials, and
    last the command line that trains the best one. Test is for the model that comes of it. Needs
    pip install 'abcnn[search]'.
    """
    from abcnn.search import search
    from abcnn.search.tables import search_document, search_table
    from abcnn.training.options import TrainingOptions
    from abcnn.training.progress import Progress

    chosen = TASKS[task]
    names = ("out", "train_file", "dev_file", "vectors", "reading", "trials", "timeout", "prune")
    try:
        result = search(
            chosen,
            options=TrainingOptions(**chosen_options(context, chosen, arguments)),
            fixed=given_options(context),
            asked=asked,
            extraction=extraction(arguments["feature_cache"]),
            progress=Progress(lambda message: click.echo(message, err=True)),
            **{name: arguments[name] for name in (*names, "force", "device", "precision")},
        )
    except KeyboardInterrupt:
        click.echo("interrupted: trials are kept; the same command goes on", err=True)
        context.exit(130)
    line = None
    if result.options is not None:
        line = training_line(chosen, result.options, result.space, arguments)
    if as_json:
        click.echo(search_document(result, line))
    else:
        click.echo(search_table(result))
        if line is not None:
            click.echo(line)
    if line is None:
        last = result.trials[-1].reason if result.trials else None
        said = f"finished; the last one: {last}" if last else "begun before the time was up"
        click.echo(f"no trial was {said}", err=True)
        context.exit(1)


def training_line(
    task: Task, options: TrainingOptions, searched: Collection[str], arguments: dict[str, Any]
) -> str:
    """The `abcnn train` that makes what a trial with the options made, into OUT/best.

    `arguments` are those of the search. Options are named when they were searched, or are not the
    defaults.
    """
    from abcnn.commands.train import command as train
    from abcnn.training.options import TrainingOptions

    defaults = TrainingOptions(model=options.model).for_task(task).to_dict()
    defaults["train_vectors"] = not arguments["vectors"]
    named = {"model", *searched} | {
        name for name, value in options.to_dict().items() if value != defaults[name]
    }
    same = ("train_file", "dev_file", "vectors", "feature_cache", "device", "precision")
    data = {name: arguments[name] for name in same} | arguments["reading"]
    usual = {"device": "auto", "precision": "float32", "encoding": "utf-8"}
    values = {name: value for name, value in data.items() if value != usual.get(name)}
    values |= {"task": task.name, "out": Path(arguments["out"], "best")}
    return command_line(train, values | {name: getattr(options, name) for name in named})
