"""Values to words: what a command makes of the words are the values again."""

from __future__ import annotations

import shlex

import click
from hypothesis import given
from hypothesis import strategies as st

from abcnn.commands.command_line import command_line
from abcnn.commands.train import command as train
from abcnn.commands.training_options import option_values
from abcnn.network_config import COMPARISONS
from abcnn.training.options import CHOICES, SIMILARITY_SCORES, TrainingOptions

whole = st.integers(-(10**6), 10**6)
number = st.floats(allow_nan=False)
path = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1)
some = {
    "filters": whole,
    "width": whole | st.lists(whole, min_size=2).map(tuple),
    "max_length": whole,
    "learning_rate": number,
    "l2": number,
    "vector_dropout": number,
    "train_vectors": st.booleans(),
    "share_weights": st.booleans(),
    "lowercase": st.booleans(),
    "comparison": st.sets(st.sampled_from(COMPARISONS)).map(tuple),
    "scores": st.sets(st.sampled_from(SIMILARITY_SCORES)).map(tuple),
    "match_score": st.sampled_from(CHOICES["match_score"]),
    "grade_range": st.tuples(number, number),
    "seed": whole,
}


@given(
    st.fixed_dictionaries({}, optional=some),
    path,
    st.lists(path, max_size=2).map(tuple),
    st.none() | st.lists(st.sampled_from("abc"), min_size=1),
)
def test_a_command_reads_the_values_again(options, file, vectors, columns):
    values = {"task": "paraphrase", "train_file": file, "out": "o", "vectors": vectors} | options
    line = command_line(train, values | {"columns": columns})
    program, name, *words = shlex.split(line)
    assert (program, name) == ("abcnn", "train")
    found: dict = {}
    reads = click.Command("train", params=train.params, callback=lambda **read: found.update(read))
    reads.main(words, standalone_mode=False)
    assert (found["train_file"], found["vectors"]) == (file, vectors)
    assert found["columns"] == columns
    defaults = {name: getattr(TrainingOptions(), name) for name in options}
    assert {name: option_values(found)[name] for name in options} == defaults | options
