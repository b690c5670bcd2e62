"""What the estimators share: their parameters, and fitting through `abcnn.training`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from inspect import Parameter, Signature
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_consistent_length, check_random_state, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from abcnn.estimators.sentences import sentence_columns
from abcnn.pairs import PairBatch
from abcnn.scoring.predictions import Predictions
from abcnn.tasks import Task
from abcnn.training.options import TrainingOptions
from abcnn.training.split import hold_out

_NOT_HERE = ("seed", "teacher_weight")  # `random_state` is the seed; there is no teacher.
_PARAMETERS: dict[str, Any] = {
    "vectors": None,
    **{
        field.name: field.default
        for field in fields(TrainingOptions)
        if field.name not in _NOT_HERE
    },
    "ensemble": 1,
    "random_state": None,
}

# Objects, since an array of text is as wide as its longest sentence. Rows are named by our own
# check.
_CHECKS: dict[str, Any] = {"dtype": object, "ensure_all_finite": False}


class PairEstimator(BaseEstimator):
    """Parameters: `vectors`, a file of word vectors or several; every option of `TrainingOptions`
    by its name, but for a teacher's; `ensemble`, how many networks are trained whose mean logits
    decide (their seeds follow each other); `random_state` in place of the first seed.

    The signature is made of the options, so that an option of training is one here.
    """

    def __init__(self, **parameters: Any) -> None:
        if unknown := set(parameters) - set(_PARAMETERS):
            raise TypeError(
                f"{type(self).__name__}() got an unexpected keyword argument {min(unknown)!r}"
            )
        for name, default in _PARAMETERS.items():
            setattr(self, name, parameters.get(name, default))

    __init__.__signature__ = Signature(  # type: ignore[attr-defined]
        [
            Parameter("self", Parameter.POSITIONAL_OR_KEYWORD),
            *(
                Parameter(name, Parameter.KEYWORD_ONLY, default=default)
                for name, default in _PARAMETERS.items()
            ),
        ]
    )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.target_tags.required = True
        return tags

    def _fit(self, X: Any, y: Any, task: Task | None, groups: Any = None) -> None:
        """Train on labelled or graded pairs, of which a part is held out for dev.

        Without a task it is chosen by the number of labels.
        """
        from abcnn.tasks import TASKS
        from abcnn.training.run import train

        graded = task is not None and task.graded
        size = {"ensure_min_samples": 2, "ensure_min_features": 2}
        table, y = validate_data(self, X, y, y_numeric=graded, **size, **_CHECKS)
        if not graded:
            check_classification_targets(y)
            self.classes_ = np.unique(y)
        pairs = self._batch(table, y, groups)
        if task is None:
            task = TASKS["paraphrase" if len(self.classes_) <= 2 else "entailment"]
        options = self._options().for_task(task)
        train_pairs, dev_pairs = hold_out(
            pairs,
            share=options.dev_share,
            seed=options.seed,
            by_group=task.ranks,
            graded=task.graded,
        )
        common = {"options": options, "vectors": self.vectors}
        if self.ensemble == 1:
            trained = train(task, train_pairs, dev_pairs, **common)
        else:
            from abcnn.training.ensemble import train_ensemble

            trained = train_ensemble(task, train_pairs, dev_pairs, members=self.ensemble, **common)
        self.matcher_ = trained.matcher
        self.history_ = trained.epochs

    def _options(self) -> TrainingOptions:
        values = {name: _plain(getattr(self, name)) for name in _PARAMETERS}
        del values["vectors"], values["ensemble"]
        state = values.pop("random_state")
        if not isinstance(state, int):
            state = int(check_random_state(state).randint(2**31))
        return TrainingOptions(**values, seed=state)

    def _predict(self, X: Any) -> Predictions:
        check_is_fitted(self, "matcher_")
        return self.matcher_.predict(self._batch(self._table(X)))

    def _table(self, X: Any) -> np.ndarray:
        """An object array `(pairs, columns)`, with the columns that there were in fitting."""
        return validate_data(self, X, reset=False, **_CHECKS)

    def _batch(self, table: np.ndarray, y: Any = None, groups: Any = None) -> PairBatch:
        check_consistent_length(table, y, groups)
        left, right = self._sentences(table)
        return PairBatch(
            left,
            right,
            labels=None if y is None else _names(column_or_1d(y)),
            groups=None if groups is None else _names(column_or_1d(groups)),
            source="<X>",
            label_column="y",
        )

    def _sentences(self, table: np.ndarray) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return sentence_columns(table, getattr(self, "feature_names_in_", None))

    def _by_class(self, predictions: Predictions) -> np.ndarray:
        """Probabilities float64 `(pairs, classes)`, in the order of `classes_`."""
        columns = [predictions.names.index(name) for name in _names(self.classes_)]
        return predictions.probabilities[:, columns]


def _names(values: Sequence | np.ndarray) -> tuple[str, ...]:
    return tuple(str(value) for value in values)


def _plain(value: Any) -> Any:
    """A value of a search as the options have it: no NumPy scalar, no list."""
    if isinstance(value, np.generic):
        return value.item()
    return tuple(value) if isinstance(value, list) else value
