"""Learning from a teacher: its columns as targets, what is refused, and that it helps."""

import csv
from dataclasses import replace

import numpy as np
import pytest

from abcnn.errors import InputError
from abcnn.pairs import PairBatch, TeacherScores
from abcnn.readers import read_pairs
from abcnn.readers.grades import Grades
from abcnn.tasks import TASKS
from abcnn.training.files import train_files
from abcnn.training.options import TrainingOptions
from abcnn.training.prepare import prepare
from abcnn.training.teacher import require_teachable, teacher_targets
from tests.trained import SAMPLES

LABELS = ("contradiction", "entailment", "neutral")
NAMES = ("p_neutral", "p_entailment", "p_contradiction")


def batch(column, names, *rows):
    words = tuple(f"word {place}" for place in range(len(rows)))
    return PairBatch(
        words, words, source="pairs.tsv", teacher=TeacherScores(column, names, tuple(rows))
    )


def test_the_columns_of_labels_stand_in_the_order_of_the_labels():
    pairs = batch("p", NAMES, ("0.2", "0.5", "0.3"), ("0", "1", "0"))
    found = teacher_targets(pairs, LABELS, TASKS["entailment"])
    np.testing.assert_allclose(found, [[0.3, 0.5, 0.2], [0, 1, 0]], rtol=1e-6)


def test_in_both_orders_each_pair_has_its_teacher_twice():
    task = TASKS["paraphrase"]
    pairs = replace(batch("t", ("t",), ("0.25",), ("0.75",)), labels=("0", "1"))
    options = TrainingOptions(dim=4, both_orders=True, features=()).for_task(task)
    found = prepare(pairs, task, options, None).pairs.teacher
    np.testing.assert_allclose(found, [[0.25], [0.75], [0.25], [0.75]])


def test_a_grade_becomes_a_share_of_the_range():
    pairs = batch("t", ("t",), ("2",), ("5",))
    found = teacher_targets(pairs, Grades(1, 5), TASKS["similarity"])
    np.testing.assert_allclose(found, [[0.25], [1]])


def test_selected_pairs_keep_their_scores():
    pairs = batch("t", ("t",), ("0.1",), ("0.2",), ("0.3",)).select([2, 0])
    np.testing.assert_allclose(
        teacher_targets(pairs, ("0", "1"), TASKS["paraphrase"]), [[0.3], [0.1]], rtol=1e-6
    )


@pytest.mark.parametrize(
    ("task", "scale", "column", "names", "row", "said"),
    [
        ("paraphrase", ("0", "1"), "t", ("t",), ("1.5",), "row 2: column `t` .* Received: '1.5'"),
        ("paraphrase", ("0", "1"), "t", ("t",), ("nan",), "row 2: column `t` .* Received: 'nan'"),
        ("paraphrase", ("0", "1"), "t", ("t",), (None,), "row 2: .* Received: an empty cell"),
        ("similarity", Grades(1, 5), "t", ("t",), ("0.9",), "from 1 to 5.* Received: '0.9'"),
        ("entailment", LABELS, "p", NAMES, ("0.5", "0.5", "0.5"), "row 2: .*sum 1.* 1.5"),
        ("entailment", LABELS, "p", NAMES[:2], ("0.5", "0.5"), "column `p_contradiction`"),
    ],
)
def test_a_bad_value_is_named(task, scale, column, names, row, said):
    good = ("1", "0", "0")[: len(names)]
    with pytest.raises(InputError, match=f"pairs.tsv.*{said}"):
        teacher_targets(batch(column, names, good, row), scale, TASKS[task])


@pytest.mark.parametrize(
    ("task", "options"),
    [
        ("answer-selection", {}),
        ("paraphrase", {"class_weight": "balanced"}),
        ("paraphrase", {"refit": "svm"}),
        ("paraphrase", {"model": "seq2seq"}),
        ("paraphrase", {"train_on_dev": True}),
    ],
)
def test_what_has_no_clear_meaning_is_refused(task, options):
    with pytest.raises(InputError, match="with a teacher"):
        require_teachable(TrainingOptions(**options).for_task(TASKS[task]))


def test_a_right_teacher_outweighs_wrong_labels(tmp_path):
    """All labels are the wrong way round, and the teacher is right: its weight decides."""
    folder = SAMPLES / "paraphrase"
    with (folder / "train.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    with (tmp_path / "train.tsv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [*rows[0], "t"], delimiter="\t")
        writer.writeheader()
        writer.writerows(row | {"t": row["label"], "label": 1 - int(row["label"])} for row in rows)
    small = TrainingOptions(model="bcnn", dim=8, filters=4, epochs=1, teacher_weight=0.9)

    def mean_difference(**changes):
        trained = train_files(
            TASKS["paraphrase"],
            tmp_path / "run",
            train_file=str(tmp_path / "train.tsv"),
            dev_file=str(folder / "dev.tsv"),
            options=replace(small, **changes),
            teacher_column="t",
            device="cpu",
            force=True,
        )
        pairs = read_pairs(folder / "train.tsv").pairs
        right = np.array(pairs.labels) == "1"
        scores = trained.matcher.predict(pairs).scores
        return scores[right].mean() - scores[~right].mean()

    assert mean_difference() > 0
    assert mean_difference(teacher_weight=0.1) < 0
