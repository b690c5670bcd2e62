"""`abcnn explain`: why pairs got their scores."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from abcnn.commands.options import device_option, reading_options, require_folder_of
from abcnn.errors import InputError

if TYPE_CHECKING:
    from abcnn.explanation import Explanation

_FORMATS = ("png", "svg", "html", "json")


def _rows(_context: click.Context, _parameter: click.Parameter, value: str | None) -> list[int]:
    try:
        rows = [int(row) for row in value.split(",")] if value else []
    except ValueError:
        rows = [0]
    if any(row < 1 for row in rows):
        raise click.BadParameter(f"expected row numbers from 1, such as 1,5,17, not {value!r}")
    return list(dict.fromkeys(rows))


@click.command(
    "explain",
    epilog="Example: abcnn explain runs/demo/paraphrase "
    "--left 'The doctor wrote it.' --right 'The doctor did not write it.' -o runs/why.html",
)
@click.argument("folder", type=click.Path())
@click.option("--left", help="Left sentence of one pair.")
@click.option("--right", help="Right sentence of one pair.")
@click.option(
    "--input", "input_file", type=click.Path(allow_dash=True), help="Table of pairs, with --rows."
)
@click.option("--rows", callback=_rows, help="Data rows of --input, from 1, divided by commas.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="File to write, named .png, .svg, .html or .json; of several rows, a picture each. "
    "[default: shown in the terminal]",
)
@reading_options
@device_option
def command(
    folder: str,
    left: str | None,
    right: str | None,
    input_file: str | None,
    rows: list[int],
    output: Path | None,
    reading: dict[str, Any],
    device: str,
) -> None:
    """Show why the model in FOLDER gives pairs their scores.

    The attention matrices of every block over their words and phrases; each similarity score and
    feature times its weight, which sum to the logit; and what leaving out each word changes.
    """
    one_pair = left is not None and right is not None
    if one_pair == (input_file is not None) or (left is None) != (right is None):
        raise click.UsageError("Give both --left and --right, or --input with --rows.")
    if (input_file is None) != (not rows):
        raise click.UsageError("--input and --rows go together.")
    format = None if output is None else output.suffix.lower().removeprefix(".")
    if format is not None and format not in _FORMATS:
        raise InputError(
            f"{output}: expected a name that ends in .{', .'.join(_FORMATS)}. "
            f"Received: {output.suffix if output else ''!r}"
        )

    from abcnn.bundle import load_bundle, read_config
    from abcnn.devices import engine_for, use_device
    from abcnn.errors import require

    read_config(folder)
    require_folder_of(None if output is None else str(output))
    # Told before the backend's slow start.
    if needed := {"png": "matplotlib", "svg": "matplotlib", "html": "jinja2", None: "rich"}.get(
        format
    ):
        require(needed, "explain")
    pairs = (
        [(left or "", right or "")] if input_file is None else _pairs_at(input_file, rows, reading)
    )
    use_device(device)
    from abcnn.explanation import Explainer

    explain = Explainer(load_bundle(folder, engine_for("fast", device)))
    explanations = [_explained(explain, pair, input_file, rows, n) for n, pair in enumerate(pairs)]
    if output is None:
        from abcnn.explanation.terminal import make_console, show

        console = make_console()
        for explanation in explanations:
            show(explanation, console)
            console.print()
        return
    _write(explanations, output, format or "", rows)


def _pairs_at(file: str, rows: list[int], reading: dict[str, Any]) -> list[tuple[str, str]]:
    from abcnn.readers import read_pairs

    pairs = read_pairs(file, **reading).pairs
    places = {pairs.row(index): index for index in range(len(pairs))}
    for row in rows:
        if row not in places:
            raise InputError(
                f"{file}: `--rows` must be among the rows of pairs, at most {max(places)}. "
                f"Received: {row}"
            )
    return [(pairs.left[places[row]], pairs.right[places[row]]) for row in rows]


def _explained(
    explain: Any, pair: tuple[str, str], file: str | None, rows: list[int], number: int
) -> Explanation:
    try:
        explanation: Explanation = explain(*pair)
    except InputError as error:
        place = f"{file}, row {rows[number]}: " if file is not None else ""
        raise InputError(f"{place}{error}") from error
    return explanation


def _write(explanations: list[Explanation], output: Path, format: str, rows: list[int]) -> None:
    from abcnn.tables import whole_file

    if format in ("html", "json"):
        if format == "html":
            from abcnn.explanation.page import page

            text = page(explanations)
        else:
            records = [explanation.to_dict() for explanation in explanations]
            text = json.dumps(records if rows else records[0], ensure_ascii=False, indent=1) + "\n"
        with whole_file(output) as file:
            # Half a surrogate pair is no UTF-8; in JSON its escape is what is meant.
            file.write(text.encode("utf-8", "backslashreplace" if format == "json" else "replace"))
        click.echo(f"{output}: {len(explanations)} pairs explained", err=True)
        return
    from abcnn.explanation.picture import draw

    without_font: set[str] = set()
    several = len(explanations) > 1
    for number, explanation in enumerate(explanations):
        name = output.with_stem(f"{output.stem}-{rows[number]}") if several else output
        with whole_file(name) as file:
            without_font |= set(draw(explanation, file, format))
        click.echo(f"{name}: written", err=True)
    if without_font:
        click.echo(
            f"no installed font has {' '.join(sorted(without_font))}, shown as boxes; Google's "
            "Noto fonts have nearly all characters",
            err=True,
        )
