"""`abcnn evaluate`: a trained model against labelled pairs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from abcnn.commands.options import (
    device_option,
    engine_option,
    json_option,
    mixed_only_option,
    no_answer_option,
    reading_options,
    require_folder_of,
    ties_option,
)

if TYPE_CHECKING:
    from abcnn.pairs import PairBatch
    from abcnn.scoring.predictions import Predictions


@click.command(
    "evaluate",
    epilog="Example: abcnn evaluate runs/demo/paraphrase data/samples/paraphrase/test.tsv",
)
@click.argument("folder", type=click.Path())
@click.argument("file", type=click.Path(allow_dash=True))
@ties_option
@no_answer_option
@mixed_only_option
@click.option("--run-file", type=click.Path(), help="Write the scores as a TREC run.")
@click.option("--qrels-file", type=click.Path(), help="Write the labels as TREC qrels.")
@reading_options
@engine_option
@device_option
@json_option
def command(folder: str, file: str, as_json: bool, **arguments: Any) -> None:
    """Measure the model in FOLDER on the labelled pairs of FILE.

    MAP, MRR and P@1 where candidates of questions are ranked; Pearson's and Spearman's correlation
    and the mean squared error where pairs are graded; accuracy, precision, recall, F1 and the
    confusion matrix otherwise; for all with labels, whether the score is the probability it is
    meant to be.
    """
    from abcnn.bundle import load_bundle, read_config
    from abcnn.devices import engine_for, use_device
    from abcnn.errors import InputError
    from abcnn.evaluation.grading import GradeMeasures
    from abcnn.evaluation.ranking import RankingMeasures
    from abcnn.evaluation.report import classification_table, grade_table, ranking_table
    from abcnn.readers import read_pairs, require_unique_candidates, scale_of, true_values
    from abcnn.tasks import TASKS

    engine = engine_for(arguments["engine"], arguments["device"])
    config = read_config(folder)
    task = TASKS[config["task"]]
    files = {name: arguments[name] for name in ("run_file", "qrels_file")}
    if any(files.values()) and not task.ranks:
        raise InputError(
            f"`--run-file` and `--qrels-file` are for rankings. Received: a model for {task.name}"
        )
    reading = read_pairs(file, require_labels=True, graded=task.graded, **arguments["reading"])
    pairs = reading.pairs
    if reading.skipped:
        click.echo(f"{reading.skipped:,} rows without a label were left out", err=True)
    # What is wrong with the files is told before a backend's slow start.
    true_values(pairs, scale_of(config))
    if task.ranks:
        require_unique_candidates(pairs)
    require_folder_of(*files.values())

    if engine == "keras":
        use_device(arguments["device"])
    matcher = load_bundle(folder, engine)
    predictions = matcher.predict(pairs)
    rules = {name: arguments[name] for name in ("ties", "no_answer", "mixed_only")}
    _write_trec(pairs, predictions, **files)
    if as_json:
        click.echo(json.dumps(matcher.record(pairs, predictions, **rules), indent=2))
        return
    measures = matcher.measure(pairs, predictions, **rules)
    if isinstance(measures, RankingMeasures):
        click.echo(ranking_table(measures))
    elif isinstance(measures, GradeMeasures):
        click.echo(grade_table(measures))
    else:
        click.echo(classification_table(measures))
    error = matcher.calibration_error(pairs, predictions)
    if error is not None:
        click.echo(f"expected calibration error of the score: {error:.4f} ({len(pairs):,} pairs)")


def _write_trec(
    pairs: PairBatch, predictions: Predictions, run_file: str | None, qrels_file: str | None
) -> None:
    """TREC files of a ranking; questions and candidates without an id are numbered from 1."""
    from abcnn.evaluation.trec import Qrels, Run, write_qrels, write_run

    if not (run_file or qrels_file):
        return
    assert pairs.labels is not None
    numbers: dict[str, str] = {}
    groups = pairs.groups or tuple(
        numbers.setdefault(left, str(len(numbers) + 1)) for left in pairs.left
    )
    candidates = pairs.ranking_candidate_ids
    if qrels_file:
        relevance = tuple(int(label == predictions.names[-1]) for label in pairs.labels)
        write_qrels(qrels_file, Qrels(groups, candidates, relevance, source=pairs.source))
    if run_file:
        scores = tuple(predictions.scores.tolist())
        write_run(run_file, Run(groups, candidates, scores, source=pairs.source))
