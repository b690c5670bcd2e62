"""A web server on this machine whose files can be good, cut, slow, moved or changed."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Served:
    """One file and the server's manners with it.

    `cut` ends the connection after so many bytes; `silent` leaves it open then; `length` is what is
    told instead of the real length; `ranges` is whether parts may be asked for.
    """

    content: bytes = b""
    mark: dict[str, str] = field(default_factory=lambda: {"ETag": '"1"'})
    status: int = 200
    kind: str = "application/octet-stream"
    location: str | None = None
    cut: int | None = None
    silent: bool = False
    length: int | None = None
    ranges: bool = True


@dataclass
class Server:
    """The files by path, and the headers of every request that came, oldest first."""

    address: str
    files: dict[str, Served]
    requests: list[tuple[str, Message]]
    stopping: threading.Event

    def url(self, path: str) -> str:
        return f"{self.address}/{path}"

    @property
    def ranges(self) -> list[str | None]:
        """The `Range` header of every request."""
        return [headers["Range"] for _, headers in self.requests]


@contextmanager
def serving(**files: Served) -> Iterator[Server]:
    """A running server on 127.0.0.1."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.removeprefix("/")
            server.requests.append((path, self.headers))
            served = server.files.get(path, Served(status=404, kind="text/html"))
            begin, status = 0, served.status
            mark = next(iter(served.mark.values()), None)
            asked = self.headers["Range"]
            if asked and served.ranges and self.headers["If-Range"] == mark:
                begin = int(asked.removeprefix("bytes=").removesuffix("-"))
                status = 206 if begin < len(served.content) else 416
            body = b"" if status == 416 else served.content[begin:]
            self.send_response(status)
            self.send_header("Content-Type", served.kind)
            for name, value in served.mark.items():
                self.send_header(name, value)
            if served.location:
                self.send_header("Location", served.location)
            if status == 206:
                last = len(served.content) - 1
                self.send_header("Content-Range", f"bytes {begin}-{last}/{len(served.content)}")
            if status == 416:
                self.send_header("Content-Range", f"bytes */{len(served.content)}")
            length = len(body) if served.length is None else served.length
            self.send_header("Content-Length", str(length))
            self.end_headers()
            self.wfile.write(body if served.cut is None else body[: served.cut])
            self.wfile.flush()
            if served.silent:
                server.stopping.wait(30)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        http.daemon_threads = True
        address = f"http://127.0.0.1:{http.server_address[1]}"
        server = Server(address, dict(files), [], threading.Event())
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.stopping.set()
            http.shutdown()
            thread.join()
