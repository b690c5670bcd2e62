"""`abcnn train`: from labelled pairs to a bundle."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from abcnn.commands.options import (
    device_option,
    devices_option,
    json_option,
    precision_option,
    reading_options,
)
from abcnn.tasks import TASKS, Task
from abcnn.training.options import CHOICES, SIMILARITY_SCORES, TrainingOptions
from abcnn.training.presets import PRESETS, preset

if TYPE_CHECKING:
    from abcnn.features.extraction import Extraction
    from abcnn.training.progress import Epoch

_FILE = click.Path(allow_dash=True)
_DEFAULTS = TrainingOptions()


def setting(name: str, *, flags: str | None = None, **arguments: Any) -> Callable:
    """An option for the field `name` of `TrainingOptions`, with its default."""
    flags = flags or f"--{name.replace('_', '-')}"
    return click.option(flags, name, default=getattr(_DEFAULTS, name), **arguments)


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
@click.option("--vectors", type=click.Path(), help="Word vectors: word2vec, GloVe, fastText.")
@click.option("--resume", is_flag=True, help="Go on with an interrupted run.")
@click.option("--force", is_flag=True, help="Replace what an earlier run left.")
@click.option(
    "--preset",
    type=click.Choice(PRESETS),
    default="none",
    help="A named set of options, which single options overrule: the paper's.",
)
@setting(
    "model",
    type=click.Choice(CHOICES["model"]),
    help="Attention: none (average, bcnn, siamese-rnn, conditional-rnn), on the input, in the "
    "pooling, both; attend, compare, aggregate; self- and cross-attention; word by word; over "
    "words, then sentences; or the right sentence's probability given the left (seq2seq).",
)
@setting("conv_layers", help="Convolution layers.")
@setting("filters", help="Filters of a convolution.")
@setting("width", type=int, help="Width of the filters, in words.  [default: by task]")
@setting("hidden_dim", help="Size of hidden layers and states (all but average, bcnn, abcnn).")
@setting("heads", help="Heads of each attention (transformer).")
@setting("depth", help="Blocks (transformer).")
@setting("joint", is_flag=True, help="Read both sentences as one sequence (transformer).")
@setting(
    "cell", type=click.Choice(CHOICES["cell"]), help="Recurrent cell (-rnn, hierarchical, seq2seq)."
)
@setting(
    "both_directions",
    flags="--both-directions/--one-direction",
    help="Read each sentence from its end, too (siamese-rnn, conditional-rnn, hierarchical); or "
    "the left given the right (attentive-rnn).",
)
@setting(
    "attention",
    type=click.Choice(CHOICES["attention"]),
    help="What of the left sentence each right word reads (attentive-rnn).",
)
@setting("window", help="Words read on each side by a local attention (attentive-rnn).")
@setting("max_sentences", help="Sentences told apart in a document (hierarchical).")
@setting("target_words", help="Words that have a probability of their own (seq2seq).")
@setting("max_length", type=int, help="Tokens read of a sentence.  [default: by task]")
@setting(
    "match_score",
    type=click.Choice(CHOICES["match_score"]),
    help="Match score of the attention.  [default: by model]",
)
@setting(
    "share_weights", flags="--share-weights/--own-weights", help="One W for both feature maps."
)
@setting(
    "weight_all_pooling",
    flags="--weight-all-pooling/--plain-all-pooling",
    help="Whether attention weighs the sentence vector too (ABCNN-2, -3).",
)
@setting(
    "train_vectors",
    flags="--train-vectors/--freeze-vectors",
    help="Whether vectors are trained.  [default: only when none are given]",
)
@setting("vector_dropout", help="Dropout on word vectors.")
@setting("score_dropout", help="Dropout on scores and features.")
@setting(
    "scores",
    help=f"Similarity scores of the sentence vectors, among {', '.join(SIMILARITY_SCORES)}, "
    "divided by commas.  [default: by task]",
)
@setting(
    "features",
    help="Features divided by commas, by name or in groups: lexical, translation, relations, "
    "paper; or none.  [default: by task]",
)
@click.option(
    "--feature-cache",
    type=click.Path(),
    help="Folder where features that take long are kept for the next run, or none.  "
    "[default: the user's cache folder]",
)
@setting("tokenizer", type=click.Choice(CHOICES["tokenizer"]))
@setting("lowercase", is_flag=True, help="Lower-case all words.")
@setting(
    "frequent_words",
    help="Words kept of the beginning of the vector file, besides the training words.",
)
@setting("dim", help="Size of the vectors trained when none are given.")
@setting(
    "loss",
    type=click.Choice(["pointwise", "pairwise", "listwise"]),
    help="Pairs by themselves, or the candidates of a question together.  [default: by task]",
)
@setting(
    "class_weight",
    type=click.Choice(CHOICES["class_weight"]),
    help="Weights of the labels, with --loss pointwise.",
)
@setting("layerwise", is_flag=True, help="Train block after block, earlier ones frozen.")
@setting(
    "refit",
    type=click.Choice(CHOICES["refit"]),
    help="Fit the final decision anew on scores and features, when the network is trained.",
)
@setting("optimizer", type=click.Choice(CHOICES["optimizer"]))
@setting("learning_rate", type=float, help="Step of the optimiser.  [default: by task]")
@setting("l2", help="L2 regularisation of the weights.")
@setting("batch_size", help="Pairs in a batch.")
@setting("epochs", help="Epochs at most.")
@setting("patience", help="Epochs without a better dev measure before the end.")
@setting("dev_share", help="Share held out for dev when --dev is not given.")
@setting(
    "calibrate",
    type=click.Choice(CHOICES["calibrate"]),
    help="How scores are made probabilities on dev; no order changes.",
)
@setting("seed", help="Seed of all random numbers.")
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
    from abcnn.evaluation.report import headline
    from abcnn.training.files import train_files
    from abcnn.training.logs import MlflowLog, RunLog, TensorBoardLog, logged
    from abcnn.training.progress import Progress

    files = ("out", "train_file", "dev_file", "test_file", "vectors", "reading")
    manner = ("resume", "force", "memory_map", "device", "devices", "precision")
    options = TrainingOptions(**_options(context, chosen, arguments))
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
            extraction=_extraction(arguments["feature_cache"]),
            progress=progress,
            **{name: arguments[name] for name in (*files, *manner)},
        )
    _say(f"best epoch: {trained.matcher.about['best_epoch']}; written to {arguments['out']}")
    metrics = trained.matcher.metrics
    if arguments["as_json"]:
        click.echo(json.dumps(metrics, indent=2))
    else:
        for part, values in metrics.items():
            click.echo(f"{part}: {headline(values)}")
    if trained.interrupted:
        _say("interrupted: the best epoch so far was kept; --resume goes on")
        context.exit(130)


def _options(context: click.Context, task: Task, arguments: dict[str, Any]) -> dict[str, Any]:
    """The options given, over those of the preset, over the defaults."""
    names = {field.name for field in fields(TrainingOptions)}
    options = {name: value for name, value in arguments.items() if name in names}
    for name in ("scores", "features"):
        if (value := options[name]) is not None:
            options[name] = () if value == "none" else tuple(value.split(","))
    named = preset(
        arguments["preset"], task, model=options["model"], conv_layers=options["conv_layers"]
    )
    return options | {
        name: value
        for name, value in named.items()
        if context.get_parameter_source(name) is ParameterSource.DEFAULT
    }


def _extraction(cache: str | None) -> Extraction:
    from abcnn.features.cache import FeatureCache
    from abcnn.features.extraction import Extraction

    if cache == "none":
        kept = None
    else:
        kept = FeatureCache.of_user() if cache is None else FeatureCache(Path(cache))
    return Extraction(workers=os.cpu_count() or 1, cache=kept)


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
