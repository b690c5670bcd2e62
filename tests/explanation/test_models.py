"""Every model of the table is explained: whose words its matrices stand for, and what they hold."""

from __future__ import annotations

import io

import numpy as np
import pytest
from rich.console import Console

from abcnn.explanation import explain
from abcnn.explanation.page import page
from abcnn.explanation.picture import draw
from abcnn.explanation.records import NO_ATTENTION
from abcnn.explanation.terminal import show
from abcnn.models import MODELS
from tests.explanation.untrained import with_network

LEFT, RIGHT = "It rained . Who wrote it ?", "It was never written by them . Ever"
SMALL = {"filters": 3, "hidden_dim": 8, "heads": 2, "max_sentences": 3}


def heads_of(side: str, other: str) -> list[str]:
    return [
        *(f"block_1, self_attention, head {head}, {side} sentence" for head in (1, 2)),
        *(f"block_1, cross_attention, head {head}{other}" for head in (1, 2)),
    ]


TITLES: dict[str, list[str]] = {
    "average": [],
    "bcnn": [],
    "abcnn-1": ["block_1, input"],
    "abcnn-2": ["block_1, pooling"],
    "abcnn-3": ["block_1, input", "block_1, pooling"],
    "decomposable": ["attend_compare", "attend_compare, right over left"],
    "transformer": [*heads_of("left", ""), *heads_of("right", ", right over left")],
    "siamese-rnn": [],
    "conditional-rnn": [],
    "attentive-rnn": ["attend, right over left"],
    "hierarchical": ["attend, left sentence", "attend, right sentence"],
    "seq2seq": ["attend, right over left"],
}


def explanation_of(trained, **changes):
    matcher = trained("paraphrase").matcher
    [end] = matcher.encoder.vocabulary.encode(["."])
    return explain(with_network(matcher, sentence_ends=(int(end),), **SMALL | changes), LEFT, RIGHT)


@pytest.mark.parametrize("model", MODELS)
def test_a_model_of_the_table(model, trained):
    """Its matrices; rows of a softmax sum to 1; the products sum to the logit, all or in brief."""
    explanation = explanation_of(trained, model=model)
    assert [one.title for one in explanation.attentions] == TITLES[model]
    for one in explanation.attentions:
        assert one.matrix.shape == (len(one.rows), len(one.columns))
        if not model.startswith("abcnn"):
            np.testing.assert_allclose(one.matrix.sum(axis=1), 1, atol=1e-5)
        if (model, one.name) not in (("abcnn-2", "pooling"), ("abcnn-3", "pooling")):
            words = [(word,) for word in explanation.tokens(one.columns.side)]
            assert list(explanation.words(one.columns)) == words
    [logit] = explanation.logits
    for each in (logit, logit.brief()):
        total = np.sum([part.product for part in each.contributions], dtype=np.float64)
        assert total == pytest.approx(logit.value, abs=1e-5)
    stream = io.StringIO()
    show(explanation, Console(file=stream, width=100, highlight=False))
    assert (NO_ATTENTION in stream.getvalue()) == (not TITLES[model])


def test_a_decoder_reads_before_each_word_and_before_the_end(trained):
    [attention] = explanation_of(trained, model="seq2seq").attentions
    assert attention.rows.spans == (*((place, place + 1) for place in range(8)), (8, 8))
    assert len(attention.columns) == 7


def test_the_rows_of_a_document_are_its_sentences(trained):
    explanation = explanation_of(trained, model="hierarchical")
    left, right = explanation.attentions
    assert explanation.words(left.rows) == (("It", "rained", "."), ("Who", "wrote", "it", "?"))
    assert right.rows.spans == ((0, 7), (7, 8))
    for one in (left, right):
        assert one.row_weights.sum() == pytest.approx(1, abs=1e-5)
        for row, (start, stop) in zip(one.matrix, one.rows.spans, strict=True):
            assert np.flatnonzero(row).tolist() == list(range(start, stop))


def test_two_sentences_read_as_one(trained):
    explanation = explanation_of(trained, model="transformer", joint=True)
    first, second = explanation.attentions
    assert second.title == "block_1, self_attention, head 2, both sentences"
    joined = [*LEFT.split(), "[SEP]", *RIGHT.split()]
    assert [word for (word,) in explanation.words(first.rows)] == joined
    assert first.matrix.shape == (16, 16)


@pytest.mark.parametrize("attention", ["local-monotonic", "hard"])
def test_both_directions_of_a_reader(attention, trained):
    explanation = explanation_of(
        trained, model="attentive-rnn", attention=attention, both_directions=True, window=1
    )
    forward, backward = explanation.attentions
    assert (forward.title, backward.title) == ("attend, right over left", "attend")
    assert (forward.matrix.shape, backward.matrix.shape) == ((8, 7), (7, 8))
    near = np.abs(np.arange(7)[:, None] - np.arange(8)) <= 1
    if attention == "hard":
        assert set(np.unique(backward.matrix)) == {0, 1}
    else:
        assert (backward.matrix[~near] == 0).all()


def test_hidden_units_are_named_and_the_weak_ones_are_drawn_as_one(trained):
    explanation = explanation_of(trained, model="decomposable", hidden_dim=12)
    [logit] = explanation.logits
    names = [part.name for part in logit.contributions]
    assert names[:2] == ["hidden unit 1, aggregate_2", "hidden unit 2, aggregate_2"]
    brief = [part.name for part in logit.brief().contributions]
    assert len(brief) == len(names) - 6
    assert brief[5] == "7 other hidden units"
    assert brief[6:] == names[12:]


def test_pooled_attention_and_a_second_network(trained):
    """Pooled entries are one contribution a block; the rests have matrices over their own words."""
    explanation = explanation_of(
        trained, model="abcnn-3", conv_layers=2, pooled_attention=4, rest_network=True, width=3
    )
    titles = [one.title for one in explanation.attentions]
    blocks = [f"{start}block_{n}" for start in ("", "rest_") for n in (1, 2)]
    assert sorted(titles) == sorted(f"{b}, {name}" for b in blocks for name in ("input", "pooling"))
    found = {one.title: one for one in explanation.attentions}
    assert explanation.rests[0] == ("rained", "Who", "wrote", "?")
    assert explanation.rests[1] == ("was", "never", "written", "by", "them", "Ever")
    for title, one in found.items():
        rest = "_rest" if title.startswith("rest") else ""
        assert (one.rows.side, one.columns.side) == (f"left{rest}", f"right{rest}")
        assert one.matrix.shape == (len(one.rows), len(one.columns))
    first, second = found["rest_block_1, input"], found["rest_block_2, input"]
    assert explanation.words(first.rows) == (("rained",), ("Who",), ("wrote",), ("?",))
    # A unit of the second block is a window of phrases of the rest's own words.
    assert second.rows.spans == ((0, 3), (0, 4), (0, 4), (1, 4))
    assert found["block_2, input"].rows.spans[4] == (2, 7)
    [logit] = explanation.logits
    names = [part.name for part in logit.contributions]
    assert [name for name in names if "pooled" in name] == [
        f"pooled attention, {block}" for block in blocks
    ]
    assert "euclidean similarity, rest_average" in names
    total = np.sum([part.product for part in logit.contributions], dtype=np.float64)
    assert total == pytest.approx(logit.value, abs=1e-5)
    assert "Rows: the rest of the left sentence, columns: that of the right" in page([explanation])
    draw(explanation, stream := io.BytesIO(), "svg")
    assert b"rest_block_2" in stream.getvalue()
    show(explanation, Console(file=(text := io.StringIO()), width=100))
    assert "rest_block_1" in text.getvalue()
    assert explanation.to_dict()["attentions"][-1]["rows"]["units"]


def test_two_networks_of_several_widths(trained):
    """Each tower reads the words anew, and each network its own."""
    explanation = explanation_of(
        trained, model="abcnn-1", conv_layers=1, pooled_attention=2, rest_network=True, width=(2, 3)
    )
    blocks = [f"{start}block_1_width_{n}" for start in ("", "rest_") for n in (2, 3)]
    assert sorted(one.title for one in explanation.attentions) == sorted(
        f"{block}, input" for block in blocks
    )
    assert all(
        stop - start == 1 for one in explanation.attentions for start, stop in one.rows.spans
    )
    [logit] = explanation.logits
    names = [part.name for part in logit.contributions]
    assert [name for name in names if "pooled" in name] == [
        f"pooled attention, {block}" for block in blocks
    ]
    total = np.sum([part.product for part in logit.contributions], dtype=np.float64)
    assert total == pytest.approx(logit.value, abs=1e-5)


def test_the_picture_and_the_page_of_one(trained):
    explanation = explanation_of(trained, model="transformer", depth=1)
    stream = io.BytesIO()
    draw(explanation, stream, "png")
    assert stream.getvalue().startswith(b"\x89PNG")
    html = page([explanation])
    assert "Rows and columns: the right sentence" in html
    assert html.count('type="radio"') == len(explanation.attentions)
