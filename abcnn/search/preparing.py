"""Words, vectors, features: made once for all trials that agree in what decides them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from abcnn.features.extraction import Extraction
from abcnn.pairs import PairBatch
from abcnn.tasks import Task
from abcnn.text.vector_sets import VectorFiles
from abcnn.training.options import TrainingOptions
from abcnn.training.prepare import PREPARED_BY, Prepared, check_loss, prepare

_KEPT = 2  # Each holds the vectors of all words.


class Preparations:
    """What the training pairs are prepared to, by the options that decide it.

    The same numbers as `prepare` gives; the last two are kept.
    """

    def __init__(
        self,
        task: Task,
        train_pairs: PairBatch,
        vectors: VectorFiles,
        extraction: Extraction | None,
    ) -> None:
        self._task = task
        self._train_pairs = train_pairs
        self._vectors = vectors
        self._extraction = extraction
        self._found: OrderedDict[tuple[Any, ...], Prepared] = OrderedDict()

    def __call__(
        self, options: TrainingOptions, on_message: Callable[[str], None] = lambda message: None
    ) -> Prepared:
        """As `prepare`; `options` are those that `resolved` gives. Raises InputError."""
        key = tuple(getattr(options, name) for name in PREPARED_BY)
        if key in self._found:
            self._found.move_to_end(key)
            check_loss(self._found[key], options)
        else:
            self._found[key] = prepare(
                self._train_pairs,
                self._task,
                options,
                self._vectors,
                on_message=on_message,
                extraction=self._extraction,
            )
            while len(self._found) > _KEPT:
                self._found.popitem(last=False)
        return self._found[key]
