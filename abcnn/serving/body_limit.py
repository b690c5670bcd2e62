"""Refusing a body that is too large before it is read."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from abcnn.serving.failures import RequestError, failure_response

_LINGER_SECONDS = 1


class BodyLimit:
    """ASGI middleware that answers 413 to a body of more bytes than its path may have.

    A body whose header states its length is refused at once; one that comes in chunks, when it
    passes the limit. Starlette has such a middleware, whose answer is plain text: it would be the
    only failure not told as JSON.
    """

    def __init__(self, app: ASGIApp, limit_of: Callable[[str], int]):
        self.app = app
        self.limit_of = limit_of

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        limit = self.limit_of(scope["path"])
        stated = Headers(scope=scope).get("content-length", "0")
        if stated.isdecimal() and int(stated) > limit:
            await _refuse(receive, send, limit, f"{int(stated):,}")
            return
        received = 0

        async def receive_within_limit() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > limit:
                raise RequestError(413, "too large")
            return message

        async def send_unless_refused(message: Message) -> None:
            if received <= limit:
                await send(message)

        await self.app(scope, receive_within_limit, send_unless_refused)
        if received > limit:
            await _refuse(receive, send, limit, "more")


async def _refuse(receive: Receive, send: Send, limit: int, received: str) -> None:
    message = f"the body must be at most {limit:,} bytes. Received: {received}"
    answer = failure_response(413, message, {"Connection": "close"})
    await send({"type": "http.response.start", "status": 413, "headers": answer.raw_headers})
    await send({"type": "http.response.body", "body": answer.body, "more_body": True})
    # Closing a connection on which bytes wait resets it, and the client may lose the answer: what
    # still comes is thrown away for a moment.
    with suppress(TimeoutError):
        async with asyncio.timeout(_LINGER_SECONDS):
            while (await receive()).get("more_body"):
                pass
    await send({"type": "http.response.body", "body": b""})
