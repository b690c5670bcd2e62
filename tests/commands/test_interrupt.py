"""Ctrl-C is heard wherever it comes, and as a program has arranged it."""

from __future__ import annotations

import gc
import os
import signal
import time

import pytest

from abcnn.commands.interrupt import heard_interrupts


def test_where_python_would_lose_it():
    """An exception in what the garbage collection calls is printed and forgotten."""
    phases = []

    def collected(phase, _info):
        phases.append(phase)
        if len(phases) == 1:
            signal.raise_signal(signal.SIGINT)

    gc.callbacks.append(collected)
    try:
        with heard_interrupts(), pytest.raises(KeyboardInterrupt):
            gc.collect()
            time.sleep(20)
    finally:
        gc.callbacks.remove(collected)
    assert phases[:2] == ["start", "stop"]  # the call itself went on


def test_anywhere_else_at_once():
    with heard_interrupts(), pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(20)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_handler_of_the_program_stays():
    heard = []
    before = signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
    try:
        with heard_interrupts():
            signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)
    assert heard == [signal.SIGINT]
