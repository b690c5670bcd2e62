"""`abcnn train`: from labelled pairs to a bundle."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from abcnn.commands.options import (
    device_option,
    devices_option,
    json_option,
    precision_option,
    reading_options,
    vectors_option,
)
from abcnn.commands.training_options import (
    chosen_options,
    extraction,
    model_option,
    preset_option,
    setting,
    training_options,
)
from abcnn.errors import InputError, TrainingInterruptedError
from abcnn.tasks import TASKS, Task
from abcnn.training.options import TrainingOptions

if TYPE_CHECKING:
    from abcnn.scoring.matcher import Matcher
    from abcnn.training.progress import Epoch

_FILE = click.Path(allow_dash=True)


@click.command(
    "train",
    epilog="Example: abcnn train paraphrase --train data/samples/paraphrase/train.tsv "
    "--dev data/samples/paraphrase/dev.tsv --out runs/paraphrase",
)
@click.argument("task", type=click.Choice(list(TASKS)))
@click.option("--train", "train_file", required=True, type=_FILE, help="Labelled training pairs.")
@click.option("--dev", "dev_file", type=_FILE, help="Pairs to choose epochs and threshold on.")
@click.option("--test", "test_file", type=_FILE, help="Pairs to measure once, at the end.")
@click.option("--out", required=True, type=click.Path(), help="Folder for the trained bundle.")
@vectors_option()
@click.option("--resume", is_flag=True, help="Go on with an interrupted run.")
@click.option("--force", is_flag=True, help="Replace what an earlier run left.")
@preset_option
@model_option
@training_options
@click.option(
    "--teacher-column",
    metavar="NAME",
    help="Column of --train with another model's scores to learn from besides the labels: a "
    "probability, a grade, or for entailment NAME_<label> for each label.",
)
@setting("teacher_weight", help="Share of the teacher in the loss, from 0 to 1.")
@setting("seed", help="Seed of all random numbers.")
@click.option(
    "--seeds",
    type=click.IntRange(min=1),
    default=1,
    help="Runs with the seeds from --seed on, each a bundle OUT/seed-S; their mean and deviation.",
)
@click.option(
    "--ensemble",
    is_flag=True,
    help="Make one bundle of --seeds networks: the mean of their logits.",
)
@click.option(
    "--memory-map",
    is_flag=True,
    help="Keep the training pairs in files beside --out, for more than memory holds; needs --dev.",
)
@click.option(
    "--tensorboard",
    type=click.Path(path_type=Path),
    help="Folder for TensorBoard: loss and dev measure of every epoch.",
)
@click.option("--mlflow", is_flag=True, help="Note the run in MLflow, where MLFLOW_... say.")
@reading_options
@device_option
@devices_option
@precision_option
@json_option
@click.pass_context
def command(context: click.Context, task: str, **arguments: Any) -> None:
    """Train a model for TASK on a file of labelled sentence pairs.

    The epoch that is best on dev is kept, and --out becomes a folder that `abcnn predict` and
    `abcnn evaluate` take. Ctrl-C keeps the best epoch so far.
    """
    chosen = TASKS[task]
    if arguments["ensemble"] or arguments["seeds"] > 1:
        _train_seeds(context, chosen, arguments)
        return
    from abcnn.training.files import train_files
    from abcnn.training.logs import MlflowLog, RunLog, TensorBoardLog, logged
    from abcnn.training.progress import Progress

    files = ("out", "train_file", "dev_file", "test_file", "vectors", "reading", "teacher_column")
    manner = ("resume", "force", "memory_map", "device", "devices", "precision")
    options = TrainingOptions(**chosen_options(context, chosen, arguments))
    progress = Progress(_say, _show_batch, lambda epoch: _show_epoch(epoch, chosen.measure))
    logs: list[RunLog] = []
    if arguments["tensorboard"] is not None:
        logs.append(TensorBoardLog(arguments["tensorboard"]))
    if arguments["mlflow"]:
        logs.append(MlflowLog())
    with logged(progress, logs, chosen.measure, options.for_task(chosen).to_dict()) as progress:
        trained = train_files(
            chosen,
            options=options,
            extraction=extraction(arguments["feature_cache"]),
            progress=progress,
            **{name: arguments[name] for name in (*files, *manner)},
        )
    _say(f"best epoch: {trained.matcher.about['best_epoch']}; written to {arguments['out']}")
    _show_metrics(trained.matcher, arguments)
    if trained.interrupted:
        _say("interrupted: the best epoch so far was kept; --resume goes on")
        context.exit(130)


def _train_seeds(context: click.Context, task: Task, arguments: dict[str, Any]) -> None:
    """Several runs, or an ensemble."""
    for name in ("memory_map", "devices", "tensorboard", "mlflow"):
        if arguments[name]:
            raise InputError(f"`{name}` is for one run. Received: --seeds {arguments['seeds']}")
    from abcnn.evaluation.report import spread_table
    from abcnn.training.progress import Progress
    from abcnn.training.seeds import train_seeds

    files = ("out", "train_file", "dev_file", "test_file", "vectors", "reading", "teacher_column")
    manner = ("seeds", "ensemble", "resume", "force", "device", "precision")
    try:
        done = train_seeds(
            task,
            options=TrainingOptions(**chosen_options(context, task, arguments)),
            extraction=extraction(arguments["feature_cache"]),
            progress=Progress(_say, _show_batch, lambda epoch: _show_epoch(epoch, task.measure)),
            **{name: arguments[name] for name in (*files, *manner)},
        )
    except TrainingInterruptedError as error:
        _say(str(error))
        context.exit(130)
    table = spread_table(done.spread, len(done.runs))
    if done.ensemble is None:
        click.echo(json.dumps(done.spread, indent=2) if arguments["as_json"] else table)
    else:
        _say(f"the networks alone:\n{table}\nthe ensemble:")
        _show_metrics(done.ensemble, arguments)
    if arguments["train_on_dev"]:
        _say("dev was measured before it was trained on")
    _say(f"written to {arguments['out']}")


def _show_metrics(matcher: Matcher, arguments: dict[str, Any]) -> None:
    from abcnn.evaluation.report import headline, part_name

    if arguments["as_json"]:
        click.echo(json.dumps(matcher.metrics, indent=2))
        return
    for part, values in matcher.metrics.items():
        click.echo(f"{part_name(part, matcher.about)}: {headline(values)}")


def _say(message: str) -> None:
    click.echo(message, err=True)


def _show_batch(epoch: int, batch: int, batches: int) -> None:
    if sys.stderr.isatty():
        end = "\r" if batch < batches else "\r\033[K"
        click.echo(f"epoch {epoch}: batch {batch} of {batches}", nl=False, err=True)
        click.echo(end, nl=False, err=True)


def _show_epoch(epoch: Epoch, measure: str) -> None:
    best = "  (best so far)" if epoch.best else ""
    _say(
        f"epoch {epoch.number}: loss {epoch.loss:.4f}, dev {measure} {epoch.dev:.4f}, "
        f"{epoch.seconds:.1f} s{best}"
    )
