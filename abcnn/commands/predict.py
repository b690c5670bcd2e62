"""`abcnn predict`: scores for every row of tables, or for one pair."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from abcnn.commands.options import (
    device_option,
    json_option,
    precision_option,
    reading_options,
)

if TYPE_CHECKING:
    from abcnn.scoring.matcher import Matcher


@click.command(
    "predict",
    epilog="Example: abcnn predict runs/demo/paraphrase data/samples/paraphrase/test.tsv "
    "-o runs/scored.csv",
)
@click.argument("folder", type=click.Path())
@click.argument("inputs", metavar="INPUT...", nargs=-1, type=click.Path(allow_dash=True))
@click.option(
    "-o",
    "--output",
    type=click.Path(allow_dash=True),
    help="Table to write, - is stdout; of several inputs, the folder to write them to.",
)
@click.option(
    "--output-format",
    type=click.Choice(["csv", "tsv", "jsonl", "parquet"]),
    help="Format of the output.  [default: by the name of --output, or of each input]",
)
@click.option("--left", help="Left sentence of one pair, instead of INPUT.")
@click.option("--right", help="Right sentence of one pair.")
@click.option(
    "--engine",
    type=click.Choice(["fast", "keras", "ray"]),
    default="fast",
    help="What scores: compiled loops without TensorFlow, the Keras network, which is the "
    "reference, or fast on a Ray cluster. A GPU asked for means keras.",
)
@click.option(
    "--workers",
    type=click.IntRange(1),
    help="Workers that score: up to 3 of the engine fast are threads, others are processes, which "
    "tables of few rows do without.  [default: one a core; with the engine keras 1]",
)
@click.option("--resume", is_flag=True, help="Go on with an interrupted scoring.")
@click.option("--batch-size", type=click.IntRange(1), default=256, help="Pairs scored at once.")
@click.option(
    "--chunk-rows",
    type=click.IntRange(1),
    default=10_000,
    help="Rows of a chunk, which is read, scored and kept for --resume as a whole.",
)
@reading_options
@device_option
@precision_option
@json_option
@click.pass_context
def command(
    context: click.Context,
    folder: str,
    inputs: tuple[str, ...],
    output: str | None,
    output_format: str | None,
    left: str | None,
    right: str | None,
    engine: str,
    workers: int | None,
    resume: bool,
    batch_size: int,
    chunk_rows: int,
    reading: dict[str, Any],
    device: str,
    precision: str,
    as_json: bool,
) -> None:
    """Score the rows of INPUT with the model in FOLDER; - is the standard input.

    The output has every row and column of INPUT as they were, in order, and behind them `score` (a
    probability, or the grade), `label` unless pairs are graded, for entailment one `p_<label>` a
    label, `rank` within a question where there is a group column, and `note`, which says why a row
    has no score.

    Several INPUTs, a folder of tables or a pattern in quotes ('parts/*.parquet') are written to the
    folder --output, each table under its own name.

    While a file is scored its finished parts lie in OUTPUT.parts/, from which --resume goes on
    after an interruption; without it they are not touched, and the command says so.
    """
    one_pair = left is not None or right is not None
    if one_pair and (left is None or right is None or inputs):
        raise click.UsageError("Give both --left and --right and no INPUT, or INPUT alone.")
    if one_pair and (output is not None or resume):
        raise click.UsageError("The result of one pair is printed; -o is for tables.")
    if not one_pair and not inputs:
        raise click.UsageError("Give INPUT, a table of pairs, or one pair by --left and --right.")
    if not one_pair and output is None:
        raise click.UsageError("Give -o OUTPUT, the table to write; -o - writes to the screen.")

    from abcnn.bundle import read_config
    from abcnn.devices import engine_for
    from abcnn.errors import InputError
    from abcnn.scoring.workers import BundleScorer, available_cores

    # A wrong folder, sentence, input or output is told before the slow imports.
    scores = engine_for("fast" if engine == "ray" else engine, device, precision)
    if engine == "ray" and scores != "fast":
        raise InputError("`--engine ray` computes in float32 on processors, without --device gpu")
    read_config(folder)
    scorer = BundleScorer(folder, scores, device, precision, batch_size)
    if one_pair:
        for name, sentence in (("left", left), ("right", right)):
            if not (sentence or "").strip():
                raise InputError(f"`--{name}` must be a sentence. Received: {sentence!r}")
        _show_pair(scorer.matcher, left or "", right or "", as_json)
        return

    from abcnn.scoring.files import score_files

    try:
        counts = score_files(
            scorer,
            inputs,
            output or "-",
            # Keras has threads of its own, and each of its processes needs seconds to start.
            workers=workers or (1 if scores == "keras" else available_cores()),
            ray=engine == "ray",
            resume=resume,
            output_format=output_format,
            chunk_rows=chunk_rows,
            on_rows=_show_rows,
            **reading,
        )
    except KeyboardInterrupt:
        _end_line()
        kept = Path(f"{output}".rstrip("/") + ".parts")
        goes_on = f": {kept} keeps what is done, --resume goes on" if kept.is_dir() else ""
        click.echo(f"interrupted{goes_on}", err=True)
        context.exit(130)
    _end_line()
    click.echo(
        f"{counts.rows:,} rows, {counts.scored:,} scored, "
        f"{counts.rows - counts.scored:,} without a score (see their notes), "
        f"{counts.truncated:,} sentences cut at {scorer.matcher.encoder.max_length} tokens",
        err=True,
    )


def _show_pair(matcher: Matcher, left: str, right: str, as_json: bool) -> None:
    from abcnn.errors import InputError

    for name, sentence in (("left", left), ("right", right)):
        if not matcher.encoder.tokenizer(sentence):
            raise InputError(f"`--{name}` must hold a word. Received: {sentence!r}")
    said = matcher.predict([(left, right)])
    result: dict[str, Any] = {"score": float(said.scores[0])}
    if said.names:
        result["label"] = said.label_names[0]
    if len(said.names) > 2:
        result |= {
            f"p_{name}": float(p) for name, p in zip(said.names, said.probabilities[0], strict=True)
        }
    click.echo(
        json.dumps(result, ensure_ascii=False)
        if as_json
        else "\n".join(f"{name}\t{value}" for name, value in result.items())
    )


def _show_rows(rows: int) -> None:
    if sys.stderr.isatty():
        click.echo(f"\r{rows:,} rows scored", nl=False, err=True)


def _end_line() -> None:
    if sys.stderr.isatty():
        click.echo("\r\033[K", nl=False, err=True)
