"""Ctrl-C, also where Python would lose it."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_AGAIN_AFTER = 0.05  # Seconds.


@contextmanager
def heard_interrupts() -> Iterator[None]:
    """Have Ctrl-C end the block, wherever it comes.

    An exception in what Python calls while it collects garbage is printed and forgotten. JAX, which
    TensorFlow imports where it is installed, has itself called at every collection, and long runs
    of native code collect much and look for signals nowhere else: there Ctrl-C is lost nearly
    always. It is sent again, until it comes elsewhere.
    """
    report = sys.unraisablehook

    def send_again_or_report(failure: Any) -> None:
        if failure.exc_type is not KeyboardInterrupt:
            report(failure)
            return
        again = threading.Timer(_AGAIN_AFTER, os.kill, (os.getpid(), signal.SIGINT))
        again.daemon = True
        again.start()

    sys.unraisablehook = send_again_or_report
    try:
        yield
    finally:
        sys.unraisablehook = report
