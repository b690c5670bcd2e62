"""Ctrl-C is heard wherever it comes."""

from __future__ import annotations

import gc
import os
import signal
import sys
import time

import pytest

from abcnn.commands.interrupt import heard_interrupts


@pytest.fixture(autouse=True)
def interrupts_are_not_ignored():
    """A shell starts its background jobs, and so perhaps these tests, with Ctrl-C ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def collections():
    """What Python calls at every garbage collection, of which there are none but by command."""
    gc.disable()
    before = list(gc.callbacks)
    yield gc.callbacks
    gc.callbacks[:] = before
    gc.enable()


def collect_and_wait():
    gc.collect()
    time.sleep(20)


def interrupt_and_wait():
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(20)


def test_where_python_would_lose_it(collections, capsys):
    phases = []

    def collected(phase, _info):
        phases.append(phase)
        if phases == ["start"]:
            signal.raise_signal(signal.SIGINT)

    collections.append(collected)
    with heard_interrupts(), pytest.raises(KeyboardInterrupt):
        collect_and_wait()
    assert phases[0] == "start"  # "stop" may be where it comes again, and is lost again.
    assert capsys.readouterr() == ("", "")


def test_anywhere_else_at_once():
    with heard_interrupts(), pytest.raises(KeyboardInterrupt):
        interrupt_and_wait()


def test_other_failures_are_reported_as_before(monkeypatch):
    reported = []
    monkeypatch.setattr(sys, "unraisablehook", lambda failure: reported.append(failure.exc_type))

    class Failing:
        def __del__(self):
            raise ZeroDivisionError

    before = sys.unraisablehook
    with heard_interrupts():
        Failing()  # Gone at once.
    assert reported == [ZeroDivisionError]
    assert sys.unraisablehook is before
