"""The tables for a terminal."""

from __future__ import annotations

from abcnn.evaluation.classification import classification_measures
from abcnn.evaluation.ranking import ranking_measures
from abcnn.evaluation.report import classification_table, ranking_table


def test_ranking_table():
    measures = ranking_measures("aabbc", [1, 0, 1, 0, 0], [2, 1, 1, 1, 0], mixed_only=True)
    assert ranking_table(measures) == (
        "MAP                           0.8750\n"
        "MRR                           0.8750\n"
        "P@1                           0.7500\n"
        "questions in the means             2\n"
        "  of these with ties               1\n"
        "questions in all                   3\n"
        "  without a right candidate        1\n"
        "  with right candidates only       0\n"
        "  not ranked                       0\n"
        "pairs ranked                       5\n"
        "(ties: expected, no answer: skip, mixed questions only)"
    )


def test_classification_table():
    assert classification_table(classification_measures([0, 1, 1], [0, 0, 1], ["no", "yes"])) == (
        "pairs           3\n"
        "accuracy   0.6667\n"
        "F1 of yes  0.6667\n"
        "macro F1   0.6667\n"
        "\n"
        "label  precision  recall      F1\n"
        "no        0.5000  1.0000  0.6667\n"
        "yes       1.0000  0.5000  0.6667\n"
        "\n"
        "true \\ predicted  no  yes\n"
        "no                 1    0\n"
        "yes                1    1"
    )
