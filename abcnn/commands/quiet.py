"""Importing the backend without what it prints."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def quiet_backend() -> Iterator[None]:
    """Hold back what native code writes to stderr while the backend is imported and started.

    TensorFlow tells there, whatever the log level, that it found no GPU driver; `abcnn doctor` says
    that better. What was held back is printed when the block fails.
    """
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    sys.stderr.flush()
    real = os.dup(2)
    with tempfile.TemporaryFile() as held:
        os.dup2(held.fileno(), 2)
        try:
            yield
        except ImportError:
            held.seek(0)
            os.write(real, held.read())
            raise
        finally:
            sys.stderr.flush()
            os.dup2(real, 2)
            os.close(real)
