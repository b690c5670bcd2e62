"""An ensemble in every place that a matcher of one network goes to."""

import copy
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from abcnn.bundle import load_bundle
from abcnn.bundle.card import model_card
from abcnn.bundle.folder import read_weights
from abcnn.errors import BundleError
from abcnn.explanation import explain
from abcnn.explanation.records import Attention
from abcnn.scoring.predictions import mean_logits
from abcnn.tasks import TASKS
from tests.ensembles import VECTORS, alone, with_members
from tests.explanation.untrained import with_network

PAIRS = [
    ("The doctor wrote it", "It was written by the doctor"),
    ("Who sold the house?", "Nobody did"),
    ("A dog", "It was a dog, was it not?"),
]
LEFT, RIGHT = PAIRS[0]


def test_a_mean_by_hand():
    first, second = np.float32([[1.0, -2.0], [0.5, 3.0]]), np.float32([[2.0, 4.0], [0.5, -1.0]])
    mean = mean_logits([first, second])
    assert mean.dtype == np.float32
    np.testing.assert_array_equal(mean, np.float32([[1.5, 1.0], [0.5, 1.0]]))
    assert mean_logits([first]) is first


@pytest.mark.parametrize("engine", ["fast", "keras"])
@pytest.mark.parametrize("task", TASKS)
def test_its_logits_are_the_mean_of_those_of_its_networks(task, engine, trained):
    matcher = replace(with_members(trained(task).matcher, shared=True), engine=engine)
    encoded = matcher.encode(*zip(*PAIRS, strict=True))
    of_each = np.stack([one.logits(encoded).astype(np.float64) for one in alone(matcher)])
    assert np.ptp(of_each, axis=0).min() > 1e-3
    np.testing.assert_allclose(matcher.logits(encoded), of_each.mean(axis=0), atol=1e-6)


@pytest.mark.parametrize("engine", ["fast", "keras"])
def test_in_both_orders_too_and_so_are_its_explanations(engine, trained):
    one = trained("paraphrase").matcher
    matcher = with_members(one, shared=True)
    matcher = replace(matcher, encoder=replace(one.encoder, both_orders=True), engine=engine)
    given, swapped = (matcher.encode([left], [right]) for left, right in (PAIRS[0], PAIRS[0][::-1]))
    of_each = [member.logits(given) for member in alone(matcher)]
    np.testing.assert_allclose(matcher.logits(given), np.mean(of_each, axis=0), atol=1e-6)
    np.testing.assert_array_equal(matcher.logits(given), matcher.logits(swapped))
    [logit] = explain(matcher, LEFT, RIGHT).logits
    assert logit.value == pytest.approx(matcher.logits(given)[0, 0], abs=1e-5)
    assert sum(part.product for part in logit.contributions) == pytest.approx(logit.value, abs=1e-5)


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("task", TASKS)
def test_the_engines_agree_also_from_a_bundle(task, shared, trained, tmp_path):
    matcher = with_members(trained(task).matcher, shared=shared)
    matcher.save(tmp_path / "bundle")
    fast, reference = (load_bundle(tmp_path / "bundle", engine) for engine in ("fast", "keras"))
    encoded = matcher.encode(*zip(*PAIRS, strict=True))
    np.testing.assert_array_equal(fast.logits(encoded), matcher.logits(encoded))
    np.testing.assert_allclose(fast.logits(encoded), reference.logits(encoded), atol=1e-5)
    again = copy.deepcopy(fast)  # as pickled
    np.testing.assert_array_equal(again.logits(encoded), matcher.logits(encoded))


@pytest.mark.parametrize("shared", [True, False])
def test_shared_word_vectors_are_there_once(shared, trained, tmp_path):
    matcher = with_members(trained("paraphrase").matcher, shared=shared)
    matcher.save(tmp_path / "bundle")
    with zipfile.ZipFile(tmp_path / "bundle" / "weights.npz") as stored:
        names = {name.removesuffix(".npy") for name in stored.namelist()}
    assert {f"member_{number}/{VECTORS}" for number in (2, 3)} & names == (
        set() if shared else {f"member_2/{VECTORS}", f"member_3/{VECTORS}"}
    )
    assert "member_3/logits/kernel" in names
    loaded = load_bundle(tmp_path / "bundle")
    assert len(loaded.members) == 3
    assert {id(one[VECTORS]) for one in loaded.members} == (
        {id(loaded.weights[VECTORS])} if shared else {id(one[VECTORS]) for one in loaded.members}
    )
    assert len({id(one.towers[0].vectors) for one in loaded.folded or ()}) == (1 if shared else 3)


def test_networks_that_are_missing_are_told(trained, tmp_path):
    with_members(trained("paraphrase").matcher, shared=True).save(tmp_path / "bundle")
    with pytest.raises(BundleError, match=r"has no weights member_4/\.\.\., but 4 members"):
        read_weights(tmp_path / "bundle", 4)


def test_it_says_what_it_is(trained):
    matcher = with_members(trained("paraphrase").matcher, shared=True)
    assert matcher.name == "3 x abcnn-3"
    card = model_card(matcher)
    assert "# 3 x abcnn-3 for paraphrase" in card
    assert "the mean of 3 networks: abcnn-3, 1 convolution layer(s)" in card
    assert explain(matcher, LEFT, RIGHT).model == "3 x abcnn-3"


@pytest.mark.parametrize("task", TASKS)
def test_the_products_of_all_networks_sum_to_the_mean_logit(task, trained):
    matcher = with_members(trained(task).matcher, shared=True)
    explanation = explain(matcher, LEFT, RIGHT)
    logits = matcher.logits(matcher.encoder([LEFT], [RIGHT]))[0]
    for logit, of_ensemble in zip(explanation.logits, logits, strict=True):
        total = sum(part.product for part in logit.contributions)
        assert total == pytest.approx(logit.value, abs=1e-6 * max(1, abs(logit.value)))
        assert logit.value == pytest.approx(of_ensemble, abs=1e-5)
        names = [part.name for part in logit.contributions]
        assert len(set(names)) == len(names)
        # A score is each network's own, a feature is everybody's.
        features = matcher.encoder.features.names
        assert [name for name in names if ", network " not in name] == [*features, "bias"]
        assert sum(name.endswith(", network 3") for name in names) == 2 * len(TASKS[task].scores)
    assert explanation.score == pytest.approx(matcher.predict([(LEFT, RIGHT)]).scores[0], abs=1e-6)


def test_a_matrix_is_the_mean_of_those_of_the_networks(trained):
    matcher = with_members(trained("paraphrase").matcher, shared=False)
    found = explain(matcher, LEFT, RIGHT).attentions
    of_each = [explain(one, LEFT, RIGHT).attentions for one in alone(matcher)]
    assert len(found) == len(of_each[0]) == 2
    for mean, *same in zip(found, *of_each, strict=True):
        assert mean.title == same[0].title
        expected = np.mean([one.matrix for one in same], axis=0)
        np.testing.assert_allclose(mean.matrix, expected, atol=1e-6)
        assert np.abs(same[0].matrix - expected).max() > 1e-4
        if mean.row_weights is not None:
            np.testing.assert_allclose(
                mean.row_weights, np.mean([one.row_weights for one in same], axis=0), atol=1e-5
            )


def test_heads_are_averaged_too(trained):
    one = with_network(
        trained("paraphrase").matcher, model="transformer", hidden_dim=4, heads=2, depth=1
    )
    matcher = with_members(one, shared=True, count=2)
    found = explain(matcher, LEFT, RIGHT).attentions
    of_each = [
        attention for m in alone(matcher) for attention in explain(m, LEFT, RIGHT).attentions
    ]

    def kind(attention: Attention) -> tuple[str, ...]:
        return (attention.layer, attention.name, attention.rows.side, attention.columns.side)

    assert len(of_each) == 4 * len(found)
    for mean in found:
        assert mean.head is None
        alike = [attention.matrix for attention in of_each if kind(attention) == kind(mean)]
        assert len(alike) == 4
        np.testing.assert_allclose(mean.matrix, np.mean(alike, axis=0), atol=1e-6)
