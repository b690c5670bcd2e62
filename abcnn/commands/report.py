"""`abcnn report`: a page on how a model does on a labelled file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from abcnn.commands.options import device_option, reading_options, require_folder_of


@click.command(
    "report",
    epilog="Example: abcnn report runs/demo/paraphrase data/samples/paraphrase/test.tsv "
    "-o runs/report.html",
)
@click.argument("folder", type=click.Path())
@click.argument("file", type=click.Path(allow_dash=True))
@click.option(
    "-o", "--output", required=True, type=click.Path(path_type=Path), help="HTML file to write."
)
@click.option(
    "--cases", type=click.IntRange(0, 100), default=5, help="Worst errors that are explained."
)
@click.option("--seed", type=click.IntRange(0), default=0, help="Seed of the bootstrap.")
@reading_options
@device_option
def command(
    folder: str,
    file: str,
    output: Path,
    cases: int,
    seed: int,
    reading: dict[str, Any],
    device: str,
) -> None:
    """Write one page on how the model in FOLDER does on the labelled pairs of FILE.

    Measures with 95% bootstrap intervals, learning curves, calibration, precision, recall and
    threshold, confusion matrix (where pairs are graded, scores by true grade instead), measures by
    length, overlap and question word, the worst errors explained, near ties, speed. The page needs
    no network and no scripts.
    """
    from abcnn.bundle import load_bundle, read_config, read_history
    from abcnn.devices import engine_for, use_device
    from abcnn.errors import require
    from abcnn.readers import read_pairs, require_unique_candidates, scale_of, true_values
    from abcnn.tables import whole_file
    from abcnn.tasks import TASKS

    config = read_config(folder)
    require("jinja2", "explain")
    require_folder_of(str(output))
    task = TASKS[config["task"]]
    read = read_pairs(file, require_labels=True, graded=task.graded, **reading)
    true_values(read.pairs, scale_of(config))
    if task.ranks:
        require_unique_candidates(read.pairs)
    if read.skipped:
        click.echo(f"{read.skipped:,} rows without a label were left out", err=True)
    use_device(device)
    from abcnn.report import make_report, report_page

    report = make_report(
        load_bundle(folder, engine_for("fast", device)),
        read.pairs,
        read_history(folder),
        cases=cases,
        seed=seed,
    )
    text = report_page(report)
    with whole_file(output) as page:
        page.write(text.encode("utf-8", "replace"))
    for one in report.measures:
        click.echo(f"{one.name}: {one.value:.4f} ({one.low:.4f} to {one.high:.4f})", err=True)
    click.echo(f"{output}: written", err=True)
