"""The programs in `examples`, each run as its first lines say."""

import os
import re
import shlex
import subprocess
import sys

import pytest

from tests.commands.process import ROOT

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


def test_there_are_examples():
    assert [file.stem for file in EXAMPLES] == ["custom_head", "fine_tune", "layers_in_your_model"]


@pytest.mark.parametrize("file", EXAMPLES, ids=[file.stem for file in EXAMPLES])
def test_an_example_runs_and_learns(file, trained, tmp_path):
    [line] = re.findall(r"^    python (examples/.*)$", file.read_text("utf-8"), re.MULTILINE)
    script, *arguments = shlex.split(line)
    assert ROOT / script == file
    folder = {"runs/paraphrase": str(trained("paraphrase").folder)}
    done = subprocess.run(
        [sys.executable, str(file), *(folder[argument] for argument in arguments)],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    losses = [float(loss) for loss in re.findall(r"(?<!val_)loss: ([\d.e-]+)", done.stdout)]
    assert losses[-1] < losses[0]
    if file.stem == "layers_in_your_model":
        assert float(done.stdout.splitlines()[-1].split()[-1]) < 1e-6
    else:
        [measure] = re.findall(r"^test: \w+ ([\d.]+)", done.stdout, re.MULTILINE)
        assert float(measure) > 0.4  # of three equally frequent labels; or of no correlation
    assert list(tmp_path.iterdir()) == []
