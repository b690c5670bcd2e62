"""GET /health, /metrics, /docs, /openapi.json, and what the pages allow a browser."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from abcnn.serving.page import page, security_headers
from tests.commands.process import TASKS
from tests.serving.conftest import serving


def counters(address):
    """Every sample by name and labels."""
    text = httpx.get(f"{address}/metrics").text
    return {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


@pytest.mark.parametrize("task", TASKS)
def test_health_says_what_is_served(served, trained, task):
    matcher = trained(task).matcher
    found = httpx.get(f"{served(task).address}/health").json()
    two = task in ("answer-selection", "paraphrase")
    assert found["status"] == "ok"
    assert (found["task"], found["labels"]) == (task, list(matcher.labels))
    assert found["threshold"] == (matcher.threshold if two else None)
    assert found["max_length"] == matcher.encoder.max_length
    assert found["ranks"] is (task != "entailment")
    assert found["grades"] == ({"low": 1, "high": 5} if task == "similarity" else None)


def test_metrics_count_answers_and_batches(trained):
    with serving(trained("paraphrase").matcher) as found:
        with httpx.Client(base_url=found.address) as client:
            for body in ({"left": "a", "right": "b c"}, {"left": "a"}):
                client.post("/score", json=body)
            client.post("/score", json={"pairs": [{"left": "a", "right": "b c"}] * 300})
            client.get("/a/path/of/my/own")
            client.request("BREW", "/another")
        numbers = counters(found.address)
    assert numbers["abcnn_requests_total", "/score", "200", "POST"] == 2
    assert numbers["abcnn_requests_total", "/score", "422", "POST"] == 1
    assert numbers["abcnn_requests_total", "404", "GET", "other"] == 1
    assert numbers["abcnn_requests_total", "404", "other", "other"] == 1
    assert numbers["abcnn_request_seconds_count", "/score"] == 3
    # The pair that warms up, one, and 300 in two pieces.
    assert numbers["abcnn_batch_pairs_sum",] == 302
    assert numbers["abcnn_batch_pairs_count",] == 4
    assert not [name for name in numbers if "/a/path/of/my/own" in name]


class Loaded(HTMLParser):
    """What a page would load: every address in it but links to follow."""

    def __init__(self, text):
        super().__init__()
        self.addresses, self.tags = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.addresses += [
            value for name, value in attributes if name in ("src", "href") and tag != "a"
        ]


@pytest.mark.parametrize("path", ["/", "/docs"])
def test_pages_load_nothing(served, path):
    response = httpx.get(f"{served('paraphrase').address}{path}")
    assert response.status_code == 200
    loaded = Loaded(response.text)
    assert all(address.startswith("data:") for address in loaded.addresses)
    assert "style" in loaded.tags
    assert not re.search(r"""\s(style|on\w+)\s*=\s*["']""", response.text)


@pytest.mark.parametrize("path", ["/", "/docs"])
def test_a_browser_may_run_nothing_else(served, path):
    headers = httpx.get(f"{served('paraphrase').address}{path}").headers
    policy = dict(
        part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";")
    )
    assert policy["default-src"] == "'none'"
    assert policy["connect-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    assert "unsafe" not in headers["content-security-policy"]
    assert re.fullmatch(r"'sha256-[\w+/]{43}='", policy["style-src"])
    assert re.fullmatch(r"'sha256-[\w+/]{43}='|'none'", policy["script-src"])
    assert headers["x-content-type-options"] == "nosniff"


def test_the_hash_is_that_of_the_script():
    """The value that browsers compute, of RFC-like known text: sha256 of `alert(1)`."""
    policy = security_headers("<script>alert(1)</script><style></style>")["Content-Security-Policy"]
    assert "script-src 'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='" in policy
    assert "style-src 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='" in policy
    assert page().count("<script") == 1


def test_the_documentation_names_every_path(served):
    address = served("answer-selection").address
    described = httpx.get(f"{address}/openapi.json").json()
    assert set(described["paths"]) == {
        *("/score", "/rank", "/explain", "/table", "/health", "/metrics")
    }
    text = httpx.get(f"{address}/docs").text
    for path in described["paths"]:
        assert f"{path}</code>" in text
    assert "&quot;left&quot;" in text
    # What a client may get is documented in the shape that it has.
    answers = described["paths"]["/score"]["post"]["responses"]
    assert set(answers) == {"200", "413", "422", "503"}
    for status in ("413", "422", "503"):
        assert "FailureBody" in str(answers[status])
