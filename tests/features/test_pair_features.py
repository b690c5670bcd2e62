"""Features as columns: fitted on training pairs, standardised, the same for the same text."""

import numpy as np
import pytest

from abcnn.errors import InputError
from abcnn.features.catalogue import GROUPS
from abcnn.features.pair_features import PairFeatures

LEFT = [["a", "b"], ["a", "b", "c", "d"], ["e"]]
RIGHT = [["a"], ["x", "a", "z"], ["y", "e"]]


def test_training_pairs_get_mean_zero_and_deviation_one():
    names = ("left_length", "right_rest")
    features = PairFeatures.fit(names, LEFT, RIGHT)
    # Lengths 2, 4, 1: mean 7/3, variance 14/9; rests 0, 2, 1: mean 1, variance 2/3.
    assert features.mean == pytest.approx((7 / 3, 1))
    assert features.scale == pytest.approx((np.sqrt(14) / 3, np.sqrt(2 / 3)))
    values = features(LEFT, RIGHT)
    assert values.dtype == np.float32
    np.testing.assert_allclose(values.mean(axis=0), 0, atol=1e-6)
    np.testing.assert_allclose(values.std(axis=0), 1, rtol=1e-6)
    np.testing.assert_allclose(values[:, 1], [-np.sqrt(1.5), np.sqrt(1.5), 0], atol=1e-6)


def test_other_pairs_are_measured_with_the_training_mean_scale_and_words():
    features = PairFeatures.fit(("left_length", "weighted_word_count"), LEFT, RIGHT)
    before = (features.mean, features.scale, dict(features.statistics.idf))
    # `b` stands in two of the six training sentences; `new` in none, so it weighs ln 6.
    values = features([["b", "new", "new2", "x"]], [["b", "new"]])
    expected = (np.array([4, np.log(3) + np.log(6)]) - features.mean) / features.scale
    np.testing.assert_allclose(values[0], expected, rtol=1e-5)
    assert (features.mean, features.scale, dict(features.statistics.idf)) == before


def test_a_feature_that_never_varies_is_zero_and_stays_finite():
    features = PairFeatures.fit(("left_length",), [["a", "b"]] * 3, RIGHT)
    np.testing.assert_array_equal(features([["c", "d"]] * 3, RIGHT), np.zeros((3, 1)))
    assert features([["c", "d", "e"]], [["f"]])[0, 0] == 1  # one more than the mean, scale 1


def test_words_are_compared_without_case():
    features = PairFeatures.fit(("left_rest",), LEFT, RIGHT)
    np.testing.assert_array_equal(
        features([["Alpha", "b"]], [["ALPHA"]]), features([["alpha", "b"]], [["alpha"]])
    )


def test_columns_stand_in_the_order_of_the_names():
    one = PairFeatures.fit(("left_length", "right_length"), LEFT, RIGHT)(LEFT, RIGHT)
    other = PairFeatures.fit(("right_length", "left_length"), LEFT, RIGHT)(LEFT, RIGHT)
    np.testing.assert_array_equal(one, other[:, ::-1])


def test_no_features_and_no_pairs():
    assert PairFeatures.fit((), LEFT, RIGHT)(LEFT, RIGHT).shape == (3, 0)
    names = GROUPS["lexical"]
    assert PairFeatures.fit(names, LEFT, RIGHT)([], []).shape == (0, len(names))


def test_an_unknown_feature_is_named():
    with pytest.raises(
        InputError, match=r"`features` must be among none, paper, lexical.*Received: 'shape'$"
    ):
        PairFeatures.fit(("left_length", "shape"), LEFT, RIGHT)
