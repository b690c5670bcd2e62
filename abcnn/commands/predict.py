"""`abcnn predict`: scores for every row of a table, or for one pair."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from abcnn.commands.options import (
    device_option,
    engine_option,
    json_option,
    precision_option,
    reading_options,
    require_folder_of,
)


@click.command(
    "predict",
    epilog="Example: abcnn predict runs/demo/paraphrase data/samples/paraphrase/test.tsv "
    "-o runs/scored.csv",
)
@click.argument("folder", type=click.Path())
@click.argument("input_file", metavar="INPUT", required=False, type=click.Path(allow_dash=True))
@click.option(
    "-o", "--output", type=click.Path(allow_dash=True), help="Table to write; - is stdout."
)
@click.option(
    "--output-format",
    type=click.Choice(["csv", "tsv", "jsonl", "parquet"]),
    help="Format of the output.  [default: by the name of --output]",
)
@click.option("--left", help="Left sentence of one pair, instead of INPUT.")
@click.option("--right", help="Right sentence of one pair.")
@click.option("--batch-size", type=click.IntRange(1), default=256, help="Pairs scored at once.")
@reading_options
@engine_option
@device_option
@precision_option
@json_option
def command(
    folder: str,
    input_file: str | None,
    output: str | None,
    output_format: str | None,
    left: str | None,
    right: str | None,
    batch_size: int,
    reading: dict[str, Any],
    engine: str,
    device: str,
    precision: str,
    as_json: bool,
) -> None:
    """Score the rows of INPUT with the model in FOLDER; - is the standard input.

    The output has every row and column of INPUT as they were, in order, and behind them `score` (a
    probability), `label`, for entailment one `p_<label>` a label, `rank` within a question
    where there is a group column, and `note`, which says why a row has no score.
    """
    one_pair = left is not None or right is not None
    if one_pair and (left is None or right is None or input_file is not None):
        raise click.UsageError("Give both --left and --right and no INPUT, or INPUT alone.")
    if one_pair and output is not None:
        raise click.UsageError("The result of one pair is printed; -o is for tables.")
    if not one_pair and input_file is None:
        raise click.UsageError("Give INPUT, a table of pairs, or one pair by --left and --right.")
    if not one_pair and output is None:
        raise click.UsageError("Give -o OUTPUT, the table to write; -o - writes to the screen.")

    from abcnn.bundle import load_bundle, read_config
    from abcnn.devices import engine_for, use_device
    from abcnn.errors import InputError
    from abcnn.readers import open_pairs

    # A wrong folder, sentence, input or output is told before the slow imports.
    engine = engine_for(engine, device, precision)
    read_config(folder)
    for name, sentence in (("left", left), ("right", right)):
        if one_pair and not (sentence or "").strip():
            raise InputError(f"`--{name}` must be a sentence. Received: {sentence!r}")
    if input_file is not None and _can_be_read_twice(Path(input_file)):
        with open_pairs(input_file, **reading):
            pass
    require_folder_of(output)
    if engine == "keras":
        use_device(device, precision)
    matcher = load_bundle(folder, engine)
    if one_pair:
        for name, sentence in (("left", left), ("right", right)):
            if not matcher.encoder.tokenizer(sentence or ""):
                raise InputError(f"`--{name}` must hold a word. Received: {sentence!r}")
        said = matcher.predict([(left or "", right or "")])
        result: dict[str, Any] = {"score": float(said.scores[0]), "label": said.label_names[0]}
        if not matcher.task.two_labels:
            result |= {
                f"p_{name}": float(p)
                for name, p in zip(said.names, said.probabilities[0], strict=True)
            }
        click.echo(
            json.dumps(result, ensure_ascii=False)
            if as_json
            else "\n".join(f"{name}\t{value}" for name, value in result.items())
        )
        return

    from abcnn.scoring.tables import score_table

    counts = score_table(
        matcher,
        input_file or "-",
        output or "-",
        output_format=output_format,
        batch_size=batch_size,
        on_rows=_show_rows,
        **reading,
    )
    if sys.stderr.isatty():
        click.echo("\r\033[K", nl=False, err=True)
    click.echo(
        f"{counts.rows:,} rows, {counts.scored:,} scored, "
        f"{counts.rows - counts.scored:,} without a score (see their notes), "
        f"{counts.truncated:,} sentences cut at {matcher.encoder.max_length} tokens",
        err=True,
    )


def _can_be_read_twice(file: Path) -> bool:
    """Whether a look at its beginning takes nothing away: not so of `-`, pipes and terminals."""
    return str(file) != "-" and not (file.is_fifo() or file.is_char_device())


def _show_rows(rows: int) -> None:
    if sys.stderr.isatty():
        click.echo(f"\r{rows:,} rows scored", nl=False, err=True)
