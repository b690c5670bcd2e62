"""`abcnn baseline`: what a trained model is to be read against."""

from __future__ import annotations

import json
from typing import Any

import click

from abcnn.commands.options import json_option, reading_options, vectors_option
from abcnn.tasks import TASKS

_FILE = click.Path(allow_dash=True)


@click.command(
    "baseline",
    epilog="Example: abcnn baseline paraphrase --train data/samples/paraphrase/train.tsv "
    "--test data/samples/paraphrase/test.tsv",
)
@click.argument("task", type=click.Choice(list(TASKS)))
@click.option("--train", "train_file", required=True, type=_FILE, help="Labelled training pairs.")
@click.option("--dev", "dev_file", type=_FILE, help="Labelled pairs to measure on.")
@click.option("--test", "test_file", type=_FILE, help="More labelled pairs to measure on.")
@vectors_option()
@click.option("--dev-share", default=0.1, help="Share held out for dev when --dev is not given.")
@click.option("--seed", default=0, help="Seed of the held-out part and of vectors.")
@reading_options
@json_option
def command(task: str, dev_share: float, seed: int, as_json: bool, **arguments: Any) -> None:
    """Measure simple baselines of TASK, fitted on --train, on dev and test.

    A constant answer (the most frequent label, the mean grade, candidates in random order), WordCnt
    and WgtWordCnt, the cosine of mean word vectors, and a logistic regression (where pairs are
    graded a ridge regression) on all lexical features. Without
    --dev the same pairs are held out as by `abcnn train` with the same seed.
    """
    from abcnn.baselines import BASELINES, baseline_files
    from abcnn.evaluation.report import parts_table
    from abcnn.training.options import TrainingOptions

    measures = baseline_files(
        TASKS[task],
        options=TrainingOptions(dev_share=dev_share, seed=seed),
        on_message=lambda message: click.echo(message, err=True),
        **arguments,
    )
    if as_json:
        click.echo(json.dumps(measures, indent=2))
        return
    click.echo(parts_table(measures))
    click.echo("\n".join(["", *(f"{baseline.name}: {baseline.what}" for baseline in BASELINES)]))
