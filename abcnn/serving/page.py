"""The page to try a matcher on, and the page that lists the interface: one file each."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Any


def page() -> str:
    """The page, whole: its style, its script and its icon stand in it."""
    return (files("abcnn.serving") / "page.html").read_text(encoding="utf-8")


def security_headers(document: str) -> dict[str, str]:
    """Headers by which a browser runs the document's own style and script and nothing else.

    The document may talk to this server alone, be shown in no other site's frame, and hold no
    style or script that is not a whole `<style>` or `<script>` of it.
    """

    def hashes(tag: str) -> str:
        inside = re.findall(rf"<{tag}>(.*?)</{tag}>", document, flags=re.DOTALL)
        digests = (hashlib.sha256(text.encode()).digest() for text in inside)
        return " ".join(f"'sha256-{base64.b64encode(one).decode()}'" for one in digests) or "'none'"

    policy = (
        f"default-src 'none'; script-src {hashes('script')}; style-src {hashes('style')}; "
        "img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    )
    return {
        "Content-Security-Policy": policy,
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cache-Control": "no-cache",
    }


def docs_page(openapi: Mapping[str, Any]) -> str:
    """The interface as a plain page, from its OpenAPI description.

    The usual viewers (Swagger UI, Redoc) load their scripts from other hosts.
    """
    style = re.search(r"<style>.*?</style>", page(), flags=re.DOTALL)
    assert style is not None
    title = html.escape(f"{openapi['info']['title']}: interface")
    body = "\n".join(
        part
        for path, methods in openapi["paths"].items()
        for method, about in methods.items()
        for part in _endpoint(method.upper(), path, about, openapi)
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<title>{title}</title>\n<link rel="icon" href="data:,">\n{style[0]}\n</head>\n'
        f'<body>\n<main class="docs">\n<h1>{title}</h1>\n'
        f"<p>{html.escape(openapi['info']['description'])}</p>\n"
        '<p><a href="./">The page</a> · <a href="openapi.json">openapi.json</a></p>\n'
        f"{body}\n</main>\n</body>\n</html>\n"
    )


def _endpoint(
    method: str, path: str, about: Mapping[str, Any], openapi: Mapping[str, Any]
) -> Iterator[str]:
    yield f"<section class='card'>\n<h2><code>{method} {html.escape(path)}</code></h2>"
    text = html.escape(about.get("description", ""))
    text = re.sub("`(.+?)`", r"<code>\1</code>", text)
    yield f"<p>{text}</p>"
    for parameter in about.get("parameters", ()):
        yield _line(parameter["name"], parameter.get("description", ""))
    content = about.get("requestBody", {}).get("content", {})
    for kind, inside in content.items():
        for schema in _forms(inside.get("schema", {}), openapi):
            example = json.dumps(schema.get("example", _outline(schema, openapi)))
            yield f"<p>Takes {html.escape(kind)}:</p><pre>{html.escape(example)}</pre>"
    for status, answer in about.get("responses", {}).items():
        yield _line(status, answer.get("description", ""))
        schema = answer.get("content", {}).get("application/json", {}).get("schema", {})
        outlines = [_outline(form, openapi) for form in _forms(schema, openapi)]
        for outline in outlines if status == "200" else ():
            if not isinstance(outline, str):
                yield f"<pre>{html.escape(json.dumps(outline))}</pre>"
    yield "</section>"


def _line(name: str, text: str) -> str:
    return f"<p><code>{html.escape(name)}</code> {html.escape(text)}</p>"


def _forms(schema: Mapping[str, Any], openapi: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The forms that a body may have, each without references at its top."""
    found = _found(schema, openapi)
    forms = found.get("oneOf") or found.get("anyOf") or ([found] if found else [])
    return [_found(form, openapi) for form in forms]


def _found(schema: Mapping[str, Any], openapi: Mapping[str, Any]) -> Mapping[str, Any]:
    if "$ref" not in schema:
        return schema
    found: Mapping[str, Any] = openapi["components"]["schemas"][schema["$ref"].split("/")[-1]]
    return found


def _outline(schema: Mapping[str, Any], openapi: Mapping[str, Any]) -> Any:
    """What a value of a schema looks like, with the names of types for values."""
    schema = _found(schema, openapi)
    if "anyOf" in schema:
        kinds = [_outline(one, openapi) for one in schema["anyOf"]]
        return " or ".join(kinds) if all(isinstance(k, str) for k in kinds) else kinds[0]
    if "properties" in schema:
        return {name: _outline(one, openapi) for name, one in schema["properties"].items()}
    if schema.get("type") == "array":
        return [_outline(schema["items"], openapi), "..."]
    if isinstance(more := schema.get("additionalProperties"), Mapping):
        return {"name": _outline(more, openapi)}
    return schema.get("type", "object")
