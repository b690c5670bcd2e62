"""Pairs of many requests in one batch: nothing lost, nothing mixed up, nobody kept waiting."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abcnn.serving.batching import BatchedScoring, OverloadedError


class Held:
    """A scoring function that waits at its first batch until it is let go, and notes every one."""

    def __init__(self):
        self.begun, self.go = threading.Event(), threading.Event()
        self.batches = []

    def __call__(self, pairs):
        self.batches.append([left for left, _ in pairs])
        self.begun.set()
        assert self.go.wait(20)
        if ("bad", "") in pairs:
            raise ZeroDivisionError
        return [f"{left}{right}" for left, right in pairs]


@contextmanager
def held(**options):
    score = Held()
    with ThreadPoolExecutor(1) as thread:
        yield BatchedScoring(score, thread, **options), score


def pairs(*names):
    return [(name, "") for name in names]


async def at_once(scoring, score, first, *others):
    """Ask for `first`, and while it is scored for the others; all results or exceptions."""
    tasks = [asyncio.create_task(scoring.score(first))]
    await asyncio.to_thread(score.begun.wait, 20)
    tasks += [asyncio.create_task(scoring.score(other)) for other in others]
    await asyncio.sleep(0)
    score.go.set()
    return await asyncio.gather(*tasks, return_exceptions=True)


def test_what_waits_is_scored_together():
    told = []
    with held(on_batch=told.append) as (scoring, score):
        given = [pairs("a"), pairs("b", "c"), pairs("d"), pairs("e")]
        results = asyncio.run(at_once(scoring, score, *given))
    assert results == [["a"], ["b", "c"], ["d"], ["e"]]
    assert score.batches == [["a"], ["b", "c", "d", "e"]]
    assert told == [1, 4]


def test_a_long_request_lets_others_in_between():
    with held(batch_pairs=3) as (scoring, score):
        given = [pairs("a"), pairs(*"bcdefghi"), pairs("x"), pairs("y")]
        results = asyncio.run(at_once(scoring, score, *given))
    assert results == [["a"], list("bcdefghi"), ["x"], ["y"]]
    assert score.batches[:3] == [["a"], ["b", "c", "d"], ["x", "y"]]
    assert max(map(len, score.batches)) == 3


def test_a_failing_pair_fails_its_own_request_only():
    with held() as (scoring, score):
        given = [pairs("a"), pairs("b"), pairs("bad"), pairs("c", "d")]
        results = asyncio.run(at_once(scoring, score, *given))
    assert results[:2] == [["a"], ["b"]]
    assert isinstance(results[2], ZeroDivisionError)
    assert results[3] == ["c", "d"]


def test_a_request_that_has_gone_is_not_scored():
    async def one_goes(scoring, score):
        first = asyncio.create_task(scoring.score(pairs("a")))
        await asyncio.to_thread(score.begun.wait, 20)
        gone = asyncio.create_task(scoring.score(pairs("gone")))
        stays = asyncio.create_task(scoring.score(pairs("b")))
        await asyncio.sleep(0)
        gone.cancel()
        await asyncio.sleep(0)
        score.go.set()
        return await asyncio.gather(first, stays)

    with held() as (scoring, score):
        assert asyncio.run(one_goes(scoring, score)) == [["a"], ["b"]]
    assert score.batches == [["a"], ["b"]]


def test_too_much_is_refused_and_room_comes_back():
    with held(waiting_pairs=4) as (scoring, score):
        given = [pairs("a"), pairs("b", "c"), pairs("d", "e"), pairs("f")]
        results = asyncio.run(at_once(scoring, score, *given))
        assert [type(one) for one in results] == [list, list, OverloadedError, list]
        assert str(results[2]).startswith("3 pairs wait to be scored, at most 4 may; ")
        # One that is alone is never refused: its size has a limit of its own.
        assert asyncio.run(scoring.score(pairs(*"abcdef"))) == list("abcdef")


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(1, 7), min_size=1, max_size=8), st.integers(1, 5))
def test_every_request_gets_its_own_results(sizes, batch_pairs):
    given = [
        [(f"{request}", f"-{number}") for number in range(size)]
        for request, size in enumerate(sizes)
    ]
    with held(batch_pairs=batch_pairs) as (scoring, score):
        results = asyncio.run(at_once(scoring, score, *given))
    assert results == [[f"{left}{right}" for left, right in one] for one in given]
    assert sum(map(len, score.batches)) == sum(sizes)
    assert max(map(len, score.batches)) <= batch_pairs


def test_a_failure_is_told_to_who_asked():
    with held() as (scoring, score):
        score.go.set()
        with pytest.raises(ZeroDivisionError):
            asyncio.run(scoring.score(pairs("bad")))
