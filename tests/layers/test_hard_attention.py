"""HardAttention and reinforce: contract, the reference, samples, gradients."""

from functools import partial

import keras
import numpy as np
import pytest
from hypothesis import given
from keras import ops

from abcnn.layers import HardAttention, reinforce
from tests import attention_reference, reference
from tests.contracts import arrays_of, check_layer
from tests.layers.attending import attend, cross_case, normal, real_parts
from tests.strategies import RaggedBatch, few_examples, ragged_batches

pytestmark = pytest.mark.backend


@pytest.mark.parametrize(
    "options",
    [
        {"prediction": "argmax", "return_attention": True, "seed": 3},
        {"match_score": "bilinear", "estimator": "gumbel", "prediction": "expectation"},
    ],
)
def test_contract(options, tmp_path):
    check_layer(cross_case(partial(HardAttention, **options)), tmp_path)


@few_examples
@given(batch=ragged_batches())
def test_prediction_reads_the_unit_of_the_highest_score(batch: RaggedBatch) -> None:
    context, attention = attend(HardAttention("dot", return_attention=True), batch)
    assert set(np.unique(attention)) <= {0.0, 1.0}
    for row, (left, right, actual) in enumerate(real_parts(batch, attention)):
        scores = reference.attention_matrix(left, right, "dot")
        chosen = (scores * actual).sum(axis=1)
        assert (actual.sum(axis=1) == (len(right) > 0)).all()
        if len(right):
            np.testing.assert_allclose(chosen, scores.max(axis=1), rtol=1e-5, atol=1e-5)
        np.testing.assert_array_equal(
            context[row, : len(left)], attention_reference.contexts(actual, right)
        )


def test_expectation_is_soft_attention():
    query, value = normal(2, 3, 4), normal(2, 5, 4, seed=1)
    layer = HardAttention("dot", prediction="expectation", return_attention=True)
    _, attention = arrays_of(layer(query, value))
    for row in range(2):
        expected = attention_reference.soft_attention(
            reference.attention_matrix(query[row], value[row], "dot")
        )
        np.testing.assert_allclose(attention[row], expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("estimator", ["reinforce", "gumbel"])
def test_samples_have_the_frequencies_of_the_softmax(estimator):
    count = 20_000
    query = np.ones((count, 1, 1), "float32")
    value = np.tile(np.log([[[0.1], [0.2], [0.7], [9.0]]]).astype("float32"), (count, 1, 1))
    mask = np.tile([[True, True, True, False]], (count, 1))
    layer = HardAttention(estimator=estimator, seed=1, return_attention=True)
    _, attention = arrays_of(layer(query, value, value_mask=mask, training=True))
    # Gumbel's has the rounding of a difference in it, and no more.
    np.testing.assert_allclose(attention.max(axis=-1), 1.0, atol=1e-6)
    # Four standard deviations of a share of 20,000.
    np.testing.assert_allclose(attention.mean(axis=(0, 1)), [0.1, 0.2, 0.7, 0.0], atol=0.014)


def test_the_seed_decides_the_samples():
    query, value = normal(4, 6, 3), normal(4, 9, 3, seed=1)

    def sample(seed: int) -> list[np.ndarray]:
        layer = HardAttention(seed=seed, return_attention=True)
        return [arrays_of(layer(query, value, training=True))[1] for _ in range(2)]

    first, second = sample(5)
    again, _ = sample(5)
    np.testing.assert_array_equal(first, again)
    assert (first != second).any()
    assert (first != sample(6)[0]).any()


def test_log_probability_and_entropy_are_those_of_the_sample():
    query, value = normal(2, 3, 4), normal(2, 5, 4, seed=1)
    query_mask, value_mask = np.arange(3) < [[3], [2]], np.arange(5) < [[4], [5]]
    layer = HardAttention("scaled_dot", seed=0, return_attention=True)
    masks = {"query_mask": query_mask, "value_mask": value_mask}
    _, sample = arrays_of(layer(query, value, **masks, training=True))
    log_probability, entropy = arrays_of([layer.log_probability, layer.entropy])
    for row in range(2):
        left, right = query[row][query_mask[row]], value[row][value_mask[row]]
        scores = reference.attention_matrix(left, right, "scaled_dot")
        soft = attention_reference.soft_attention(scores)
        chosen = sample[row, : len(left), : len(right)]
        assert log_probability[row] == pytest.approx(
            np.log((soft * chosen).sum(axis=1)).sum(), rel=1e-4
        )
        assert entropy[row] == pytest.approx(-(soft * np.log(soft)).sum(), rel=1e-4)
    layer(query, value, **masks)
    assert layer.log_probability is None


def squared_error(targets, outputs):
    return ops.sum((targets - outputs) ** 2, axis=(1, 2))


def reinforced(weight: float, entropy_weight: float = 0.0) -> tuple[keras.Model, HardAttention]:
    """A model that is hard attention alone, its loss the squared error of the context."""
    query, value = keras.Input((1, 2)), keras.Input((3, 2))
    layer = HardAttention("bilinear", seed=4, name="attend")
    model = keras.Model([query, value], layer(query, value))
    layer.scores.set_weights([np.array([[0.5, -0.2], [0.1, 0.3]])])
    loss = reinforce(squared_error, layer, weight=weight, entropy_weight=entropy_weight)
    model.compile(keras.optimizers.SGD(1.0), loss)
    return model, layer


@pytest.mark.parametrize("entropy_weight", [0.0, 0.3])
def test_the_estimate_has_the_mean_of_the_exact_gradient(entropy_weight):
    """One step with a batch of many samples of one pair, against the gradient of the expectation,
    which three positions allow to be written out."""
    count = 40_000
    query, value = normal(1, 1, 2, seed=2), normal(1, 3, 2, seed=3)
    target = normal(1, 1, 2, seed=5)
    model, layer = reinforced(1.0, entropy_weight)
    (before,) = layer.scores.get_weights()

    def objective(kernel: np.ndarray) -> float:
        scores = reference.attention_matrix(query[0], value[0], "bilinear", [kernel])
        (shares,) = attention_reference.soft_attention(scores)
        errors = ((value[0] - target[0]) ** 2).sum(axis=1)
        return float(shares @ errors + entropy_weight * (shares * np.log(shares)).sum())

    exact = np.zeros((2, 2))
    for position in np.ndindex(2, 2):
        step = np.zeros((2, 2))
        step[position] = 1e-5
        kernel = before.astype("float64")
        exact[position] = (objective(kernel + step) - objective(kernel - step)) / 2e-5

    batch = [np.repeat(array, count, axis=0) for array in (query, value, target)]
    model.train_on_batch(batch[:2], batch[2])
    (after,) = layer.scores.get_weights()
    np.testing.assert_allclose(before - after, exact, atol=0.03 * np.abs(exact).max())


def test_the_baseline_is_a_moving_average_and_the_loss_keeps_its_value():
    model, layer = reinforced(0.0)
    query, value, target = normal(8, 1, 2), normal(8, 3, 2, seed=1), normal(8, 1, 2, seed=2)
    baseline = 0.0
    for _ in range(2):
        loss = float(model.train_on_batch([query, value], target))
        baseline = 0.9 * baseline - 0.1 * loss
        assert float(ops.convert_to_numpy(layer.baseline)) == pytest.approx(baseline, rel=1e-5)
    predicted = model.predict_on_batch([query, value])
    expected = ((predicted - target) ** 2).sum(axis=(1, 2)).mean()
    assert float(model.test_on_batch([query, value], target)) == pytest.approx(expected, rel=1e-5)
    assert float(ops.convert_to_numpy(layer.baseline)) == pytest.approx(baseline, rel=1e-5)


def test_a_model_compiled_with_reinforce_is_saved_with_its_baseline(tmp_path):
    model, layer = reinforced(1.0)
    query, value = normal(8, 1, 2), normal(8, 3, 2, seed=1)
    model.train_on_batch([query, value], normal(8, 1, 2, seed=2))
    model.save(tmp_path / "model.keras")
    again = keras.saving.load_model(tmp_path / "model.keras", compile=False)
    np.testing.assert_array_equal(
        again.predict_on_batch([query, value]), model.predict_on_batch([query, value])
    )
    baseline = ops.convert_to_numpy(layer.baseline)
    assert baseline != 0
    assert ops.convert_to_numpy(again.get_layer("attend").baseline) == baseline


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"estimator": "relax"}, r"estimator.*reinforce, gumbel.*Received.*relax"),
        ({"prediction": "mode"}, r"prediction.*argmax, expectation.*Received.*mode"),
        ({"temperature": 0.0}, r"temperature.*above 0.*Received.*0\.0"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        HardAttention(**arguments)
