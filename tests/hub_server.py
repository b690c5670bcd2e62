"""A stub of the Hugging Face Hub on this machine, for its real client: one commit a push."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

import yaml


@dataclass
class Hub:
    """What the stub holds: `commits[repository][commit]` is every file by name."""

    address: str
    commits: dict[str, dict[str, dict[str, bytes]]] = field(default_factory=dict)
    private: dict[str, bool] = field(default_factory=dict)
    messages: list[str] = field(default_factory=list)
    uploads: dict[str, bytes] = field(default_factory=dict)
    status: int = 200

    @property
    def environment(self) -> dict[str, str]:
        """That of a client that knows no other hub, has an account there and waits for nothing."""
        return {"HF_ENDPOINT": self.address, "HF_TOKEN": "hf_stub", "HF_HUB_DISABLE_XET": "1"}

    def head(self, repository: str) -> str:
        return list(self.commits[repository])[-1]

    def commit(self, repository: str, files: dict[str, bytes]) -> str:
        oid = hashlib.sha1(repr(sorted(files.items())).encode()).hexdigest()
        self.commits.setdefault(repository, {})[oid] = files
        return oid


class _Handler(BaseHTTPRequestHandler):
    hub: Hub

    def do_GET(self) -> None:
        path = unquote(self.path.partition("?")[0]).strip("/")
        if self._refused(reading=True):
            return
        if path.startswith("api/models/"):
            repository, _, revision = path.removeprefix("api/models/").partition("/revision/")
            if (files := self._files(repository, revision or "main")) is not None:
                oid, held = files
                siblings = [{"rfilename": name} for name in held]
                self._json({"id": repository, "modelId": repository, "sha": oid,
                            "siblings": siblings, "tags": []})  # fmt: skip
            return
        repository, _, rest = path.partition("/resolve/")
        revision, _, name = rest.partition("/")
        if (files := self._files(repository, revision)) is not None:
            oid, held = files
            if name in held:
                digest = hashlib.sha256(held[name]).hexdigest()
                self._send(200, held[name], ETag=f'"{digest}"', **{"X-Repo-Commit": oid})
            else:
                self._send(404, b"", **{"X-Error-Code": "EntryNotFound"})

    do_HEAD = do_GET

    def do_PUT(self) -> None:
        self.hub.uploads[self.path.rpartition("/")[2]] = self._body()
        self._send(200, b"")

    def do_POST(self) -> None:
        path, body = unquote(self.path.partition("?")[0]).strip("/"), self._body()
        if self._refused():
            return
        if path == "api/repos/create":
            asked = json.loads(body)
            name = "/".join(filter(None, (asked.get("organization"), asked["name"])))
            made = name not in self.hub.commits
            self.hub.commits.setdefault(name, {})
            if made:
                self.hub.private[name] = asked.get("visibility") == "private" or bool(
                    asked.get("private")
                )
            self._json({"url": f"{self.hub.address}/{name}"}, 200 if made else 409)
        elif path == "api/validate-yaml":
            yaml.safe_load(json.loads(body)["content"].split("---")[1])
            self._json({"errors": [], "warnings": []})
        elif "/preupload/" in path:
            modes = [
                {
                    "path": file["path"],
                    "uploadMode": "lfs" if file["path"].endswith((".npy", ".npz")) else "regular",
                    "shouldIgnore": False,
                }
                for file in json.loads(body)["files"]
            ]
            self._json({"files": modes})
        elif path.endswith("/info/lfs/objects/batch"):
            self._json({"transfer": "basic", "objects": [
                {**one, "authenticated": True,
                 "actions": {"upload": {"href": f"{self.hub.address}/upload/{one['oid']}"}}}
                for one in json.loads(body)["objects"]
            ]})  # fmt: skip
        else:
            self._take_commit(path, body)

    def _take_commit(self, path: str, body: bytes) -> None:
        repository = path.removeprefix("api/models/").partition("/commit/")[0]
        files: dict[str, bytes] = {}
        for line in map(json.loads, body.splitlines()):
            value = line["value"]
            if line["key"] == "header":
                self.hub.messages.append(value["summary"])
            elif line["key"] == "lfsFile":
                files[value["path"]] = self.hub.uploads[value["oid"]]
            else:
                files[value["path"]] = base64.b64decode(value["content"])
        oid = self.hub.commit(repository, files)
        url = f"{self.hub.address}/{repository}/commit/{oid}"
        self._json({"commitUrl": url, "commitOid": oid, "hookOutput": ""})

    def _refused(self, *, reading: bool = False) -> bool:
        if self.hub.status == 200:
            return False
        self._json({"error": "You may not\ndo this"}, self.hub.status)
        return True

    def _files(self, repository: str, revision: str) -> tuple[str, dict[str, bytes]] | None:
        commits = self.hub.commits.get(repository)
        if commits is None:
            self._send(404, b"", **{"X-Error-Code": "RepoNotFound"})
            return None
        oid = list(commits)[-1] if revision == "main" else revision
        if oid not in commits:
            self._send(404, b"", **{"X-Error-Code": "RevisionNotFound"})
            return None
        return oid, commits[oid]

    def _body(self) -> bytes:
        if self.headers["Transfer-Encoding"] == "chunked":
            pieces = []
            while size := int(self.rfile.readline(), 16):
                pieces.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(pieces)
        return self.rfile.read(int(self.headers["Content-Length"] or 0))

    def _json(self, value: object, status: int = 200) -> None:
        self._send(status, json.dumps(value).encode(), **{"Content-Type": "application/json"})

    def _send(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def a_hub() -> Iterator[Hub]:
    """A running stub on 127.0.0.1."""
    handler = type("Handler", (_Handler,), {})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as http:
        http.daemon_threads = True
        handler.hub = hub = Hub(f"http://127.0.0.1:{http.server_address[1]}")
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield hub
        finally:
            http.shutdown()
            thread.join()
