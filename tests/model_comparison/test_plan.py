"""Which models, which options."""

from __future__ import annotations

import pytest

from abcnn.errors import InputError
from abcnn.model_comparison import COMPARED
from abcnn.model_comparison.plan import planned
from abcnn.network_config import MODEL_OPTIONS
from abcnn.tasks import TASKS
from abcnn.training.options import TrainingOptions

TASK = TASKS["entailment"]


def test_every_model_takes_the_budget_and_of_the_rest_what_it_reads():
    given = TrainingOptions(epochs=3, filters=7, hidden_dim=12, heads=3)
    plan = planned(TASK, given, ("bcnn", "transformer"), 2)
    assert [(one.model, one.seed) for one in plan] == [
        ("bcnn", 0),
        ("transformer", 0),
        ("bcnn", 1),
        ("transformer", 1),
    ]
    assert {one.epochs for one in plan} == {3}
    assert [(one.filters, one.hidden_dim, one.heads) for one in plan[:2]] == [
        (7, 100, 4),
        (50, 12, 3),
    ]


def test_all_models_but_those_for_something_else_fit_every_task():
    assert set(MODEL_OPTIONS) - set(COMPARED) == {"seq2seq", "hierarchical"}
    for task in TASKS.values():
        assert len(planned(task, TrainingOptions(), COMPARED, 3)) == 3 * len(COMPARED)


@pytest.mark.parametrize("models", [(), ("bcnn", "bcnn"), ("bcnn", "cnn")])
def test_models_that_are_none(models):
    with pytest.raises(InputError, match=r"^`models` must be one or more of average, "):
        planned(TASK, TrainingOptions(), models, 1)


def test_what_no_model_reads_is_refused():
    with pytest.raises(InputError, match=r"^`heads` must be 4 with average, which does not"):
        planned(TASK, TrainingOptions(heads=2), ("average", "bcnn"), 1)
