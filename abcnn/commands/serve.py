"""`abcnn serve`: a trained model behind HTTP, with a page to try it on."""

from __future__ import annotations

import ipaddress

import click

from abcnn.errors import require
from abcnn.serving.limits import Limits

_LIMITS = Limits()


@click.command("serve", epilog="Example: abcnn serve runs/demo/paraphrase --port 8000 --workers 2")
@click.argument("folder", type=click.Path())
@click.option("--host", default="127.0.0.1", help="Address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8000, help="Port to listen on; 0: a free one."
)
@click.option("--workers", type=click.IntRange(1), default=1, help="Processes that share the port.")
@click.option(
    "--max-pairs", type=click.IntRange(1), default=_LIMITS.pairs, help="Pairs of one request."
)
@click.option(
    "--max-characters",
    type=click.IntRange(1),
    default=_LIMITS.characters,
    help="Characters of a sentence.",
)
@click.option(
    "--max-body", type=click.IntRange(1), default=_LIMITS.body_bytes, help="Bytes of a request."
)
@click.option(
    "--max-table", type=click.IntRange(1), default=_LIMITS.table_bytes, help="Bytes of a table."
)
def command(
    folder: str,
    host: str,
    port: int,
    workers: int,
    max_pairs: int,
    max_characters: int,
    max_body: int,
    max_table: int,
) -> None:
    """Serve the model in FOLDER until Ctrl-C: POST /score, /rank, /explain and /table, GET /health
    and /metrics, their description at /docs, and a page for people at /.

    There is no password: on an address other than this machine's own, put it behind a proxy that
    asks for one.
    """
    for module in ("fastapi", "uvicorn", "prometheus_client"):
        require(module, "serve")
    from abcnn.serving.server import serve

    if not _is_loopback(host):
        click.echo(f"Warning: whoever reaches {host} may use this server", err=True)
    limits = Limits(
        pairs=max_pairs,
        characters=max_characters,
        body_bytes=max_body,
        table_bytes=max_table,
    )
    serve(folder, host=host, port=port, workers=workers, limits=limits)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
