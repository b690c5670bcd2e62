"""`abcnn info` as a user runs it: the real process."""

from __future__ import annotations

import json
import subprocess
import sys

import keras
import pytest

from abcnn.tasks import TASKS as TABLE
from tests.commands.process import ROOT, TASKS, abcnn


@pytest.mark.parametrize("task", TASKS)
def test_what_a_bundle_holds(trained, tmp_path, task):
    made = trained(task)
    done = abcnn("info", made.folder, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    facts = dict(line.split("  ", 1) for line in done.stdout.splitlines())
    facts = {name: value.strip() for name, value in facts.items()}
    matcher = made.matcher
    words = len((made.folder / "vocabulary.txt").read_text().splitlines())
    assert facts["task"] == task
    assert facts["model"] == (
        f"abcnn-3, 1 convolution layer(s), 4 filters of width {matcher.config.width}"
    )
    if task == "similarity":
        assert facts["grades"] == "from 1 to 5"
    else:
        assert facts["labels"] == ", ".join(matcher.labels)
    assert facts["vocabulary"] == f"{words:,} words of 8 dimensions"
    assert facts["vectors"].startswith("word2vec, 8 dimensions, trained on the ")
    assert facts["tokenizer"] == f"word, at most {matcher.encoder.max_length} tokens a sentence"
    assert facts["features"] == ", ".join(matcher.encoder.features.names)
    assert facts["training"].startswith(
        f"best epoch {matcher.about['best_epoch']} of {len(made.epochs)}, seed 0, "
    )
    assert f"keras {keras.__version__}" in facts["versions"]
    key = TABLE[task].measure
    name = {"map": "MAP", "accuracy": "accuracy", "pearson": "Pearson"}[key]
    for part in ("dev", "test"):
        assert facts[part].startswith(f"{name} {matcher.metrics[part][key]:.4f}, ")
    two = task in ("answer-selection", "paraphrase")
    assert facts["threshold"] == (f"{matcher.threshold:.4f}" if two else "none")


def test_json_and_the_import_of_nothing_heavy(trained, tmp_path):
    made = trained("entailment")
    done = abcnn("info", made.folder, "--json", cwd=tmp_path)
    facts = json.loads(done.stdout)
    assert facts["labels"] == ["contradiction", "neutral", "entailment"]
    assert facts["metrics"] == made.matcher.metrics
    assert facts["about"]["options"]["epochs"] == 2
    code = (
        "import sys; from abcnn.commands import main\n"
        f"try: main(['info', {str(made.folder)!r}])\n"
        "except SystemExit: print(sorted({'keras', 'tensorflow'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"
