"""The corpora whose files are known, as a table, and how one is recognised from its header."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from abcnn.errors import InputError
from abcnn.tables import TABLE_FORMATS

GENERIC = "table"


@dataclass(frozen=True)
class Corpus:
    """The columns of a corpus as its authors publish it.

    A file is of this corpus when its header has all of `header`. `unlabelled` is the label of
    pairs on which the annotators did not agree: such rows are skipped and counted. `grade` is its
    column of grades, where it has one beside that of labels.
    """

    name: str
    header: tuple[str, ...]
    left: str
    right: str
    label: str
    group: str | None = None
    candidate: str | None = None
    unlabelled: str | None = None
    grade: str | None = None


WIKIQA = Corpus(
    name="wikiqa",
    header=(
        "QuestionID",
        "Question",
        "DocumentID",
        "DocumentTitle",
        "SentenceID",
        "Sentence",
        "Label",
    ),
    left="Question",
    right="Sentence",
    label="Label",
    group="QuestionID",
    candidate="SentenceID",
)
MSRP = Corpus(
    name="msrp",
    header=("Quality", "#1 ID", "#2 ID", "#1 String", "#2 String"),
    left="#1 String",
    right="#2 String",
    label="Quality",
)
SICK = Corpus(
    name="sick",
    header=("pair_ID", "sentence_A", "sentence_B", "relatedness_score", "entailment_judgment"),
    left="sentence_A",
    right="sentence_B",
    label="entailment_judgment",
    grade="relatedness_score",
)
MULTINLI = Corpus(
    name="multinli",
    header=("gold_label", "genre", "sentence1", "sentence2"),
    left="sentence1",
    right="sentence2",
    label="gold_label",
    unlabelled="-",
)
SNLI = Corpus(
    name="snli",
    header=("gold_label", "sentence1", "sentence2"),
    left="sentence1",
    right="sentence2",
    label="gold_label",
    unlabelled="-",
)
QUORA = Corpus(
    name="quora",
    header=("id", "qid1", "qid2", "question1", "question2", "is_duplicate"),
    left="question1",
    right="question2",
    label="is_duplicate",
)

# MultiNLI before SNLI: its header has all of SNLI's names and one more.
CORPORA = (WIKIQA, MSRP, SICK, MULTINLI, SNLI, QUORA)
PAIR_FORMATS = (*(corpus.name for corpus in CORPORA), GENERIC, *TABLE_FORMATS)


def check_pair_format(format: str | None) -> None:
    """Raise InputError when `format` is neither None nor one of `PAIR_FORMATS`."""
    if format is not None and format not in PAIR_FORMATS:
        raise InputError(f"`format` must be one of {', '.join(PAIR_FORMATS)}. Received: {format!r}")


def recognise_corpus(names: Sequence[str]) -> Corpus | None:
    """The first corpus whose whole header is among `names`."""
    return next((corpus for corpus in CORPORA if set(corpus.header) <= set(names)), None)


def corpus_of(format: str | None, names: Sequence[str], source: str) -> Corpus | None:
    """The corpus that `format` names, or without a format the one the header shows.

    Raises InputError when the header is not that of the named corpus.
    """
    if format is None:
        return recognise_corpus(names)
    corpus = next((corpus for corpus in CORPORA if corpus.name == format), None)
    if corpus is not None and not set(corpus.header) <= set(names):
        raise InputError(
            f"{source}, header: expected the columns of {format}: {', '.join(corpus.header)}. "
            f"Received: {', '.join(names)}"
        )
    return corpus
