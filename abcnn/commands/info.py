"""`abcnn info`: what a trained bundle holds."""

from __future__ import annotations

import json
from typing import Any

import click

from abcnn.commands.options import json_option
from abcnn.network_config import model_in_words


@click.command("info", epilog="Example: abcnn info runs/demo/paraphrase")
@click.argument("folder", type=click.Path())
@json_option
def command(folder: str, as_json: bool) -> None:
    """Task, model, labels, vocabulary, vectors, measures and versions of the bundle in FOLDER."""
    from abcnn.bundle import read_config, read_metrics
    from abcnn.bundle.card import NOTES
    from abcnn.evaluation.report import headline, part_name
    from abcnn.readers import Grades

    config, metrics = read_config(folder), read_metrics(folder)
    if as_json:
        click.echo(json.dumps(config | {"metrics": metrics}, indent=2, ensure_ascii=False))
        return
    network, about = config["network"], config["about"]
    tokenizer = config["tokenizer"]
    grades = config.get("grades")
    if grades is None:
        judged = {"labels": ", ".join(config["labels"])}
    else:
        judged = {"grades": f"from {Grades(**grades)}"}
    lines = {
        "task": config["task"],
        "model": model_in_words(network, config.get("members", 1)),
        **judged,
        "threshold": f"{config['threshold']:.4f}" if len(config["labels"]) == 2 else "none",
        "tokenizer": f"{tokenizer['kind']}{', lower-cased' if tokenizer['lowercase'] else ''}, "
        f"at most {config['max_length']} tokens a sentence",
        "features": ", ".join(config["features"]["names"]) or "none",
        "vocabulary": f"{network['vocabulary'] - 2:,} words of {network['dim']} dimensions",
        **{key: about[key] for key in NOTES if key in about},
        **{part_name(part, about): headline(values) for part, values in metrics.items()},
        "training": _training(about),
        "versions": ", ".join(f"{k} {v}" for k, v in about.get("versions", {}).items()),
    }
    width = max(map(len, lines))
    for name, value in lines.items():
        # "vectors: ..." and "coverage: ..." are whole sentences that begin with their own name.
        click.echo(f"{name.ljust(width)}  {value.removeprefix(f'{name}: ')}")


def _training(about: dict[str, Any]) -> str:
    """The epochs that were kept, of every network of an ensemble."""
    runs = about.get("members") or [about | {"seed": about.get("options", {}).get("seed")}]
    kept = [
        f"best epoch {run.get('best_epoch')} of {run.get('epochs')}, seed {run.get('seed')}"
        for run in runs
    ]
    return f"{'; '.join(kept)}, {about.get('seconds')} s"
