"""POST /table: a table in, the same table with its results out."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request
from fastapi.responses import FileResponse, Response, StreamingResponse
from starlette.background import BackgroundTask

from abcnn.errors import AbcnnError
from abcnn.serving.batching import OverloadedError
from abcnn.serving.failures import FAILURES, failure_body
from abcnn.serving.limits import Limits
from abcnn.serving.tables import TableScoring, Upload, receive_upload

_EVENTS = "application/x-ndjson"
_PIECE_BYTES = 3 << 16  # Divisible by 3, so that the pieces' base64 has no padding but at the end.


def add_table_route(app: FastAPI, tables: TableScoring, limits: Limits) -> None:
    """Add the route that scores uploaded tables."""
    here: set[int] = set()

    @app.post(
        "/table",
        response_class=Response,
        responses=FAILURES
        | {200: {"description": "The table.", "content": {"text/csv": {}, _EVENTS: {}}}},
        openapi_extra={
            "requestBody": {
                "required": True,
                "content": {"text/csv": {"schema": {"type": "string", "example": "left,right..."}}},
            }
        },
    )
    async def table(
        request: Request,
        name: Annotated[str, Query(description="The name of the file, for messages.")] = "",
        left_column: Annotated[str | None, Query(description="Column of left sentences.")] = None,
        right_column: Annotated[str | None, Query(description="Column of right sentences.")] = None,
        group_column: Annotated[str | None, Query(description="Column of the question.")] = None,
        encoding: Annotated[str, Query(description="Encoding of the text.")] = "utf-8",
        format: Annotated[str | None, Query(description="Format, when not recognised.")] = None,
    ) -> Response:
        """Score every row of a table, CSV, TSV or JSON Lines, as `abcnn predict` does.

        With `Accept: application/x-ndjson` the answer is lines of JSON that tell the progress:
        `{"rows": N}` while rows are scored; then the table in base64, `{"piece": "..."}`; last
        `{"done": {"name", "rows", "scored", "truncated"}}`, or `{"error": ...}` instead.
        """
        if len(here) >= limits.tables:
            raise OverloadedError(
                f"{len(here)} tables wait to be scored, at most {limits.tables} may; "
                "try again in a moment"
            )
        place = id(request)
        here.add(place)
        upload: Upload | None = None

        def leave() -> None:
            here.discard(place)
            if upload is not None:
                upload.close()

        reading = {
            "left_column": left_column or None,
            "right_column": right_column or None,
            "group_column": group_column or None,
            "encoding": encoding,
            "format": format or None,
        }
        try:
            upload = await receive_upload(request.stream(), name)
            if _EVENTS in request.headers.get("accept", ""):
                events = _closing(_events(tables, upload, reading), leave)
                return StreamingResponse(events, media_type=_EVENTS)
            await tables.score(upload, reading, lambda rows: None)
        except BaseException:
            leave()
            raise
        return FileResponse(
            upload.scored,
            filename=upload.scored.name,
            background=BackgroundTask(leave),
        )


async def _closing(events: AsyncIterator[bytes], leave: Any) -> AsyncIterator[bytes]:
    """The events; `leave` is called at their end, also when the client goes before it."""
    try:
        async for event in events:
            yield event
    finally:
        leave()


async def _events(
    tables: TableScoring, upload: Upload, reading: dict[str, Any]
) -> AsyncIterator[bytes]:
    """The lines that tell of a table while it is scored, and then hold it."""
    loop = asyncio.get_running_loop()
    told: asyncio.Queue[int | None] = asyncio.Queue()

    def on_rows(rows: int) -> None:
        loop.call_soon_threadsafe(told.put_nowait, rows)

    job = asyncio.create_task(tables.score(upload, reading, on_rows))
    job.add_done_callback(lambda _job: told.put_nowait(None))
    while (rows := await told.get()) is not None:
        yield _line({"rows": rows})
    try:
        counts = job.result()
    except AbcnnError as error:
        yield _line(failure_body(422, str(error)))
        return
    with upload.scored.open("rb") as file:
        while piece := file.read(_PIECE_BYTES):
            yield _line({"piece": base64.b64encode(piece).decode()})
    yield _line(
        {
            "done": {
                "name": upload.scored.name,
                "rows": counts.rows,
                "scored": counts.scored,
                "truncated": counts.truncated,
            }
        }
    )


def _line(value: dict[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode() + b"\n"
