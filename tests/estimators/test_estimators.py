"""The estimators on sentences: what goes in, what comes out, and in scikit-learn's tools."""

from __future__ import annotations

import copy
import inspect
import subprocess
import sys
from dataclasses import fields, replace

import joblib
import numpy as np
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.metrics import accuracy_score, r2_score
from sklearn.model_selection import GridSearchCV, PredefinedSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from abcnn import Matcher, PairClassifier, PairRanker, PairRegressor
from abcnn.errors import InputError
from abcnn.evaluation.ranking import ranking_measures
from abcnn.readers import Grades
from abcnn.training.options import TrainingOptions
from tests.estimators.samples import TINY, sample

pandas = pytest.importorskip("pandas")


@pytest.fixture(scope="module")
def classifier():
    sentences, labels, _ = sample("paraphrase", 80)
    return PairClassifier(**TINY).fit(sentences, labels.astype(int))


@pytest.fixture(scope="module")
def ranker():
    sentences, labels, questions = sample("answer-selection", 80)
    return PairRanker(**TINY).fit(sentences, labels.astype(int), groups=questions)


def test_an_ensemble_of_networks_with_seeds_that_follow_each_other():
    sentences, labels, _ = sample("paraphrase", 80)
    fitted = PairClassifier(**TINY, ensemble=2).fit(sentences, labels)
    assert [member["seed"] for member in fitted.matcher_.about["members"]] == [3, 4]
    assert len(fitted.matcher_.members) == len(fitted.history_) == 2
    alone = PairClassifier(**TINY).fit(sentences, labels)
    assert np.abs(fitted.predict_proba(sentences) - alone.predict_proba(sentences)).max() > 1e-4
    with pytest.raises(InputError, match="`ensemble` must have at least 2 networks"):
        PairClassifier(**TINY, ensemble=0).fit(sentences, labels)


def test_a_regressor_gives_grades_in_the_range_of_those_it_was_fitted_on():
    sentences, grades, _ = sample("similarity", 80)
    y = grades.astype(float) * 10 - 30
    fitted = PairRegressor(**TINY).fit(sentences, y)
    said = fitted.predict(sentences[:9])
    np.testing.assert_allclose(said, fitted.matcher_.predict(sentences[:9].tolist()).scores)
    assert ((said >= -20) & (said <= 20)).all()
    assert len(set(said.round(6))) > 3
    assert fitted.score(sentences, y) == r2_score(y, fitted.predict(sentences))
    assert is_regressor(fitted)
    assert not hasattr(fitted, "classes_")
    stated = PairRegressor(**TINY, grade_range=[-20, 30], loss="distribution").fit(sentences, y)
    assert stated.matcher_.grades == Grades(-20, 30, stated=True)
    assert stated.matcher_.config.outputs == 51
    with pytest.raises(InputError, match="row 1: column `y` must be a number from 0 to 1"):
        PairRegressor(**TINY, grade_range=(0, 1)).fit(sentences, y + 100)


def test_the_parameters_are_the_options_of_training():
    assert PairClassifier().get_params() == {
        "vectors": None,
        "ensemble": 1,
        "random_state": None,
        **{
            field.name: field.default
            for field in fields(TrainingOptions)
            if field.name not in ("seed", "teacher_weight")
        },
    }
    assert list(inspect.signature(PairRanker).parameters)[:2] == ["vectors", "model"]
    changed = clone(PairRanker(filters=7)).set_params(dim=9)
    assert (changed.filters, changed.dim) == (7, 9)
    assert repr(changed) == "PairRanker(dim=9, filters=7)"
    with pytest.raises(TypeError, match="unexpected keyword argument 'nonsense'"):
        PairClassifier(nonsense=1)
    with pytest.raises(ValueError, match="nonsense"):
        PairClassifier().set_params(nonsense=1)


def test_labels_and_probabilities(classifier):
    sentences, labels, _ = sample("paraphrase", 20)
    assert is_classifier(classifier)
    assert classifier.classes_.tolist() == [0, 1]
    probabilities = classifier.predict_proba(sentences)
    assert probabilities.shape == (20, 2)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    predicted = classifier.predict(sentences)
    np.testing.assert_array_equal(predicted, probabilities[:, 1] >= classifier.matcher_.threshold)
    score = classifier.score(sentences, labels.astype(int))
    assert score == accuracy_score(labels.astype(int), predicted)
    assert isinstance(classifier.matcher_, Matcher)
    assert classifier.history_[0].number == 1


def test_pairs_may_come_in_several_ways(classifier):
    sentences, _, _ = sample("paraphrase", 9)
    expected = classifier.predict_proba(sentences)
    # The classifier was fitted on an array, without names of columns.
    for same in ([tuple(row) for row in sentences], sentences.tolist(), sentences.astype(str)):
        np.testing.assert_array_equal(classifier.predict_proba(same), expected)


def test_three_classes_in_their_order_from_a_frame():
    sentences, labels, _ = sample("entailment", 90)
    frame = pandas.DataFrame(
        {"right": sentences[:, 1], "id": range(90), "left": sentences[:, 0]}, index=range(90, 0, -1)
    )
    fitted = PairClassifier(**TINY).fit(frame, pandas.Series(labels))
    assert fitted.classes_.tolist() == ["contradiction", "entailment", "neutral"]
    assert fitted.matcher_.task.name == "entailment"
    assert fitted.matcher_.labels == ("contradiction", "neutral", "entailment")
    expected = fitted.matcher_.predict([tuple(row) for row in sentences])
    np.testing.assert_array_equal(fitted.predict_proba(frame), expected.probabilities[:, [0, 2, 1]])
    assert fitted.predict(frame).tolist() == expected.label_names
    assert fitted.feature_names_in_.tolist() == ["right", "id", "left"]
    with pytest.raises(ValueError, match="feature names"):
        fitted.predict(frame.rename(columns={"left": "question"}))


def test_the_positive_label_may_be_the_first_class(classifier):
    """Of `duplicate` and `not_duplicate` the matcher's second label is the first of the classes."""
    sentences, _, _ = sample("paraphrase", 20)
    named = copy.copy(classifier)
    named.classes_ = np.array(["duplicate", "not_duplicate"])
    named.matcher_ = replace(classifier.matcher_, labels=("not_duplicate", "duplicate"))
    np.testing.assert_array_equal(
        named.predict_proba(sentences)[:, ::-1], classifier.predict_proba(sentences)
    )
    np.testing.assert_array_equal(
        named.predict(sentences) == "duplicate", classifier.predict(sentences) == 1
    )


def test_ranking(ranker):
    sentences, labels, questions = sample("answer-selection", 60)
    scores = ranker.predict(sentences)
    assert scores.shape == (60,)
    np.testing.assert_array_equal(ranker.predict_proba(sentences)[:, 1], scores)
    expected = ranking_measures(questions.tolist(), labels.astype(int), scores).map
    assert ranker.score(sentences, labels.astype(int), groups=questions) == expected
    # Without groups the candidates of one sentence belong together.
    by_sentence = ranking_measures(sentences[:, 0].tolist(), labels.astype(int), scores).map
    assert ranker.score(sentences, labels.astype(int)) == by_sentence


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([("a", "b"), ("c", None)], "`X`, row 1: the right sentence must be text. Received: None"),
        ([("a", "b"), (float("nan"), "d")], "`X`, row 1: the left sentence must be text. Rec"),
        ([("a", "b", "c"), ("d", "e", "f")], "X has 3 features, but PairClassifier is expecting 2"),
        ([("a", "b"), ("c",)], "Expected 2D array"),
        (["a", "b"], "Expected 2D array"),
        ([], "Expected 2D array|minimum of 1 is required"),
        (np.zeros((2, 2)), "`X`, row 0: the left sentence must be text. Received: 0.0"),
    ],
)
def test_what_is_no_pair_of_sentences(classifier, X, message):
    with pytest.raises(ValueError, match=message):
        classifier.predict(X)


@pytest.mark.parametrize(
    ("changes", "y", "message"),
    [
        ({}, [1] * 10, "at least two different labels"),
        ({}, np.linspace(0, 1, 10), "Unknown label type"),
        ({}, [0, 1], "inconsistent numbers of samples"),
        ({}, None, "requires y to be passed"),
        ({"filters": 0}, [0, 1] * 5, "`filters` must be at least 1"),
        ({"dev_share": 0.01}, [0, 1] * 5, "too few pairs to hold out"),
        ({"vectors": "none.bin", "dev_share": 0.4}, [0, 1] * 5, "none.bin: No such file"),
    ],
)
def test_what_cannot_be_fitted(changes, y, message):
    X = [(f"one {n}", f"two {n} more") for n in range(10)]
    with pytest.raises((InputError, ValueError), match=message):
        PairClassifier(**TINY | changes).fit(X, y)
    with pytest.raises(ValueError, match="Received: 3 columns"):
        PairClassifier(**TINY).fit([("a", "b", "c")] * 10, [0, 1] * 5)


def test_before_it_is_fitted():
    for estimator in (PairClassifier(), PairRanker()):
        for method in (estimator.predict, estimator.predict_proba):
            with pytest.raises(NotFittedError):
                method([("a", "b")])
        with pytest.raises(NotFittedError):
            estimator.score([("a", "b")], [1])


def test_kept_by_joblib_and_read_in_another_process(classifier, ranker, tmp_path):
    sentences, _, _ = sample("paraphrase", 7)
    joblib.dump((classifier, ranker), tmp_path / "both.joblib")
    code = (
        "import joblib, sys, numpy\n"
        "classifier, ranker = joblib.load(sys.argv[1])\n"
        "X = numpy.load(sys.argv[2], allow_pickle=True)\n"
        "print(repr([classifier.predict_proba(X).tolist(), ranker.predict(X).tolist()]))"
    )
    np.save(tmp_path / "X.npy", sentences)
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "both.joblib"), str(tmp_path / "X.npy")],
        capture_output=True,
        text=True,
        check=True,
    )
    there = eval(done.stdout)  # noqa: S307
    assert there == [
        classifier.predict_proba(sentences).tolist(),
        ranker.predict(sentences).tolist(),
    ]


def test_a_search_over_a_pipeline():
    """NumPy's numbers and lists, as searches pass them on; the transformer sees the text."""
    sentences, labels, _ = sample("paraphrase", 90)
    lower = FunctionTransformer(lambda X: np.char.lower(X.astype(str)).astype(object))
    search = GridSearchCV(
        make_pipeline(lower, PairClassifier(**TINY)),
        {"pairclassifier__filters": np.array([3]), "pairclassifier__scores": [["cosine"]]},
        cv=PredefinedSplit([0] * 30 + [-1] * 60),
    ).fit(sentences, labels)
    best = search.best_estimator_[-1]
    assert (best.matcher_.config.filters, best.matcher_.config.scores) == (3, ("cosine",))
    assert not any(word != word.lower() for word in best.matcher_.encoder.vocabulary.words[2:])
    assert set(search.predict(sentences)) <= {"0", "1"}
