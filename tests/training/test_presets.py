"""The paper's table of options, and what overrules it."""

from __future__ import annotations

import pytest

from abcnn.commands.train import command
from abcnn.commands.training_options import chosen_options
from abcnn.errors import InputError
from abcnn.network_config import MODEL_OPTIONS
from abcnn.tasks import TASKS
from abcnn.training.options import TrainingOptions
from abcnn.training.presets import preset, preset_model


def test_the_paper_has_no_recipe_for_grades():
    with pytest.raises(InputError, match=r"paper is for .* Received: the task similarity"):
        preset("paper", TASKS["similarity"], model="abcnn-3", conv_layers=1)


@pytest.mark.parametrize(
    ("task", "model", "layers", "expected"),
    [
        ("answer-selection", "abcnn-3", 1, (0.05, 4, 0.0003)),
        ("answer-selection", "abcnn-1", 2, (0.085, 4, 0.0006)),
        ("paraphrase", "abcnn-2", 1, (0.085, 3, 0.0001)),
        ("paraphrase", "abcnn-3", 2, (0.055, 3, 0.0005)),
        ("entailment", "abcnn-2", 1, (0.09, 3, 0.00065)),
        ("entailment", "abcnn-1", 1, (0.08, 3, 0.0006)),
    ],
)
def test_values_of_the_table(task, model, layers, expected):
    named = preset("paper", TASKS[task], model=model, conv_layers=layers)
    assert (named["learning_rate"], named["width"], named["l2"]) == expected
    options = TrainingOptions(model=model, conv_layers=layers, **named).for_task(TASKS[task])
    assert (options.optimizer, options.loss, options.refit) == ("adagrad", "pointwise", "logistic")
    assert options.layerwise


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("model", ["bcnn", "abcnn-1", "abcnn-2", "abcnn-3"])
@pytest.mark.parametrize("task", ["answer-selection", "paraphrase", "entailment"])
def test_the_paper_pools_attention_for_paraphrase_and_reads_rests_for_entailment(
    task, model, layers
):
    named = preset("paper", TASKS[task], model=model, conv_layers=layers)
    options = TrainingOptions(model=model, conv_layers=layers, **named).for_task(TASKS[task])
    assert named.get("both_orders", False) == (task == "paraphrase")
    pooled = 10 if task == "paraphrase" and model != "bcnn" else 0
    assert (options.pooled_attention, options.rest_network) == (pooled, task == "entailment")


def test_no_preset_is_no_option():
    assert preset("none", TASKS["paraphrase"], model="bcnn", conv_layers=9) == {}


def test_a_model_without_a_row_is_told_with_those_that_have_one():
    with pytest.raises(InputError, match=r"among bcnn with 1, .*Received: average with 1"):
        preset("paper", TASKS["paraphrase"], model="average", conv_layers=1)


@pytest.mark.parametrize("task", TASKS.values(), ids=lambda task: task.name)
@pytest.mark.parametrize("model", MODEL_OPTIONS)
def test_best_is_for_every_task_and_model(task, model):
    if task.graded and model == "seq2seq":
        pytest.skip("it has no such task")
    TrainingOptions(model=model, **preset("best", task, model=model, conv_layers=1)).for_task(task)


def test_single_options_overrule_it():
    line = ["paraphrase", "--train", "x", "--out", "o", "--preset", "paper", "--l2", "0.5"]
    context = command.make_context("train", [*line, "--width", "2", "--features", "none"])
    options = TrainingOptions(**chosen_options(context, TASKS["paraphrase"], context.params))
    assert (options.learning_rate, options.width, options.l2) == (0.05, 2, 0.5)
    assert (options.features, options.optimizer, options.layerwise) == ((), "adagrad", True)


@pytest.mark.parametrize("task", TASKS.values(), ids=lambda task: task.name)
def test_best_brings_its_model_where_none_is_asked_for(task):
    def chosen(*options):
        line = [task.name, "--train", "x", "--out", "o", *options]
        context = command.make_context("train", line)
        return chosen_options(context, task, context.params)

    best = preset_model("best", task)
    assert chosen("--preset", "best")["model"] == best
    assert chosen("--preset", "best", "--model", "abcnn-3")["model"] == "abcnn-3"
    # What is asked for counts, though it is the default; so do the preset's options of its model.
    options = preset("best", task, model="average", conv_layers=1)
    assert chosen("--preset", "best", "--model", "average").items() >= options.items()
    assert chosen()["model"] == TrainingOptions().model


@pytest.mark.parametrize("name", ["paper", "best"])
@pytest.mark.parametrize("task", ["answer-selection", "paraphrase", "entailment"])
def test_what_a_preset_switches_on_can_be_switched_off(name, task):
    switched = {
        option
        for option, value in preset(name, TASKS[task], model="abcnn-3", conv_layers=1).items()
        if value is True
    }
    off = {one.name: one.secondary_opts for one in command.params if one.name in switched}
    assert off.keys() == switched
    line = [task, "--train", "x", "--out", "o", "--preset", name]
    context = command.make_context("train", [*line, *(flags[0] for flags in off.values())])
    chosen = chosen_options(context, TASKS[task], context.params)
    assert not any(chosen[option] for option in switched)


def test_several_widths_on_the_command_line():
    line = ["paraphrase", "--train", "x", "--out", "o", "--width"]

    def width_of(text):
        context = command.make_context("train", [*line, text])
        return chosen_options(context, TASKS["paraphrase"], context.params)["width"]

    assert (width_of("3"), width_of("2,3,4")) == (3, (2, 3, 4))
    for text in ("wide", "2,", "2;3"):
        with pytest.raises(InputError, match=r"`width` must be one number or several divided by"):
            width_of(text)
