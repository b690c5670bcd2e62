"""What is counted and timed, in the format of Prometheus."""

from __future__ import annotations

import os
import time

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest, multiprocess
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60)
_PAIRS = (1, 2, 4, 8, 16, 32, 64, 128, 256)


class Metrics:
    """The counters of one server.

    Where the environment has PROMETHEUS_MULTIPROC_DIR, that of several workers, `text` sums over
    all of them.
    """

    def __init__(self) -> None:
        registry = CollectorRegistry()
        self._shown = registry
        if os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
            self._shown = CollectorRegistry()
            multiprocess.MultiProcessCollector(self._shown)
        self._requests = Counter(
            "abcnn_requests",
            "Requests that were answered.",
            ("method", "path", "status"),
            registry=registry,
        )
        self._seconds = Histogram(
            "abcnn_request_seconds",
            "Seconds from a request to the end of its answer.",
            ("path",),
            registry=registry,
            buckets=_SECONDS,
        )
        self._batches = Histogram(
            "abcnn_batch_pairs",
            "Pairs that were scored in one batch.",
            registry=registry,
            buckets=_PAIRS,
        )

    def batch(self, pairs: int) -> None:
        """Note a batch."""
        self._batches.observe(pairs)

    def request(self, method: str, path: str, status: int, seconds: float) -> None:
        """Note an answer."""
        self._requests.labels(method, path, str(status)).inc()
        self._seconds.labels(path).observe(seconds)

    def text(self) -> bytes:
        """All of it, as `GET /metrics` shows it."""
        return generate_latest(self._shown)


class Measured:
    """ASGI middleware that notes every answer.

    Paths are those of the routes and `other`, methods those in use: what clients make up must not
    become new time series.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics):
        self.app = app
        self.metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        start = time.perf_counter()
        status = 500

        async def send_noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, send_noted)
        finally:
            path = getattr(scope.get("route"), "path", "other")
            method = scope["method"] if scope["method"] in ("GET", "POST", "HEAD") else "other"
            self.metrics.request(method, path, status, time.perf_counter() - start)
