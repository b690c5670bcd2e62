"""The bundled samples: as large as promised, clean, reproducible, and no giveaway."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from abcnn.evaluation.ranking import ranking_measures

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = ROOT / "data" / "samples"
SPLITS = ("train", "dev", "test")
HEADERS = {
    "answer-selection": ("question_id", "question", "candidate_id", "answer", "label"),
    "paraphrase": ("sentence1", "sentence2", "label"),
    "entailment": ("premise", "hypothesis", "label"),
    "similarity": ("sentence1", "sentence2", "label"),
}
LABELS = {
    "answer-selection": {"0", "1"},
    "paraphrase": {"0", "1"},
    "entailment": {"entailment", "neutral", "contradiction"},
    "similarity": {f"{tenth / 10}" for tenth in range(10, 51)},
}
TASKS = tuple(HEADERS)
LABELLED_PAIR_TASKS = ("paraphrase", "entailment")
PAIR_TASKS = (*LABELLED_PAIR_TASKS, "similarity")

each_task = pytest.mark.parametrize("task", TASKS)
each_labelled_pair_task = pytest.mark.parametrize("task", LABELLED_PAIR_TASKS)
each_pair_task = pytest.mark.parametrize("task", PAIR_TASKS)


@cache
def rows(task: str, split: str) -> list[dict[str, str]]:
    """The rows of a sample file by column; a row with another number of cells fails here."""
    text = (SAMPLES / task / f"{split}.tsv").read_bytes().decode("utf-8")
    header, *lines = text.removesuffix("\n").split("\n")
    assert tuple(header.split("\t")) == HEADERS[task]
    return [dict(zip(HEADERS[task], line.split("\t"), strict=True)) for line in lines]


def sides(task: str, row: dict[str, str]) -> tuple[str, str]:
    left, right = ("question", "answer") if task == "answer-selection" else HEADERS[task][:2]
    return row[left], row[right]


@cache
def questions(split: str) -> list[list[dict[str, str]]]:
    """The candidates of each question."""
    groups = defaultdict(list)
    for row in rows("answer-selection", split):
        groups[row["question_id"]].append(row)
    return list(groups.values())


def tokens(sentence: str) -> list[str]:
    return re.findall(r"\w+", sentence.lower())


def overlap(left: str, right: str) -> dict[str, float]:
    """All that overlap and lengths can tell of a pair."""
    a, b = set(tokens(left)), set(tokens(right))
    shared = len(a & b)
    return {
        "shared words": shared,
        "Jaccard index": shared / len(a | b),
        "share of left": shared / len(a),
        "share of right": shared / len(b),
        "left length": len(tokens(left)),
        "right length": len(tokens(right)),
    }


def right_words(left: str, right: str) -> dict[str, float]:
    return dict.fromkeys(tokens(right), 1.0)


def word_pairs(left: str, right: str) -> dict[str, float]:
    """Every word of one side alone with every word of the other side alone, in either order."""
    a, b = set(tokens(left)), set(tokens(right))
    return {" ".join(sorted((x, y))): 1.0 for x in a - b for y in b - a}


Features = Callable[[str, str], dict[str, float]]


def dev_and_test(task: str) -> list[dict[str, str]]:
    """The rows that a baseline is measured on: two splits, so that chance weighs less."""
    return rows(task, "dev") + rows(task, "test")


@cache
def fitted(task: str, features: Features):
    """Logistic regression on features of the training pairs; takes feature dicts."""
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MaxAbsScaler

    model = make_pipeline(DictVectorizer(), MaxAbsScaler(), LogisticRegression(max_iter=2000))
    train = rows(task, "train")
    return model.fit(
        [features(*sides(task, row)) for row in train], [row["label"] for row in train]
    )


def accuracy(task: str, features: Features) -> float:
    """Of the fitted model, on dev and test."""
    held_out = dev_and_test(task)
    return fitted(task, features).score(
        [features(*sides(task, row)) for row in held_out], [row["label"] for row in held_out]
    )


def majority(task: str) -> float:
    """The share of the commonest label in dev and test."""
    held_out = dev_and_test(task)
    return max(Counter(row["label"] for row in held_out).values()) / len(held_out)


def map_of(scores) -> float:
    """MAP of one score a row of dev and test; ties count with their expected value."""
    held_out = dev_and_test("answer-selection")
    return ranking_measures(
        [row["question_id"] for row in held_out],
        [float(row["label"]) for row in held_out],
        list(scores),
    ).map


def learnt_map(features: Features) -> float:
    """MAP of the fitted model's probability of a right answer."""
    held_out = [
        features(*sides("answer-selection", row)) for row in dev_and_test("answer-selection")
    ]
    return map_of(fitted("answer-selection", features).predict_proba(held_out)[:, 1])


def test_make_reproduces_the_files(tmp_path: Path) -> None:
    command = [sys.executable, "-B", str(SAMPLES / "make.py"), str(tmp_path)]
    subprocess.run(command, check=True, timeout=60)
    made = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*.tsv")}
    kept = {path.relative_to(SAMPLES): path.read_bytes() for path in SAMPLES.rglob("*.tsv")}
    assert len(made) == len(TASKS) * len(SPLITS)
    assert made == kept


@each_task
def test_files_are_large_enough_and_clean(task: str) -> None:
    for split, least in zip(SPLITS, (300, 60, 60), strict=True):
        data = (SAMPLES / task / f"{split}.tsv").read_bytes()
        assert len(rows(task, split)) >= least
        assert data.endswith(b"\n")
        assert not re.search(rb'[\r"\0]|[^\x20-\x7e\t\n]', data)
        for row in rows(task, split):
            assert row["label"] in LABELS[task]
            for text in sides(task, row):
                # A sentence, with its slots filled and single spaces.
                assert re.fullmatch(r"[A-Z0-9][^{}]*[^ {}][.?]", text), text
                assert "  " not in text


def test_files_are_small_together() -> None:
    assert sum(path.stat().st_size for path in SAMPLES.rglob("*.tsv")) < 400_000


@each_task
def test_no_sentence_stands_in_two_splits(task: str) -> None:
    used = [{text for row in rows(task, split) for text in sides(task, row)} for split in SPLITS]
    assert used[0].isdisjoint(used[1])
    assert used[0].isdisjoint(used[2])
    assert used[1].isdisjoint(used[2])


@each_pair_task
def test_no_sentence_comes_twice(task: str) -> None:
    used = Counter(
        text for split in SPLITS for row in rows(task, split) for text in sides(task, row)
    )
    assert used.most_common(1)[0][1] == 1


@each_task
def test_the_words_of_test_are_known_from_train(task: str) -> None:
    words = {
        split: {
            word for row in rows(task, split) for text in sides(task, row) for word in tokens(text)
        }
        for split in SPLITS
    }
    assert len(words["test"] - words["train"]) <= 0.05 * len(words["test"])


@pytest.mark.parametrize("split", SPLITS)
def test_labels_are_balanced(split: str) -> None:
    entailment = Counter(row["label"] for row in rows("entailment", split))
    assert len(set(entailment.values())) == 1
    paraphrase = Counter(row["label"] for row in rows("paraphrase", split))
    assert paraphrase["1"] / paraphrase.total() == pytest.approx(0.55, abs=0.01)


@pytest.mark.parametrize(("split", "least"), [("train", 90), ("dev", 20), ("test", 20)])
def test_questions_are_like_real_ones(split: str, least: int) -> None:
    groups = questions(split)
    assert len(groups) >= least
    assert all(4 <= len(group) + (not any_right(group)) <= 7 for group in groups)
    assert all(len({row["question"] for row in group}) == 1 for group in groups)
    assert all(len({row["candidate_id"] for row in group}) == len(group) for group in groups)
    rights = Counter(sum(row["label"] == "1" for row in group) for group in groups)
    assert set(rights) == {0, 1, 2}
    assert rights[1] > 0.85 * len(groups)


def any_right(group: list[dict[str, str]]) -> bool:
    return any(row["label"] == "1" for row in group)


def test_question_ids_are_unique_over_the_splits() -> None:
    ids = [group[0]["question_id"] for split in SPLITS for group in questions(split)]
    assert len(set(ids)) == len(ids)


def test_the_place_of_a_candidate_tells_nothing() -> None:
    # 0 is the first place of a question, 1 the last.
    places = [
        place / (len(group) - 1)
        for split in SPLITS
        for group in questions(split)
        for place, row in enumerate(group)
        if row["label"] == "1"
    ]
    assert np.mean(places) == pytest.approx(0.5, abs=0.08)


@each_labelled_pair_task
def test_overlap_alone_does_not_solve_it(task: str) -> None:
    assert accuracy(task, overlap) < majority(task) + 0.1


@pytest.mark.parametrize(("task", "ceiling"), [("paraphrase", 0.6), ("entailment", 0.5)])
def test_the_right_sentence_alone_does_not_solve_it(task: str, ceiling: float) -> None:
    assert accuracy(task, right_words) <= ceiling


@each_labelled_pair_task
def test_word_pairs_hold_a_signal(task: str) -> None:
    assert accuracy(task, word_pairs) > majority(task) + 0.2


def test_overlap_alone_does_not_rank_answers() -> None:
    chance = map_of([0.0] * len(dev_and_test("answer-selection")))
    shared = [
        overlap(*sides("answer-selection", row))["shared words"]
        for row in dev_and_test("answer-selection")
    ]
    assert map_of(shared) < chance + 0.1
    assert learnt_map(overlap) < chance + 0.1
    assert learnt_map(right_words) < chance + 0.15


def test_word_pairs_rank_answers() -> None:
    chance = map_of([0.0] * len(dev_and_test("answer-selection")))
    assert learnt_map(word_pairs) > chance + 0.3


def learnt_pearson(features: Features) -> float:
    """Pearson's correlation of a ridge regression on the features, on dev and test."""
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MaxAbsScaler

    model = make_pipeline(DictVectorizer(), MaxAbsScaler(), Ridge())
    train, held_out = rows("similarity", "train"), dev_and_test("similarity")
    model.fit(
        [features(*sides("similarity", row)) for row in train],
        [float(row["label"]) for row in train],
    )
    said = model.predict([features(*sides("similarity", row)) for row in held_out])
    return float(np.corrcoef(said, [float(row["label"]) for row in held_out])[0, 1])


def test_overlap_and_the_right_sentence_tell_part_of_the_grade_and_word_pairs_more() -> None:
    shared = learnt_pearson(overlap)
    assert 0.3 < shared < 0.65
    assert learnt_pearson(right_words) < 0.3
    assert learnt_pearson(word_pairs) > shared + 0.15


def test_grades_are_spread_over_the_range() -> None:
    for split in SPLITS:
        grades = np.array([float(row["label"]) for row in rows("similarity", split)])
        assert (grades.min(), grades.max()) == (1, 5)
        counts, _ = np.histogram(grades, bins=4)
        assert counts.min() > 0.05 * len(grades)
