"""What a run tells while it goes on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Epoch:
    """One pass over the training pairs: mean loss, dev measure, whether it is the best, seconds."""

    number: int
    loss: float
    dev: float
    best: bool
    seconds: float


@dataclass(frozen=True)
class Progress:
    """Where to tell of a run: `message(line)`, `batch(epoch, batch, batches)`, `epoch(epoch)`."""

    message: Callable[[str], None] = lambda message: None
    batch: Callable[[int, int, int], None] = lambda epoch, batch, batches: None
    epoch: Callable[[Epoch], None] = lambda epoch: None


SILENT = Progress()
