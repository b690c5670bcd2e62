"""The real corpora: their rows, labels and questions, as counted by their publishers."""

from __future__ import annotations

import gzip
import subprocess
import sys
from collections import Counter

import pytest

from abcnn.readers import label_names, read_pairs, require_unique_candidates

pytestmark = pytest.mark.corpora

WIKIQA = {
    # rows, label 1, questions, questions with a right answer, with right answers only
    "train": (20_360, 1_040, 2_118, 873, 16),
    "dev": (2_733, 140, 296, 126, 4),
    "test": (6_165, 293, 633, 243, 6),
}
MSRP = {"train": (4_076, 2_753, 1_323), "test": (1_725, 1_147, 578)}
SICK = {
    "SICK_train": (2_536, 1_299, 665),
    "SICK_trial": (282, 144, 74),
    "SICK_test_annotated": (2_793, 1_414, 720),
}


def wikiqa_counts(pairs):
    labels = {}
    for group, label in zip(pairs.ranking_groups, pairs.labels, strict=True):
        labels.setdefault(group, []).append(label)
    answered = [group for group in labels.values() if "1" in group]
    return (
        len(pairs),
        Counter(pairs.labels)["1"],
        len(labels),
        len(answered),
        sum("0" not in group for group in answered),
    )


@pytest.mark.parametrize("split", WIKIQA)
def test_wikiqa(corpora, split):
    reading = read_pairs(corpora / "wikiqa" / f"WikiQA-{split}.tsv", require_labels=True)
    assert reading.format == "wikiqa"
    assert wikiqa_counts(reading.pairs) == WIKIQA[split]
    assert set(reading.pairs.labels) == {"0", "1"}
    assert reading.skipped == 0
    require_unique_candidates(reading.pairs)


def test_wikiqa_as_a_csv_that_is_not_one(corpora, tmp_path):
    """Quoting stays off whatever the file is called: with it on, stray quotes merge rows."""
    path = tmp_path / "WikiQA-test.csv"
    path.write_bytes((corpora / "wikiqa" / "WikiQA-test.tsv").read_bytes())
    assert wikiqa_counts(read_pairs(path).pairs) == WIKIQA["test"]


@pytest.mark.parametrize("split", WIKIQA)
def test_tokenised_wikiqa_has_no_header(corpora, split):
    reading = read_pairs(
        corpora / "wikiqa" / "tokenised" / f"WikiQA-{split}.txt",
        columns=["question", "sentence", "label"],
        require_labels=True,
    )
    original = read_pairs(corpora / "wikiqa" / f"WikiQA-{split}.tsv").pairs
    assert reading.format == "table"
    assert reading.pairs.labels == original.labels
    assert reading.pairs.groups is None
    assert reading.pairs.left[0].startswith(original.left[0].split()[0])


@pytest.mark.parametrize("split", MSRP)
def test_msrp(corpora, split):
    reading = read_pairs(corpora / "msrp" / f"msr_paraphrase_{split}.txt", require_labels=True)
    counts = Counter(reading.pairs.labels)
    assert reading.format == "msrp"
    assert (len(reading.pairs), counts["1"], counts["0"]) == MSRP[split]
    assert len(counts) == 2
    assert not any(text.endswith("\r") for text in reading.pairs.right)


@pytest.mark.parametrize("split", SICK)
def test_sick(corpora, split):
    reading = read_pairs(corpora / "sick" / f"{split}.txt", require_labels=True)
    counts = Counter(reading.pairs.labels)
    assert reading.format == "sick"
    assert tuple(counts[name] for name in ("NEUTRAL", "ENTAILMENT", "CONTRADICTION")) == SICK[split]
    assert label_names(counts) == ("CONTRADICTION", "NEUTRAL", "ENTAILMENT")


def test_wikiqa_packed_through_a_pipe(corpora):
    data = gzip.compress((corpora / "wikiqa" / "WikiQA-dev.tsv").read_bytes())
    program = (
        "from abcnn.readers import read_pairs\n"
        "reading = read_pairs('-')\n"
        "print(reading.format, len(reading.pairs), len(set(reading.pairs.groups)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], input=data, capture_output=True, check=True
    )
    assert done.stdout.split() == [b"wikiqa", b"2733", b"296"]
