"""Running the application: sockets, worker processes, stopping."""

from __future__ import annotations

import os
import signal
import socket
import sys
import tempfile
import traceback
from contextlib import ExitStack, suppress
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Any

import uvicorn
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors import Multiprocess

from abcnn.bundle import load_bundle, read_config
from abcnn.errors import AbcnnError, BundleError, InputError
from abcnn.serving.limits import Limits

if TYPE_CHECKING:
    from fastapi import FastAPI

_STOPPING_SECONDS = 30
# A worker that imports Keras answers nothing for seconds.
_HEALTH_SECONDS = 60
# Uvicorn's options, the same in every process.
OPTIONS: dict[str, Any] = {
    "log_level": "warning",
    "access_log": False,
    "server_header": False,
    "lifespan": "on",
    "ws": "none",
    "timeout_graceful_shutdown": _STOPPING_SECONDS,
    # Longer than proxies keep a connection to use it again, which is usually a minute.
    "timeout_keep_alive": 75,
}


def serve(
    folder: str | PathLike[str],
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    workers: int = 1,
    limits: Limits | None = None,
) -> None:
    """Serve the bundle in `folder` until SIGINT or SIGTERM; port 0 takes a free one.

    Requests under way are answered before it returns, those that take more than half a minute
    aside. Several workers are processes that share the port.

    Raises BundleError for a bad bundle, InputError for an address that cannot be listened on.
    """
    read_config(folder)
    limits = limits or Limits()
    with ExitStack() as stack:
        listening = stack.enter_context(listen(host, port))
        address = url_of(listening)
        if workers == 1:
            _serve_here(folder, limits, listening, address)
        else:
            metrics = tempfile.TemporaryDirectory(prefix="abcnn-metrics-")
            # Read by prometheus_client when a worker imports it.
            os.environ["PROMETHEUS_MULTIPROC_DIR"] = stack.enter_context(metrics)
            _serve_in_workers(folder, limits, listening, address, workers)


def _serve_here(
    folder: str | PathLike[str], limits: Limits, listening: socket.socket, address: str
) -> None:
    app = _app(folder, limits, address)
    # Uvicorn sends itself the signal again once it has stopped, which would be a violent end.
    signal.signal(signal.SIGTERM, lambda _signal, _frame: None)
    with suppress(KeyboardInterrupt):
        uvicorn.Server(uvicorn.Config(app, **OPTIONS)).run(sockets=[listening])


def _serve_in_workers(
    folder: str | PathLike[str],
    limits: Limits,
    listening: socket.socket,
    address: str,
    workers: int,
) -> None:
    make = partial(_worker_app, folder, limits, address)
    config = uvicorn.Config(
        make,
        factory=True,
        workers=workers,
        timeout_worker_healthcheck=_HEALTH_SECONDS,
        **OPTIONS,
    )
    supervisor = _Workers(config, [listening])
    supervisor.run()
    if any(process.exitcode == STARTUP_FAILURE for process in supervisor.processes):
        raise BundleError(f"{folder}: a worker could not start")


class _Workers(Multiprocess):
    def terminate_all(self) -> None:
        # While this process listens too, the port takes connections that nobody answers.
        for listening in self.sockets:
            listening.close()
        super().terminate_all()


def _app(folder: str | PathLike[str], limits: Limits, address: str) -> FastAPI:
    from abcnn.serving.app import create_app

    matcher = load_bundle(folder)

    def on_ready() -> None:
        print(
            f"{folder} ({matcher.task.name}) is served on {address} by process {os.getpid()}",
            file=sys.stderr,
            flush=True,
        )

    return create_app(matcher, limits, on_ready=on_ready)


def _worker_app(folder: str | PathLike[str], limits: Limits, address: str) -> FastAPI:
    try:
        return _app(folder, limits, address)
    except Exception as error:
        if isinstance(error, AbcnnError):
            print(f"Error: {error}", file=sys.stderr, flush=True)
        else:
            traceback.print_exc()
        # Tells the parent not to start another one, and another one.
        sys.exit(STARTUP_FAILURE)


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens, so that a port in use is told before a model is loaded.

    Raises InputError, which says why there is none.
    """
    try:
        family, *_, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.create_server(place[:2], family=family, backlog=2048)
    except OSError as error:
        # Python repeats the address in `strerror`; a name that is not found has no other.
        why = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror
        raise InputError(f"{host}, port {port}: cannot be listened on: {why}") from error
    # Connections inherit it. Head and body of an answer are sent one after the other, and without
    # it the body waits 40 ms for the client to acknowledge the head.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


def url_of(listening: socket.socket) -> str:
    """The address of a server behind a socket."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
