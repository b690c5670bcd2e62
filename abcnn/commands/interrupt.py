"""Ctrl-C, also where Python would lose it."""

from __future__ import annotations

import gc
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_AGAIN_AFTER = 0.05  # Seconds.


@contextmanager
def heard_interrupts() -> Iterator[None]:
    """Have Ctrl-C end the block, wherever it comes.

    JAX, which TensorFlow imports where it is installed, has Python call it at every garbage
    collection, and an exception in such a call is printed and forgotten. Long runs of native code
    collect much and look for signals nowhere else, so that Ctrl-C is lost there nearly always. It
    is sent again, until it comes elsewhere.
    """
    # Only the main thread may; a program that has a handler of its own keeps it.
    if (
        threading.current_thread() is not threading.main_thread()
        or signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    ):
        yield
        return
    signal.signal(signal.SIGINT, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _interrupt(_number: int, frame: FrameType | None) -> None:
    callbacks = [getattr(callback, "__code__", None) for callback in gc.callbacks]
    if frame is None or frame.f_code not in callbacks:
        raise KeyboardInterrupt
    again = threading.Timer(_AGAIN_AFTER, os.kill, (os.getpid(), signal.SIGINT))
    again.daemon = True
    again.start()
