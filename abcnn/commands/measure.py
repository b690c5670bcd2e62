"""`abcnn measure`: ranking measures from TREC files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from abcnn.commands.options import json_option, mixed_only_option, no_answer_option, ties_option

if TYPE_CHECKING:
    from abcnn.evaluation.questions import NoAnswer, Ties

_FILE = click.Path(exists=True, dir_okay=False, allow_dash=True)


@click.command("measure", epilog="Example: abcnn measure qrels.txt run.txt --json")
@click.argument("qrels", type=_FILE)
@click.argument("run", type=_FILE)
@ties_option
@no_answer_option
@mixed_only_option
@json_option
def command(
    qrels: str, run: str, ties: Ties, no_answer: NoAnswer, mixed_only: bool, as_json: bool
) -> None:
    """MAP, MRR and P@1 of the scores in RUN, judged by QRELS, without a model.

    Lines of QRELS: question 0 candidate relevance; of RUN: question Q0 candidate rank score tag.
    Columns are divided by spaces or tabs, and the rank is not looked at. One of the files may be -,
    the standard input.
    """
    from abcnn.evaluation.judged import judge
    from abcnn.evaluation.report import ranking_table
    from abcnn.evaluation.trec import read_qrels, read_run

    if qrels == run == "-":
        raise click.UsageError("Only one of QRELS and RUN can be the standard input.")
    judged = judge(read_qrels(qrels), read_run(run))
    measures = judged.measures(ties=ties, no_answer=no_answer, mixed_only=mixed_only)
    for note in judged.notes():
        click.echo(note, err=True)
    click.echo(json.dumps(measures.to_dict(), indent=2) if as_json else ranking_table(measures))
