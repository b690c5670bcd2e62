"""A teacher: what another model says of the training pairs, as targets to learn from."""

from __future__ import annotations

import numpy as np

from abcnn.errors import InputError
from abcnn.pairs import PairBatch, TeacherScores
from abcnn.readers.grades import Grades, Scale, grade_numbers
from abcnn.tasks import Task
from abcnn.training.options import RANKING_LOSSES, TrainingOptions

_SUM_WITHIN = 0.01  # Probabilities in a file are rounded.


def require_teachable(options: TrainingOptions) -> None:
    """InputError for options under which a teacher's scores have no clear meaning.

    `options` have the task's defaults filled in.
    """
    for name, refused, expected in (
        ("loss", options.loss in RANKING_LOSSES, "pointwise"),
        ("class_weight", options.class_weight != "none", "none"),
        ("refit", options.refit != "none", "none"),
        ("model", options.model == "seq2seq", "another than seq2seq"),
        # Dev has no column of the teacher.
        ("train_on_dev", options.train_on_dev, "False"),
    ):
        if refused:
            raise InputError(
                f"`{name}` must be {expected} with a teacher. Received: {getattr(options, name)!r}"
            )


def teacher_targets(pairs: PairBatch, scale: Scale, task: Task) -> np.ndarray | None:
    """The teacher's scores of the pairs, float32 `(pairs, targets)`; None without a teacher.

    One target: the probability of the last label where there is one logit, or the grade as a share
    of the way from the lowest to the highest. Otherwise a probability a label, in the order of the
    scale, scaled to the sum 1.

    Raises InputError for a missing column, and, with file, row and column, for a value that is no
    number in the range, and probabilities whose sum is not 1.
    """
    if (teacher := pairs.teacher) is None:
        return None
    low, high, expected = 0.0, 1.0, "a probability from 0 to 1"
    wanted = [teacher.column]
    if isinstance(scale, Grades):
        low, high = scale.low, scale.high
        expected = f"a number from {scale}, the range of grades (--range sets another)"
    elif not task.two_labels:
        wanted = [f"{teacher.column}_{label}" for label in scale]
    values = np.stack(
        [_column(pairs, teacher, name, low, high, expected) for name in wanted], axis=1
    )
    if isinstance(scale, Grades):
        return scale.shares(values).astype(np.float32)
    if len(wanted) > 1:
        sums = values.sum(axis=1, keepdims=True)
        if (bad := np.abs(sums[:, 0] - 1) > _SUM_WITHIN).any():
            index = int(np.argmax(bad))
            raise InputError(
                f"{pairs.source}, row {pairs.row(index)}: columns `{'`, `'.join(wanted)}` must "
                f"have the sum 1. Received: {sums[index, 0]:g}"
            )
        values = values / sums
    return values.astype(np.float32)


def _column(
    pairs: PairBatch, teacher: TeacherScores, name: str, low: float, high: float, expected: str
) -> np.ndarray:
    """The numbers of one column, float64 `(pairs,)`, each from `low` to `high`."""
    if name not in teacher.names:
        raise InputError(
            f"{pairs.source}: expected the teacher's column `{name}`. Received: the columns "
            f"{', '.join(teacher.names)}"
        )
    place = teacher.names.index(name)
    cells = [row[place] or "" for row in teacher.rows]
    values = grade_numbers(cells)
    bad = ~((values >= low) & (values <= high))  # NaN, too
    if bad.any():
        index = int(np.argmax(bad))
        received = repr(cells[index]) if cells[index] else "an empty cell"
        raise InputError(
            f"{pairs.source}, row {pairs.row(index)}: column `{name}` must be {expected}. "
            f"Received: {received}"
        )
    return values
