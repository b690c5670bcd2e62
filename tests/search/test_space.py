"""What is searched: the specifications, the defaults of tasks and models, what was given."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abcnn.errors import InputError
from abcnn.network_config import MODEL_OPTIONS
from abcnn.search.space import (
    Choices,
    Range,
    drawn_values,
    parse_dimension,
    search_space,
    start_of,
)
from abcnn.search.values import NUMBERS, SEARCHABLE, WHOLE, text_of, value_of
from abcnn.tasks import TASKS
from abcnn.training.options import TrainingOptions
from abcnn.training.presets import preset

finite = st.floats(allow_nan=False, allow_infinity=False)


def options_of(task, model, **others):
    return TrainingOptions(model=model, **others).for_task(TASKS[task])


def two(numbers):
    """Two different ones, the lower first."""
    return st.lists(numbers, min_size=2, max_size=2, unique=True).map(sorted)


@given(st.sampled_from(sorted(NUMBERS)), two(finite), two(st.integers()), st.booleans())
def test_a_range_is_read_as_it_is_written(name, numbers, integers, log):
    low, high = integers if name in WHOLE else numbers
    wanted = Range(low, high, log=log and low > 0, whole=name in WHOLE)
    assert parse_dimension(f"{name}={wanted}") == (name, wanted)
    assert parse_dimension(f"{name.replace('_', '-')}={wanted}") == (name, wanted)


@given(st.sampled_from(sorted(NUMBERS - WHOLE)), st.lists(finite, min_size=2, unique_by=str))
def test_choices_are_read_as_they_are_written(name, numbers):
    wanted = Choices(tuple(map(str, numbers)))
    assert parse_dimension(f"{name}={wanted}") == (name, wanted)


@given(st.one_of(st.text(), st.builds("{}={}".format, st.sampled_from(SEARCHABLE), st.text())))
def test_anything_else_is_told_in_one_line(spec):
    try:
        name, dimension = parse_dimension(spec)
    except InputError as error:
        said = str(error)
    else:
        assert parse_dimension(f"{name}={dimension}") == (name, dimension)
        return
    assert said.startswith("`--search` must be ")
    assert said.endswith(f"Received: {spec!r}")
    assert "\n" not in said


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("filters", "NAME=low..high, NAME=low..high:log or NAME=a|b|c"),
        ("seed=1|2", "NAME=... with a NAME among conv_layers, filters, "),
        ("filters=50", "filters=a|b|c or filters=low..high"),
        ("cell=gru", "cell=a|b|c."),
        ("cell=gru..lstm", "cell=a|b|c: a range is of numbers"),
        ("filters=2..5.5", "filters=low..high, both of them a whole number"),
        ("width=2,3..4", "width=low..high, both of them "),
        ("l2=a..b", "l2=low..high, both of them a number"),
        ("l2=0..inf", "l2=low..high, both of them a number"),
        ("l2=1..0.1", "l2=low..high with low below high"),
        ("l2=0..1:log", "l2=low..high:log with low above 0"),
        ("l2=1..2:lin", "l2=low..high or l2=low..high:log"),
        ("joint=true|no", "joint=a|b|c, each of them true or false"),
        ("filters=8|8", "filters=a|b|c, each of them once"),
    ],
)
def test_what_was_expected_of_a_bad_one(spec, expected):
    with pytest.raises(InputError) as caught:
        parse_dimension(spec)
    assert str(caught.value).startswith(f"`--search` must be {expected}")


def test_every_value_has_a_text():
    defaults = TrainingOptions(
        width=3, max_length=9, match_score="dot", scores=("dot",), loss="mse"
    )
    defaults = replace(defaults, features=(), learning_rate=0.1, train_vectors=True)
    for name in SEARCHABLE:
        value = getattr(defaults, name)
        assert value_of(name, text_of(value)) == value
    assert value_of("width", text_of((2, 3))) == (2, 3)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("model", MODEL_OPTIONS)
@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_all_that_is_searched_by_default_may_be_trained(task, model, data):
    if (task, model) == ("similarity", "seq2seq"):
        return
    options = options_of(task, model)
    space = search_space(TASKS[task], options)
    start = start_of(space, options)
    assert drawn_values(space, start) == {name: getattr(options, name) for name in space}
    drawn = {name: data.draw(values_in(dimension)) for name, dimension in space.items()}
    replace(options, **drawn_values(space, drawn)).for_task(TASKS[task])


def values_in(dimension):
    if isinstance(dimension, Choices):
        return st.sampled_from(dimension.values)
    numbers = st.integers if dimension.whole else st.floats
    return numbers(dimension.low, dimension.high)


def test_a_model_has_the_options_that_it_reads():
    assert {"filters", "width", "conv_layers", "match_score", "comparison"} <= {
        *search_space(TASKS["paraphrase"], options_of("paraphrase", "abcnn-3"))
    }
    assert "match_score" not in search_space(TASKS["paraphrase"], options_of("paraphrase", "bcnn"))
    average = search_space(TASKS["paraphrase"], options_of("paraphrase", "average"))
    dropouts = ("vector_dropout", "score_dropout", "word_dropout")
    assert [*average] == ["learning_rate", "l2", *dropouts, "comparison"]
    ranked = search_space(TASKS["answer-selection"], options_of("answer-selection", "average"))
    assert ranked["loss"] == Choices(("listwise", "pairwise", "hard-negative", "pointwise"))


def test_what_was_given_is_not_searched_and_narrows_the_rest():
    task = TASKS["answer-selection"]
    options = options_of(task.name, "abcnn-3", loss="pointwise", class_weight="balanced")
    given = {"model", "class_weight", "filters"}
    space = search_space(task, options, given, ["width=2|4", "batch_size=16..64:log"])
    assert not given & set(space)
    assert "loss" not in space  # Only one goes with class weights.
    assert space["width"] == Choices(("2", "4"))
    assert space["batch_size"] == Range(16, 64, log=True, whole=True)
    several = options_of(task.name, "abcnn-3", width=(2, 3))
    assert "width" not in search_space(task, several)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (["l2=0..1"], "`l2` must be given or searched. Received: both, with `--search l2=0..1`"),
        (["filters=2|4", "filters=5|6"], "`--search` must name an option once. Received: filters "),
        (["heads=2|8"], "`heads` must be 4 with abcnn-3, which does not read it"),
        (["vector_dropout=0..1.5"], "`vector_dropout` must be at least 0 and below 1. Received: 1"),
        (["optimizer=adam|eve"], "`optimizer` must be one of adam, adamw, adagrad, sgd. Received"),
        (["loss=pointwise|mse"], "`loss` must be one of listwise, pairwise, hard-negative, "),
    ],
)
def test_what_no_trial_may_have_is_refused(asked, message):
    options = options_of("answer-selection", "abcnn-3")
    with pytest.raises(InputError) as caught:
        search_space(TASKS["answer-selection"], options, {"l2"}, asked)
    assert str(caught.value).startswith(message)


def test_when_all_was_given_nothing_is_left():
    with pytest.raises(InputError, match="must name what to search"):
        search_space(TASKS["paraphrase"], options_of("paraphrase", "average"), SEARCHABLE)


@pytest.mark.parametrize("name", ["paper", "best"])
@pytest.mark.parametrize("task", ["answer-selection", "paraphrase", "entailment"])
def test_a_preset_is_where_the_search_starts(name, task):
    values = preset(name, TASKS[task], model="abcnn-3", conv_layers=2)
    options = TrainingOptions(conv_layers=2, **values).for_task(TASKS[task])
    space = search_space(TASKS[task], options)
    assert drawn_values(space, start_of(space, options)) == {
        name: getattr(options, name) for name in space
    }


@given(two(finite), st.data())
def test_a_number_of_few_digits_lies_in_the_range(ends, data):
    low, high = ends
    number = data.draw(st.floats(low, high))
    value = drawn_values({"l2": Range(low, high)}, {"l2": number})["l2"]
    assert low <= value <= high
