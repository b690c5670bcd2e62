"""From the words of `--features` to names, with what cannot be computed here left out aloud."""

from __future__ import annotations

import pytest

from abcnn.errors import InputError
from abcnn.features.catalogue import FEATURES, GROUPS
from abcnn.features.choice import choose_features, known_features
from abcnn.tasks import TASKS


def chosen(words, *, paper=(), labelled=True):
    messages = []
    names = choose_features(words, paper=paper, labelled=labelled, on_message=messages.append)
    return names, messages


def test_names_and_groups_keep_their_order_and_stand_once():
    assert list(known_features(("right_rest", "lexical", "left_rest"), ())) == [
        "right_rest",
        *(name for name in GROUPS["lexical"] if name != "right_rest"),
    ]


def test_every_feature_is_in_one_group_and_says_what_it_is():
    assert sorted(name for group in GROUPS.values() for name in group) == sorted(FEATURES)
    for name, feature in FEATURES.items():
        compute = feature.compute
        while hasattr(compute, "func"):  # of a partial: the measure
            compute = compute.args[0] if compute.args else compute.func
        assert compute.__doc__, name


@pytest.mark.parametrize("task", TASKS)
def test_the_papers_features_are_known(task):
    names = known_features(("paper",), TASKS[task].paper)
    assert {"left_length", "right_length"} <= set(names)
    assert known_features(TASKS[task].features, ()).keys() == set(TASKS[task].features)


def test_an_unknown_word_is_told_with_all_known_ones():
    with pytest.raises(
        InputError, match=r"must be among none, paper, lexical, .*Received: 'shape'"
    ):
        known_features(("lexical", "shape"), ())


def test_a_group_is_cut_to_what_can_be_computed_with_a_message(no_wordnet):
    names, messages = chosen(("relations", "translation"), labelled=False)
    lacking = {"left_meteor", "right_meteor", *GROUPS["relations"]}
    assert names == tuple(name for name in GROUPS["translation"] if name not in lacking)
    assert len(messages) == 2
    assert "without an English WordNet (python -m wn download oewn:2024" in messages[0]
    assert messages[0].endswith(
        ": synonyms, left_hypernyms, right_hypernyms, left_meteor, right_meteor"
    )
    assert messages[1].endswith(": antonyms")


def test_nothing_is_left_out_where_all_is_there(wordnet):
    names, messages = chosen(("relations", "translation"))
    assert (set(names), messages) == ({*GROUPS["relations"], *GROUPS["translation"]}, [])


def test_what_was_asked_for_by_name_must_be_there(no_wordnet):
    with pytest.raises(InputError, match="synonyms cannot be computed without an English WordNet"):
        chosen(("relations", "synonyms"))
    with pytest.raises(InputError, match="antonyms cannot be computed without labels"):
        chosen(("antonyms",), labelled=False)
