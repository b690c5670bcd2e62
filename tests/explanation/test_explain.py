"""What is told of a pair, against what the network and plain loops say."""

from __future__ import annotations

import json

import keras
import numpy as np
import pytest
from keras import ops

from abcnn.errors import InputError
from abcnn.explanation import Explainer, explain
from abcnn.explanation.graph import NetworkView
from abcnn.explanation.occlusion import occlusion
from abcnn.layers import AttentionMap, AttentionMatrix
from abcnn.tasks import TASKS
from tests.explanation.untrained import with_network

LEFT, RIGHT = "The doctor wrote it", "It was never written by the old doctor"


@pytest.mark.parametrize("task", TASKS)
def test_the_products_sum_to_the_logit_of_the_network(trained, task):
    matcher = trained(task).matcher
    explanation = explain(matcher, LEFT, RIGHT)
    logits = matcher.logits(matcher.encoder([LEFT], [RIGHT]))[0]
    said = matcher.predict([(LEFT, RIGHT)])
    assert len(explanation.logits) == len(logits)
    for logit, of_network in zip(explanation.logits, logits, strict=True):
        total = np.sum([part.product for part in logit.contributions], dtype=np.float64)
        assert total == pytest.approx(logit.value, abs=1e-6 * max(1, abs(logit.value)))
        assert logit.value == pytest.approx(of_network, abs=1e-5)
    assert explanation.score == pytest.approx(said.scores[0], abs=1e-6)
    assert [explanation.label] == (said.label_names or [None])
    assert explanation.probabilities == pytest.approx(said.probabilities[0], abs=1e-6)


def test_the_names_of_what_is_weighed(trained):
    matcher = with_network(trained("entailment").matcher, conv_layers=2)
    parts = explain(matcher, LEFT, RIGHT).logits[0].contributions
    blocks = ("average", "block_1", "block_2")
    scores = [f"{kind} similarity, {b}" for b in blocks for kind in ("cosine", "euclidean")]
    assert [part.name for part in parts] == [*scores, *matcher.encoder.features.names, "bias"]
    raw = {part.name: part.raw for part in parts}
    assert raw["left_length"] == 4
    assert raw["right_length"] == 8
    assert raw["bias"] is None


def test_the_comparisons_of_a_block_are_one_contribution_each(trained):
    matcher = with_network(trained("entailment").matcher, comparison=("product", "difference"))
    explanation = explain(matcher, LEFT, RIGHT)
    scores = [f"{kind} similarity, {block}" for block in BLOCKS for kind in ("cosine", "euclidean")]
    compared = [f"{name}, {block}" for block in BLOCKS for name in ("product", "difference")]
    for output, logit in enumerate(explanation.logits):
        parts = {part.name: part for part in logit.contributions}
        assert [*parts][: len(scores + compared)] == [*scores, *compared]
        total = sum(part.product for part in logit.contributions)
        assert total == pytest.approx(logit.value, abs=1e-5)
        left, right = (mean_vector(matcher, text) for text in (LEFT, RIGHT))
        kernel = matcher.weights["logits/kernel"][len(scores) :, output].astype(np.float64)
        assert parts["product, average"].product == pytest.approx(
            kernel[:8] @ (left * right), abs=1e-6
        )
        assert parts["difference, average"].product == pytest.approx(
            kernel[8:16] @ np.abs(left - right), abs=1e-6
        )


BLOCKS = ("average", "block_1")


def mean_vector(matcher, text):
    vectors = matcher.weights["vectors/embeddings"].astype(np.float64)
    ids = matcher.encoder.vocabulary.encode(matcher.encoder.tokenizer(text))
    return vectors[ids].mean(axis=0)


def test_attention_over_words_is_that_of_the_word_vectors(trained):
    matcher = trained("paraphrase").matcher
    attention = explain(matcher, LEFT, RIGHT).attentions[0]
    table = matcher.network.get_layer("vectors").get_weights()[0].astype(np.float64)
    left, right = (
        table[matcher.encoder.vocabulary.encode(matcher.encoder.tokenizer(text))]
        for text in (LEFT, RIGHT)
    )
    expected = [[1 / (1 + np.linalg.norm(x - y)) for y in right] for x in left]
    assert (attention.layer, attention.name, attention.head) == ("block_1", "input", None)
    np.testing.assert_allclose(attention.matrix, expected, atol=1e-5)
    assert attention.row_weights is None


def test_attention_over_phrases_has_the_weights_of_the_pooling(trained):
    matcher = trained("paraphrase").matcher
    explanation = explain(matcher, LEFT, RIGHT)
    pooling = explanation.attentions[1]
    assert pooling.title == "block_1, pooling"
    assert matcher.config.width == 3
    assert pooling.matrix.shape == (6, 10)
    np.testing.assert_allclose(pooling.row_weights, pooling.matrix.sum(axis=1), rtol=1e-6)
    np.testing.assert_allclose(pooling.column_weights, pooling.matrix.sum(axis=0), rtol=1e-6)
    assert explanation.words(pooling.rows) == (
        ("The",),
        ("The", "doctor"),
        ("The", "doctor", "wrote"),
        ("doctor", "wrote", "it"),
        ("wrote", "it"),
        ("it",),
    )


def test_units_of_a_second_block_reach_as_far_as_both_blocks(trained):
    """Width 2: an output unit is a window of two phrases of two words, so three words."""
    for width, end in ((2, ""), ((4, 2), "_width_2")):
        matcher = with_network(trained("paraphrase").matcher, conv_layers=2, width=width)
        explanation = explain(matcher, "a b c d", "e f g")
        of_block = {one.title: one for one in explanation.attentions}
        one, other = (of_block[f"block_2{end}, {name}"] for name in ("input", "pooling"))
        assert one.rows.spans == ((0, 2), (0, 3), (1, 4), (2, 4))
        assert other.columns.spans == ((0, 2), (0, 3), (0, 3), (1, 3))
        assert other.matrix.shape == (5, 4)
    names = [part.name for part in explanation.logits[0].contributions][:5]
    blocks = [f"block_{number}_width_{width}" for width in (4, 2) for number in (1, 2)]
    assert names == [f"euclidean similarity, {block}" for block in ("average", *blocks)]
    total = sum(part.product for part in explanation.logits[0].contributions)
    assert total == pytest.approx(explanation.logits[0].value, abs=1e-5)


@pytest.mark.parametrize(
    ("model", "names"),
    [("bcnn", []), ("abcnn-1", ["input"]), ("abcnn-2", ["pooling"])],
)
def test_a_model_shows_the_attention_that_it_has(trained, model, names):
    matcher = with_network(trained("answer-selection").matcher, model=model)
    explanation = explain(matcher, LEFT, RIGHT)
    assert [one.name for one in explanation.attentions] == names
    assert explanation.logits[0].contributions


@keras.saving.register_keras_serializable(package="test")
class TwoHeads(keras.layers.Layer):
    """Self-attention with two heads, the second the opposite of the first."""

    def call(self, units, mask=None):
        return units + 0 * self.attentions(units)[0].matrix[:, 0] @ units

    def attentions(self, units, mask=None):
        matrix = units @ ops.transpose(units, (0, 2, 1))
        heads = ops.stack([matrix, -matrix], axis=1)
        return (AttentionMap("self", heads, rows="own", columns="own"),)


def test_any_layer_joins_with_heads_and_for_one_sentence():
    left, right = keras.Input((None, 3), name="left"), keras.Input((None, 3), name="right")
    attend = TwoHeads(name="reader")
    across = AttentionMatrix("dot", name="across")(attend(left), attend(right, mask=None))
    network = keras.Model([left, right], ops.sum(across, axis=(1, 2))[:, None])
    generator = np.random.default_rng(0)
    values = [generator.normal(size=(1, length, 3)).astype("float32") for length in (2, 4)]
    _, _, found = NetworkView(network)(values)
    assert [(one.layer, one.map.rows, one.map.columns) for one in found] == [
        ("reader", "left", "left"),
        ("reader", "right", "right"),
        ("across", "left", "right"),
    ]
    heads = ops.convert_to_numpy(found[1].map.matrix)[0]
    np.testing.assert_allclose(heads[0], values[1][0] @ values[1][0].T, rtol=1e-5)
    np.testing.assert_array_equal(heads[1], -heads[0])
    assert NetworkView(network).weighed_parts(["x"]) == []


def test_a_word_left_out_is_the_pair_without_it(trained):
    matcher = trained("paraphrase").matcher
    left, right = LEFT.split(), RIGHT.split()
    explanation = explain(matcher, LEFT, RIGHT)
    whole = matcher.predict([(LEFT, RIGHT)]).scores[0]
    without = [" ".join(right[:n] + right[n + 1 :]) for n in range(len(right))]
    scores = matcher.predict([(LEFT, text) for text in without]).scores
    np.testing.assert_allclose(explanation.right.changes, scores - whole, atol=1e-6)
    assert explanation.left.changes.shape == (len(left),)
    assert np.abs(explanation.right.changes).max() > 1e-4


def test_occlusion_of_a_score_that_counts():
    """The score is 10 times the left words less the right ones."""

    def score(lefts, rights):
        return np.array([10.0 * len(a) - len(b) for a, b in zip(lefts, rights, strict=True)])

    left, right = occlusion(["a", "b"], ["c"], score)
    np.testing.assert_array_equal(left, [-10, -10])
    np.testing.assert_array_equal(right, [np.nan])


def test_what_the_network_does_not_read_is_known(trained):
    matcher = trained("entailment").matcher
    most = matcher.encoder.max_length
    explanation = explain(matcher, "word " * (most + 3), "unseeable word")
    assert (len(explanation.left.tokens), explanation.left.read) == (most + 3, most)
    assert explanation.attentions[0].matrix.shape == (most, 2)
    assert explanation.attentions[1].rows.spans[-1] == (most - 1, most)
    assert explanation.right.known[0] is False


@pytest.mark.parametrize("pair", [("", "word"), ("word", " \u200b")])
def test_a_sentence_without_a_word_is_refused(trained, pair):
    with pytest.raises(InputError, match=r"`(left|right)` must hold a word. Received: '"):
        explain(trained("paraphrase").matcher, *pair)


def test_as_json(trained):
    explain_pair = Explainer(trained("entailment").matcher)
    explanation = explain_pair("שלום", RIGHT)
    record = json.loads(json.dumps(explanation.to_dict(), allow_nan=False))
    assert record["left"] | {"known": None} == {
        "text": "שלום",
        "tokens": ["שלום"],
        "known": None,
        "read": 1,
        "score_change_without": [None],
    }
    first, second = record["attentions"]
    assert first["rows"]["units"] == ["שלום"]
    assert first["columns"]["units"] == RIGHT.split()
    assert second["columns"]["units"][1] == "It was"
    assert second["columns"]["weights"] == pytest.approx(np.sum(second["matrix"], axis=0))
    assert set(record["probabilities"]) == set(explanation.labels)
    for logit in record["logits"]:
        total = sum(part["product"] for part in logit["contributions"])
        assert total == pytest.approx(logit["logit"], abs=1e-6)
