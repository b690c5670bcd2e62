"""`abcnn train`: from labelled pairs to a bundle."""

from __future__ import annotations

import sys
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import click

from abcnn.commands.options import device_option, json_option, precision_option, reading_options

if TYPE_CHECKING:
    from abcnn.training.checkpoint import Epoch

_FILE = click.Path(allow_dash=True)


@click.command(
    "train",
    epilog="Example: abcnn train paraphrase --train data/samples/paraphrase/train.tsv "
    "--dev data/samples/paraphrase/dev.tsv --out runs/paraphrase",
)
@click.argument("task", type=click.Choice(["answer-selection", "paraphrase", "entailment"]))
@click.option("--train", "train_file", required=True, type=_FILE, help="Labelled training pairs.")
@click.option("--dev", "dev_file", type=_FILE, help="Pairs to choose epochs and threshold on.")
@click.option("--test", "test_file", type=_FILE, help="Pairs to measure once, at the end.")
@click.option("--out", required=True, type=click.Path(), help="Folder for the trained bundle.")
@click.option("--vectors", type=click.Path(), help="Word vectors: word2vec, GloVe, fastText.")
@click.option("--resume", is_flag=True, help="Go on with an interrupted run.")
@click.option("--force", is_flag=True, help="Replace what an earlier run left.")
@click.option(
    "--model",
    type=click.Choice(["bcnn", "abcnn-1", "abcnn-2", "abcnn-3"]),
    default="abcnn-3",
    help="Attention: none, on the input, in the pooling, both.",
)
@click.option("--conv-layers", default=1, help="Convolution layers.")
@click.option("--filters", default=50, help="Filters of a convolution.")
@click.option("--width", default=4, help="Width of the filters, in words.")
@click.option("--max-length", type=int, help="Tokens read of a sentence.  [default: by task]")
@click.option(
    "--match-score",
    type=click.Choice(["euclidean", "cosine", "dot"]),
    default="euclidean",
    help="Match score of the attention.",
)
@click.option(
    "--share-weights/--own-weights", default=True, help="One W for both attention feature maps."
)
@click.option(
    "--weight-all-pooling/--plain-all-pooling",
    default=True,
    help="Whether attention weighs the sentence vector too (ABCNN-2, -3).",
)
@click.option(
    "--train-vectors/--freeze-vectors", default=False, help="Whether vectors are trained."
)
@click.option("--vector-dropout", default=0.0, help="Dropout on word vectors.")
@click.option("--score-dropout", default=0.0, help="Dropout on scores and features.")
@click.option("--features", help="Features, divided by commas, or none.  [default: by task]")
@click.option("--tokenizer", type=click.Choice(["word", "whitespace", "character"]), default="word")
@click.option("--lowercase", is_flag=True, help="Lower-case all words.")
@click.option(
    "--frequent-words",
    default=50_000,
    help="Words kept of the beginning of the vector file, besides the training words.",
)
@click.option("--dim", default=100, help="Size of the vectors trained when none are given.")
@click.option(
    "--loss", type=click.Choice(["pointwise", "pairwise", "listwise"]), help="[default: by task]"
)
@click.option("--class-weight", type=click.Choice(["none", "balanced"]), default="none")
@click.option("--optimizer", type=click.Choice(["adam", "adamw", "adagrad", "sgd"]), default="adam")
@click.option("--learning-rate", default=0.001)
@click.option("--l2", default=0.0, help="L2 regularisation of the weights.")
@click.option("--batch-size", default=32)
@click.option("--epochs", default=20, help="Epochs at most.")
@click.option("--patience", default=5, help="Epochs without a better dev measure before the end.")
@click.option("--dev-share", default=0.1, help="Share held out for dev when --dev is not given.")
@click.option("--seed", default=0)
@reading_options
@device_option
@precision_option
@json_option
@click.pass_context
def command(context: click.Context, task: str, **arguments: Any) -> None:
    """Train a model for TASK on a file of labelled sentence pairs.

    The epoch that is best on dev is kept, and --out becomes a folder that `abcnn predict` and
    `abcnn evaluate` take. Ctrl-C keeps the best epoch so far.
    """
    from abcnn.tasks import task_named
    from abcnn.training.options import TrainingOptions

    chosen = task_named(task)
    options = TrainingOptions(**_options(arguments)).for_task(chosen)  # checked before Keras comes

    from abcnn.commands.quiet import quiet_backend
    from abcnn.commands.show import show_metrics
    from abcnn.devices import use_device

    with quiet_backend():
        use_device(arguments["device"], arguments["precision"])
    from abcnn.training.files import train_files
    from abcnn.training.run import Progress

    paths = ("out", "train_file", "dev_file", "test_file", "vectors", "reading", "resume", "force")
    trained = train_files(
        chosen,
        options=options,
        progress=Progress(_say, _show_batch, lambda epoch: _show_epoch(epoch, chosen.measure)),
        **{name: arguments[name] for name in paths},
    )
    _say(f"best epoch: {trained.matcher.about['best_epoch']}; written to {arguments['out']}")
    show_metrics(trained.matcher.metrics, arguments["as_json"])
    if trained.interrupted:
        _say("interrupted: the best epoch so far was kept; --resume goes on")
        context.exit(130)


def _options(arguments: dict[str, Any]) -> dict[str, Any]:
    from abcnn.training.options import TrainingOptions

    names = {field.name for field in fields(TrainingOptions)}
    options = {name: value for name, value in arguments.items() if name in names}
    if (features := options.pop("features")) is not None:
        options["features"] = () if features == "none" else tuple(features.split(","))
    return options


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
