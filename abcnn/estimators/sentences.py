"""Two columns of sentences out of a table that scikit-learn has checked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from abcnn.errors import InputError


def sentence_columns(
    table: np.ndarray, names: Sequence[str] | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The left and the right sentences of an object array `(pairs, columns)`.

    They are the columns that are named `left` and `right`, or else the only two in their order.
    Raises InputError for other columns, or a cell that is no text.
    """
    found = list(names) if names is not None else []
    if {"left", "right"} <= set(found):
        places = [found.index("left"), found.index("right")]
    elif table.shape[1] == 2:
        places = [0, 1]
    else:
        raise InputError(
            "`X` must have two columns of sentences, or columns named `left` and `right`. "
            f"Received: {', '.join(found) or f'{table.shape[1]} columns'}"
        )
    for row, cells in enumerate(table[:, places]):
        for side, sentence in zip(("left", "right"), cells, strict=True):
            if not isinstance(sentence, str):
                raise InputError(
                    f"`X`, row {row}: the {side} sentence must be text. Received: {sentence!r}"
                )
    left, right = (tuple(map(str, table[:, place])) for place in places)
    return left, right
