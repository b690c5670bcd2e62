"""The application: a matcher's answers to HTTP requests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, JSONResponse, Response

from abcnn.serving.batching import BatchedScoring, OverloadedError
from abcnn.serving.bodies import GradeRange, Health, LimitsBody
from abcnn.serving.body_limit import BodyLimit
from abcnn.serving.explaining import Explaining
from abcnn.serving.failures import add_failure_handlers, failure_response
from abcnn.serving.limits import Limits
from abcnn.serving.metrics import Measured, Metrics
from abcnn.serving.page import docs_page, page, security_headers
from abcnn.serving.pair_routes import add_pair_routes
from abcnn.serving.scores import score_pairs
from abcnn.serving.table_route import add_table_route
from abcnn.serving.tables import TableScoring
from abcnn.serving.turns import taking_turns

if TYPE_CHECKING:
    from abcnn.scoring.matcher import Matcher


def create_app(
    matcher: Matcher, limits: Limits | None = None, *, on_ready: Callable[[], None] = lambda: None
) -> FastAPI:
    """An ASGI application that scores, ranks and explains pairs with `matcher`.

    All arithmetic is done by one thread; `on_ready` is called when it has scored its first pair.
    """
    limits = limits or Limits()
    metrics = Metrics()
    thread = ThreadPoolExecutor(1, thread_name_prefix="abcnn-scoring")
    scoring = BatchedScoring(
        partial(score_pairs, matcher),
        thread,
        waiting_pairs=limits.waiting_pairs,
        on_batch=metrics.batch,
    )
    shared = taking_turns(matcher, thread)
    tables, explaining = TableScoring(shared), Explaining(shared)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        # What is compiled at the first use is compiled before the first request.
        await scoring.score([("a b", "a b c")])
        on_ready()
        yield
        await asyncio.to_thread(tables.close)
        await asyncio.to_thread(explaining.close)
        thread.shutdown()

    app = FastAPI(
        title="abcnn",
        description=f"Scores pairs of sentences with a model for {matcher.task.name}. "
        'Every failure is {"error": {"code": "...", "message": "..."}}.',
        version=version("abcnn"),
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.add_middleware(
        BodyLimit,
        limit_of=lambda path: limits.table_bytes if path == "/table" else limits.body_bytes,
    )
    app.add_middleware(Measured, metrics=metrics)
    add_failure_handlers(app)

    @app.exception_handler(OverloadedError)
    async def overloaded(_request: Request, error: OverloadedError) -> JSONResponse:
        return failure_response(503, str(error), {"Retry-After": "1"})

    add_pair_routes(app, scoring, explaining, limits, can_rank=matcher.task.orders)
    add_table_route(app, tables, limits)
    _add_information(app, matcher, limits, metrics)
    return app


def _add_information(app: FastAPI, matcher: Matcher, limits: Limits, metrics: Metrics) -> None:
    """What is told without a question: health, counters, pages."""
    grades = matcher.grades
    told = Health(
        status="ok",
        version=version("abcnn"),
        task=matcher.task.name,
        model=matcher.name,
        labels=list(matcher.labels),
        grades=None if grades is None else GradeRange(low=grades.low, high=grades.high),
        threshold=matcher.threshold if matcher.task.two_labels else None,
        max_length=matcher.encoder.max_length,
        ranks=matcher.task.orders,
        limits=LimitsBody(
            pairs=limits.pairs,
            characters=limits.characters,
            body_bytes=limits.body_bytes,
            table_bytes=limits.table_bytes,
        ),
    )

    @app.get("/health", response_description="That it answers.")
    async def health() -> Health:
        """That the server answers, and what it serves."""
        return told

    counters = {"description": "The counters.", "content": {"text/plain": {}}}

    @app.get("/metrics", response_class=Response, responses={200: counters})
    async def show_metrics() -> Response:
        """Counters and times for Prometheus."""
        text = await asyncio.to_thread(metrics.text)
        return Response(text, media_type="text/plain; version=0.0.4; charset=utf-8")

    document = page()
    headers = security_headers(document)

    @app.get("/", response_class=HTMLResponse, include_in_schema=False)
    async def show_page() -> HTMLResponse:
        return HTMLResponse(document, headers=headers)

    @app.get("/docs", response_class=HTMLResponse, include_in_schema=False)
    async def show_docs() -> HTMLResponse:
        text = docs_page(app.openapi())
        return HTMLResponse(text, headers=security_headers(text))
