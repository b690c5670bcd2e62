"""`abcnn doctor`: does everything that is needed stand ready?"""

from __future__ import annotations

import json
import os
import platform
from typing import Any

import click

from abcnn.commands.options import json_option


@click.command("doctor", epilog="Example: abcnn doctor --json")
@json_option
@click.pass_context
def command(context: click.Context, as_json: bool) -> None:
    """Versions, backend and devices, whether a GPU is used, and what to install if not."""
    import importlib.metadata

    from abcnn.devices import find_devices

    packages = ("abcnn", "keras", "tensorflow", "jax", "torch", "numpy", "scikit-learn", "gensim")
    versions: dict[str, str | None] = {}
    for name in (*packages, "pyarrow", "click"):
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            versions[name] = None
    facts: dict[str, Any] = {
        "python": platform.python_version(),
        "system": platform.platform(),
        "processors": os.cpu_count(),
        "versions": versions,
    }
    try:
        found = find_devices()
    except (ImportError, ValueError, RuntimeError) as error:
        facts |= {"backend": None, "gpus": [], "advice": f"the backend cannot be used: {error}"}
    else:
        facts |= {
            "backend": found.backend,
            "gpus": list(found.gpus),
            "advice": _advice(found.backend, bool(found.gpus)),
        }
    click.echo(json.dumps(facts, indent=2) if as_json else _as_text(facts))
    if facts["backend"] is None:
        context.exit(1)


def _advice(backend: str, has_gpu: bool) -> str:
    if has_gpu:
        return "a GPU is used (--device auto)"
    install = {
        "tensorflow": "pip install 'abcnn[gpu]'",
        "jax": "pip install 'jax[cuda12]'",
        "torch": "a CUDA build of PyTorch",
    }[backend]
    return (
        f"{backend} runs on the processor; with an NVIDIA GPU and driver, {install} lets it use "
        "that"
    )


def _as_text(facts: dict) -> str:
    lines = [f"{name}: {facts[name]}" for name in ("python", "system", "processors")]
    lines += [f"{name}: {v or 'not installed'}" for name, v in facts["versions"].items()]
    lines += [
        f"backend: {facts['backend'] or 'none'}",
        f"GPUs: {', '.join(facts['gpus']) or 'none'}",
        facts["advice"],
    ]
    return "\n".join(lines)
