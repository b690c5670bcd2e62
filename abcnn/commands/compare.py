"""`abcnn compare`: two systems on the same pairs."""

from __future__ import annotations

import json
from typing import Any

import click

from abcnn.commands.options import (
    json_option,
    mixed_only_option,
    no_answer_option,
    reading_options,
    ties_option,
)

_FILE = click.Path(exists=True, dir_okay=False)


@click.command("compare", epilog="Example: abcnn compare run.txt other.txt --qrels qrels.txt")
@click.argument("first", metavar="A", type=_FILE)
@click.argument("second", metavar="B", type=_FILE)
@click.option("--qrels", type=_FILE, help="Judgements; A and B are then TREC runs.")
@click.option(
    "--unit",
    type=click.Choice(["question", "pair"]),
    help="MAP and MRR over questions, or accuracy and F1 over pairs.  [default: question where "
    "both tables have ranks]",
)
@ties_option
@no_answer_option
@mixed_only_option
@click.option("--rounds", type=click.IntRange(min=1), default=10_000, help="Resamples drawn.")
@click.option("--seed", type=click.IntRange(min=0), default=0, help="Seed of the resamples.")
@reading_options
@json_option
def command(
    first: str, second: str, qrels: str | None, unit: Any, as_json: bool, **arguments: Any
) -> None:
    """Compare two tables that `abcnn predict` wrote, or two TREC runs.

    A and B are of the same labelled pairs, matched by question and candidate where both are named,
    else row by row. Shown are both measures, the difference with its 95% interval (paired
    bootstrap), and the p-value of the randomisation test: both draw whole questions, or pairs.
    """
    from abcnn.evaluation.comparison import Rules, compare_runs, compare_tables
    from abcnn.evaluation.report import comparison_table
    from abcnn.evaluation.scored import read_scored
    from abcnn.evaluation.trec import read_qrels, read_run

    rules = Rules(
        ties=arguments["ties"],
        no_answer=arguments["no_answer"],
        mixed_only=arguments["mixed_only"],
    )
    drawn = {"rounds": arguments["rounds"], "seed": arguments["seed"]}
    if qrels is not None:
        runs = read_run(first), read_run(second)
        comparisons = compare_runs(read_qrels(qrels), *runs, rules=rules, **drawn)
    else:
        tables = [read_scored(file, **arguments["reading"]) for file in (first, second)]
        comparisons = compare_tables(*tables, unit=unit, rules=rules, **drawn)
    if as_json:
        click.echo(json.dumps([one.to_dict() for one in comparisons], indent=2))
    else:
        click.echo(comparison_table(comparisons))
