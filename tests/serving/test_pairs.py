"""POST /score, /rank and /explain on a real server: the matcher's numbers, and clear refusals."""

from __future__ import annotations

import asyncio
import json
import socket
from urllib.parse import urlsplit

import httpx
import pytest

from abcnn.readers import read_pairs
from abcnn.serving.limits import Limits
from tests.commands.process import TASKS
from tests.serving.conftest import serving

PAIR = {"left": "The thief left.", "right": "At noon the burglar left the inn."}


def sample(trained, task, count=40):
    pairs = read_pairs(trained(task).test_file).pairs
    return [(pair.left, pair.right) for pair in list(pairs)[:count]]


def bodies(pairs):
    return [{"left": left, "right": right} for left, right in pairs]


def post(served, path, body):
    return httpx.post(f"{served.address}{path}", json=body)


def failure(response, status, code):
    """The message of a failure, which has the one shape."""
    assert response.status_code == status
    assert response.headers["content-type"] == "application/json"
    body = response.json()
    assert list(body) == ["error"]
    assert list(body["error"]) == ["code", "message"]
    assert body["error"]["code"] == code
    assert "\n" not in body["error"]["message"]
    return body["error"]["message"]


@pytest.mark.parametrize("task", TASKS)
def test_the_scores_are_those_of_the_matcher(served, trained, task):
    pairs = sample(trained, task)
    said = trained(task).matcher.predict(pairs)
    results = post(served(task), "/score", {"pairs": bodies(pairs)}).json()["results"]
    assert [result["score"] for result in results] == pytest.approx(said.scores, abs=1e-5)
    if task == "similarity":
        assert {(one["label"], one["probabilities"], one["note"]) for one in results} == {
            (None, None, None)
        }
        ranked = post(
            served(task),
            "/rank",
            {"question": pairs[0][0], "candidates": [right for _, right in pairs[:3]]},
        ).json()["ranking"]
        grades = [one["score"] for one in ranked]
        assert grades == sorted(grades, reverse=True)
        return
    assert [result["label"] for result in results] == said.label_names
    for result, expected in zip(results, said.probabilities, strict=True):
        assert tuple(result["probabilities"]) == trained(task).matcher.labels
        assert list(result["probabilities"].values()) == pytest.approx(expected, abs=1e-5)
        assert result["note"] is None
    alone = post(served(task), "/score", bodies(pairs)[0]).json()
    assert alone["score"] == pytest.approx(results[0]["score"], abs=1e-5)


def test_requests_at_once_get_their_own_results(served, trained):
    pairs = sample(trained, "paraphrase")
    expected = trained("paraphrase").matcher.predict(pairs).scores

    async def ask_all():
        async with httpx.AsyncClient(base_url=served("paraphrase").address) as client:
            answers = [client.post("/score", json=body) for body in bodies(pairs)]
            return [answer.json()["score"] for answer in await asyncio.gather(*answers)]

    assert asyncio.run(ask_all()) == pytest.approx(expected, abs=1e-5)


def test_a_pair_without_words_has_a_note_and_fails_no_other(served):
    texts = [("", "a"), ("a", " \t"), ("\u200b\u0001", "a"), ("", "\u0001"), ("a", "b c")]
    results = post(served("paraphrase"), "/score", {"pairs": bodies(texts)}).json()["results"]
    assert [result["note"] for result in results] == [
        "left is empty",
        "right is empty",
        "left holds no word",
        "left is empty; right holds no word",
        None,
    ]
    for result in results[:-1]:
        assert [result[name] for name in ("score", "label", "probabilities")] == [None] * 3
    assert results[-1]["score"] is not None


def test_a_cut_sentence_is_told(served, trained):
    most = trained("paraphrase").matcher.encoder.max_length
    texts = [("a " * most, "b"), ("a", "b " * (most + 1)), ("a " * 99, "b " * 98)]
    results = post(served("paraphrase"), "/score", {"pairs": bodies(texts)}).json()["results"]
    assert [result["truncated"] for result in results] == [[], ["right"], ["left", "right"]]


@pytest.mark.parametrize(
    ("path", "text", "message"),
    [
        ("/score", '{"left": "a \\ud800", "right": "b"}', "`left`: half of a surrogate pair is"),
        ("/rank", '{"question": "a", "candidates": ["\\udfff"]}', "`candidates[0]`: half of a "),
        (
            "/score",
            '{"left": "a", "right": "b", "\\ud800": 1}',
            "`body`: input should be a valid string",
        ),
    ],
)
def test_half_a_character_is_refused(served, path, text, message):
    """JSON can hold half of a surrogate pair, which UTF-8 cannot."""
    response = httpx.post(
        f"{served('answer-selection').address}{path}",
        content=text,
        headers={"Content-Type": "application/json"},
    )
    assert failure(response, 422, "invalid").startswith(message)


def test_a_ranking_is_that_of_the_matcher(served, trained):
    matcher = trained("answer-selection").matcher
    question = sample(trained, "answer-selection", 1)[0][0]
    candidates = [right for _, right in sample(trained, "answer-selection", 12)]
    expected = matcher.rank(question, candidates)
    body = {"question": question, "candidates": candidates}
    ranking = post(served("answer-selection"), "/rank", body).json()["ranking"]
    assert [one["score"] for one in ranking] == pytest.approx(
        [one.score for one in expected], abs=1e-5
    )
    assert sorted(one["index"] for one in ranking) == list(range(12))
    assert [one["rank"] for one in ranking] == list(range(1, 13))
    assert all(candidates[one["index"]] == one["candidate"] for one in ranking)


def test_equal_candidates_keep_their_order_and_empty_ones_come_last(served):
    body = {"question": "Who?", "candidates": ["", "the same", "the same", "\u0001"]}
    ranking = post(served("answer-selection"), "/rank", body).json()["ranking"]
    assert [(one["rank"], one["index"]) for one in ranking] == [
        (1, 1),
        (2, 2),
        (None, 0),
        (None, 3),
    ]
    assert [one["note"] for one in ranking[2:]] == ["right is empty", "right holds no word"]


def test_entailment_has_no_order(served):
    response = post(served("entailment"), "/rank", {"question": "a", "candidates": ["b"]})
    assert failure(response, 404, "not_found") == (
        "there is no /rank; GET /docs lists what there is"
    )


def test_an_explanation_is_that_of_the_matcher(served, trained):
    explanation = pytest.importorskip("abcnn.explanation")
    matcher = trained("paraphrase").matcher
    expected = explanation.explain(matcher, PAIR["left"], PAIR["right"]).to_dict()
    found = httpx.post(f"{served('paraphrase').address}/explain", json=PAIR, timeout=60).json()
    assert list(found) == list(expected)
    assert found["left"]["tokens"] == expected["left"]["tokens"]
    assert found["score"] == pytest.approx(expected["score"], abs=1e-5)
    assert len(found["attentions"]) == len(expected["attentions"])
    wordless = post(served("paraphrase"), "/explain", PAIR | {"left": "\u0001"})
    assert failure(wordless, 422, "invalid").startswith("`left` must hold a word. Received: ")


@pytest.mark.parametrize(
    ("path", "body", "message"),
    [
        ("/score", {"left": "a"}, "`right`: field required"),
        (
            "/score",
            {"left": "a", "right": 5},
            "`right`: input should be a valid string. Rec",
        ),
        ("/score", PAIR | {"label": "1"}, "`label`: extra inputs are not permitted. Received: '1'"),
        ("/score", {"pairs": []}, "`pairs` must be 1 to 1,000. Received: 0"),
        ("/score", {"pairs": [PAIR] * 1001}, "`pairs` must be 1 to 1,000. Received: 1,001"),
        ("/score", {"pairs": [PAIR, {"left": "a"}]}, "`pairs[1].right`: field required"),
        ("/score", {"pairs": "a"}, "`pairs`: input should be a valid list. Received: 'a'"),
        (
            "/score",
            {"pairs": [PAIR, {"left": "a" * 10_001, "right": "b"}]},
            "`pairs[1].left` must be at most 10,000 characters. Received: 10,001",
        ),
        (
            "/score",
            PAIR | {"right": "b" * 20_000},
            "`right` must be at most 10,000 characters. Received: 20,000",
        ),
        ("/score", [], "`body`: input should be a valid dictionary"),
        ("/rank", {"question": "a", "candidates": []}, "`candidates` must be 1 to 1,000. Re"),
        ("/rank", {"question": "a" * 10_001, "candidates": ["b"]}, "`question` must be at most 1"),
        ("/rank", {"question": "a", "candidates": ["b", None]}, "`candidates[1]`: input should"),
        ("/explain", {"left": "a" * 10_001, "right": "b"}, "`left` must be at most 10,000 char"),
    ],
)
def test_a_wrong_request_is_told_in_one_line(served, path, body, message):
    response = post(served("answer-selection"), path, body)
    assert failure(response, 422, "invalid").startswith(message)


@pytest.mark.parametrize(
    ("content", "kind", "status", "code", "message"),
    [
        ('{"left": ', "application/json", 400, "bad_request", "the body must be JSON: Expecting"),
        ("[" * 100_000, "application/json", 400, "bad_request", ""),
        (b'{"left": "\xff"}', "application/json", 400, "bad_request", ""),
        ("", "application/json", 422, "invalid", "`body`: field required"),
        ('{"left": "a", "right": "b"}', "text/plain", 415, "unsupported_type", "`Content-Type` m"),
        ("left=a&right=b", "", 415, "unsupported_type", "`Content-Type` must be application/json"),
    ],
)
def test_what_is_no_json_is_told(served, content, kind, status, code, message):
    response = httpx.post(
        f"{served('paraphrase').address}/score", content=content, headers={"Content-Type": kind}
    )
    assert failure(response, status, code).startswith(message)


def test_no_path_and_no_method(served):
    address = served("paraphrase").address
    assert failure(httpx.get(f"{address}/<script>"), 404, "not_found").startswith("there is no /")
    assert failure(httpx.get(f"{address}/score"), 405, "method_not_allowed") == (
        "/score takes POST. Received: GET"
    )


@pytest.fixture(scope="module")
def strict(trained):
    limits = Limits(pairs=2, characters=20, body_bytes=200, table_bytes=100)
    with serving(trained("paraphrase").matcher, limits) as found:
        yield found


def test_limits_are_the_servers_own(strict):
    pairs = bodies([("a", "b")] * 3)
    message = failure(post(strict, "/score", {"pairs": pairs}), 422, "invalid")
    assert message == "`pairs` must be 1 to 2. Received: 3"
    assert post(strict, "/score", {"pairs": pairs[:2]}).status_code == 200
    assert post(strict, "/score", {"left": "a" * 20, "right": "b"}).status_code == 200
    message = failure(post(strict, "/score", {"left": "a" * 21, "right": "b"}), 422, "invalid")
    assert message == "`left` must be at most 20 characters. Received: 21"
    told = httpx.get(f"{strict.address}/health").json()["limits"]
    assert told == {"pairs": 2, "characters": 20, "body_bytes": 200, "table_bytes": 100}


def answer_to(served, *pieces):
    """What the server sends to raw bytes, up to its closing the connection."""
    address = urlsplit(served.address)
    with socket.create_connection((address.hostname, address.port), timeout=20) as connection:
        for piece in pieces:
            connection.sendall(piece)
        received = b""
        while data := connection.recv(1 << 16):
            received += data
    head, _, body = received.partition(b"\r\n\r\n")
    return head.decode(), body.decode()


HEAD = b"POST /score HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"


def test_a_body_that_is_too_large_is_refused_before_it_comes(strict):
    """Not one byte of the body is sent, and the answer is there."""
    head, body = answer_to(strict, HEAD, b"Content-Length: 1000000000000\r\n\r\n")
    assert head.startswith("HTTP/1.1 413 ")
    assert "connection: close" in head
    assert json.loads(body) == {
        "error": {
            "code": "too_large",
            "message": "the body must be at most 200 bytes. Received: 1,000,000,000,000",
        }
    }


def test_a_body_without_a_length_is_refused_when_it_is_too_large(strict):
    """The answer comes while the client still sends, and is not lost when the server closes."""
    chunk = b"40\r\n" + b"x" * 64 + b"\r\n"
    head, body = answer_to(strict, HEAD, b"Transfer-Encoding: chunked\r\n\r\n", *[chunk] * 500)
    assert head.startswith("HTTP/1.1 413 ")
    assert json.loads(body)["error"]["message"] == (
        "the body must be at most 200 bytes. Received: more"
    )


def test_a_body_within_the_limit_may_come_in_chunks(strict):
    text = b'{"left": "a b", "right": "a c"}'
    pieces = [b"%x\r\n%s\r\n" % (len(part), part) for part in (text[:9], text[9:])]
    head, body = answer_to(
        strict,
        HEAD,
        b"Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n",
        *pieces,
        b"0\r\n\r\n",
    )
    assert head.startswith("HTTP/1.1 200 ")
    assert '"score":' in body


def test_too_much_at_once_is_refused_for_a_moment(trained):
    """With room for one pair, a second request finds none while the first is under way."""
    pairs = bodies([("a b", "a c")] * 200)

    async def both(address):
        async with httpx.AsyncClient(base_url=address) as client:
            answers = [client.post("/score", json={"pairs": pairs}) for _ in range(8)]
            return await asyncio.gather(*answers)

    with serving(trained("paraphrase").matcher, Limits(waiting_pairs=1)) as found:
        answers = asyncio.run(both(found.address))
    refused = [answer for answer in answers if answer.status_code != 200]
    assert 1 <= len(refused) < len(answers)
    assert failure(refused[0], 503, "overloaded").startswith("200 pairs wait to be scored, at most")
    assert refused[0].headers["retry-after"] == "1"
