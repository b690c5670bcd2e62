"""What a client is told when a request fails: one shape for every status.

`{"error": {"code": "invalid", "message": "`pairs` must ..."}}`; messages are one line, as those of
the command line: what, what was expected, what came.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException as StarletteHTTPException

from abcnn.errors import InputError

CODES = {
    400: "bad_request",
    404: "not_found",
    405: "method_not_allowed",
    413: "too_large",
    415: "unsupported_type",
    422: "invalid",
    500: "internal",
    503: "overloaded",
}
_JSON = re.compile(r"application/([\w.-]+\+)?json\b", re.IGNORECASE)
_SHOWN = 60  # Characters of a value that are told back.


class Failure(BaseModel):
    """What went wrong: `code` for programs, `message` for people."""

    code: str
    message: str


class FailureBody(BaseModel):
    """The body of every answer whose status is 400 or more."""

    error: Failure


FAILURES: dict[int | str, dict[str, Any]] = {
    413: {"model": FailureBody, "description": "The body is too large."},
    422: {"model": FailureBody, "description": "The request is not as it must be."},
    503: {"model": FailureBody, "description": "Too much waits; try again in a moment."},
}


class RequestError(HTTPException):
    """A request that is not answered, for a reason that its sender can mend."""

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None):
        super().__init__(status, message, headers)


def failure_body(status: int, message: str) -> dict[str, Any]:
    """The body of an answer with this status."""
    # What was received may be no text that UTF-8 can hold.
    message = message.encode("utf-8", "backslashreplace").decode()
    return {"error": {"code": CODES.get(status, "failed"), "message": message}}


def failure_response(
    status: int, message: str, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    """An answer with this status."""
    return JSONResponse(failure_body(status, message), status, headers)


def add_failure_handlers(app: FastAPI) -> None:
    """Give every failure of the application the one shape."""

    @app.exception_handler(StarletteHTTPException)
    async def refused(request: Request, error: StarletteHTTPException) -> JSONResponse:
        message = str(error.detail)
        if error.status_code == 404:
            message = f"there is no {request.url.path}; GET /docs lists what there is"
        elif error.status_code == 405:
            allowed = (error.headers or {}).get("Allow", "")
            message = f"{request.url.path} takes {allowed}. Received: {request.method}"
        return failure_response(error.status_code, message, error.headers)

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        kind = request.headers.get("content-type", "")
        if request.method == "POST" and not _JSON.match(kind):
            return failure_response(
                415, f"`Content-Type` must be application/json. Received: {_short(kind)}"
            )
        first = error.errors()[0]
        if first["type"] == "json_invalid":
            return failure_response(400, f"the body must be JSON: {first['ctx']['error']}")
        return failure_response(422, _message(first))

    @app.exception_handler(InputError)
    async def refused_by_the_matcher(_request: Request, error: InputError) -> JSONResponse:
        return failure_response(422, str(error))

    @app.exception_handler(Exception)
    async def broken(_request: Request, _error: Exception) -> JSONResponse:
        # Starlette raises the exception again behind this answer, so that the server logs it.
        return failure_response(500, "the server failed; its log says why")


def _message(error: Mapping[str, Any]) -> str:
    said = str(error["msg"]).removeprefix("Value error, ")
    received = "" if error["type"] == "missing" else f". Received: {_short(error.get('input'))}"
    return f"`{place(error['loc'])}`: {said[:1].lower()}{said[1:]}{received}"


def place(location: Sequence[int | str]) -> str:
    """Where in a body something stands: `("body", "pairs", 3, "left")` -> `pairs[3].left`."""
    name = ""
    for part in location[1:]:
        if part not in ("one", "many"):
            name += f"[{part}]" if isinstance(part, int) else f".{part}"
    return name.removeprefix(".") or str(location[0])


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
