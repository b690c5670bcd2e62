"""scikit-learn's own checks of an estimator."""

from __future__ import annotations

from functools import partial

import pytest
from numpy.random import RandomState
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks

from abcnn import PairClassifier, PairRanker, PairRegressor
from tests.estimators.samples import TINY

# These checks fit on numbers, which are no sentences: each fails with the error that says so.
TEXT_ONLY = (
    "check_fit_score_takes_y",
    "check_estimators_overwrite_params",
    "check_dont_overwrite_parameters",
    "check_estimators_fit_returns_self",
    "check_readonly_memmap_input",
    "check_n_features_in_after_fitting",
    "check_positive_only_tag_during_fit",
    "check_estimators_dtypes",
    "check_dtype_object",
    "check_pipeline_consistency",
    "check_estimators_pickle",
    "check_f_contiguous_array_estimator",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_dict_unchanged",
    "check_fit_idempotent",
    "check_fit_check_is_fitted",
    "check_n_features_in",
    "check_fit2d_predict1d",
)
CLASSIFIER_TEXT_ONLY = (
    "check_classifier_data_not_an_array",
    "check_classifiers_classes",
    "check_classifiers_train",
    "check_supervised_y_2d",
)
REGRESSOR_TEXT_ONLY = (
    "check_regressors_train",
    "check_regressor_data_not_an_array",
    "check_regressors_no_decision_function",
    "check_regressors_int",
    "check_supervised_y_2d",
)
OTHERS = {
    "check_complex_data": "complex numbers are refused as all numbers are, in other words",
    "check_estimators_nan_inf": "NaN is refused as all numbers are, by its row",
}
CLASSIFIER_OTHERS = {
    "check_classifiers_one_label": "one label teaches nothing: refused, in other words",
    "check_class_weight_classifiers": "`class_weight` is none or balanced, not a dict",
}


def expected(estimator) -> dict[str, str]:
    """The checks that fail, each with its reason."""
    text_only, others = TEXT_ONLY, OTHERS
    if isinstance(estimator, PairClassifier):
        text_only, others = text_only + CLASSIFIER_TEXT_ONLY, others | CLASSIFIER_OTHERS
    if isinstance(estimator, PairRegressor):
        text_only = text_only + REGRESSOR_TEXT_ONLY
    return others | dict.fromkeys(text_only, "`X` is text")


@parametrize_with_checks(
    [PairClassifier(**TINY), PairRanker(**TINY), PairRegressor(**TINY)],
    expected_failed_checks=expected,
    xfail_strict=True,
)
def test_the_checks(estimator, check):
    check(estimator)


class Worded:
    """The estimators on numbers, each of which is a word, so that checks that fit get through."""

    def _sentences(self, table):
        words = [[f"{'abcdefgh'[at % 8]}{round(x)}" for at, x in enumerate(row)] for row in table]
        return tuple(tuple(" ".join(row[side::2]) for row in words) for side in (0, 1))


class WordedClassifier(Worded, PairClassifier):
    pass


class WordedRanker(Worded, PairRanker):
    """Every candidate in one of a few questions."""

    def _sentences(self, table):
        left, right = super()._sentences(table)
        return tuple(f"question {index % 7}" for index in range(len(left))), right


@pytest.mark.parametrize(
    ("estimator", "check"),
    [
        (WordedClassifier, estimator_checks.check_dont_overwrite_parameters),
        (WordedClassifier, estimator_checks.check_methods_subset_invariance),
        (WordedClassifier, partial(estimator_checks.check_estimators_pickle, readonly_memmap=True)),
        (WordedClassifier, estimator_checks.check_n_features_in_after_fitting),
        (WordedRanker, estimator_checks.check_n_features_in),
    ],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_checks_that_fit(estimator, check):
    check(estimator.__name__, estimator(**TINY, dev_share=0.3, loss="pointwise"))


def test_the_seed():
    """A number is the seed, a generator gives one, and without either it is another each time."""
    assert PairRanker(random_state=5)._options().seed == 5
    of_generator = [PairRanker(random_state=RandomState(5))._options().seed for _ in range(2)]
    assert of_generator[0] == of_generator[1]
    assert len({PairRanker()._options().seed for _ in range(5)}) == 5
