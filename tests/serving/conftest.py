"""A server in a thread, on a port of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from abcnn.scoring.matcher import Matcher


@dataclass(frozen=True)
class Served:
    """Where a matcher is served."""

    matcher: Matcher
    address: str


@contextmanager
def serving(matcher: Matcher, limits: Any = None) -> Iterator[Served]:
    """Serve a matcher as `abcnn serve` does, until the block ends."""
    import uvicorn

    from abcnn.serving.app import create_app
    from abcnn.serving.server import OPTIONS, listen, url_of

    ready = threading.Event()
    server = uvicorn.Server(
        uvicorn.Config(create_app(matcher, limits, on_ready=ready.set), **OPTIONS)
    )
    with listen("127.0.0.1", 0) as listening:
        address = url_of(listening)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            assert ready.wait(60)
            yield Served(matcher, address)
        finally:
            server.should_exit = True
            thread.join(60)
    assert not thread.is_alive()


@pytest.fixture(scope="session")
def served(trained: Callable[[str], Any]) -> Iterator[Callable[[str], Served]]:
    """`served(task)`: the tiny matcher of a task on a server that all tests share."""
    with ExitStack() as stack:
        yield cache(lambda task: stack.enter_context(serving(trained(task).matcher)))
