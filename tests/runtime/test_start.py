"""Scoring in a process of its own: what is imported, and a cache of machine code with no place."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import abcnn

HEAVY = {"keras", "tensorflow", "jax", "torch", "sklearn", "gensim", "pandas"}
PAIR = ["--left", "Who moved the ferry?", "--right", "Two men did.", "--json"]
CODE = """
import json, sys
from abcnn.commands import main
try:
    main(sys.argv[1:])
except SystemExit as end:
    assert not end.code, end.code
print(json.dumps(sorted(name for name in sys.modules if "." not in name)))
"""


def fresh(*arguments: object) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", CODE, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip().split("\n")


def test_predict_and_evaluate_import_neither_keras_nor_tensorflow(trained, tmp_path):
    task = trained("answer-selection")
    table = tmp_path / "scored.csv"
    for arguments in (
        ["predict", task.folder, *PAIR],
        ["predict", task.folder, task.test_file, "-o", table],
        ["evaluate", task.folder, task.test_file],
    ):
        *_, modules = fresh(*arguments)
        assert "numba" in json.loads(modules)
        assert not HEAVY & set(json.loads(modules))
    assert table.stat().st_size > 0


def test_the_keras_engine_is_there_when_asked_for(trained):
    fast, _ = fresh("predict", trained("paraphrase").folder, *PAIR)
    keras, modules = fresh("predict", trained("paraphrase").folder, *PAIR, "--engine", "keras")
    assert "keras" in json.loads(modules)
    assert abs(json.loads(fast)["score"] - json.loads(keras)["score"]) < 1e-6


def test_it_computes_where_machine_code_cannot_be_kept(tmp_path):
    """An installation that is read-only, and a home folder that is none."""
    package = tmp_path / "abcnn"
    shutil.copytree(
        Path(abcnn.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__")
    )
    (package / "runtime" / "__pycache__").write_text("a file where the folder would be")
    nowhere = str(package / "py.typed" / "nowhere")
    environment = os.environ | {
        **{"PYTHONPATH": str(tmp_path), "HOME": nowhere, "XDG_CACHE_HOME": nowhere},
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    environment.pop("NUMBA_CACHE_DIR", None)
    # The smallest of the compiled functions: all are compiled in the same way.
    code = (
        "import numpy as np\nfrom abcnn.runtime import counting\n"
        "one, other = (np.array([0, 1]), np.array([0, 2])), (np.array([1]), np.array([0, 1]))\n"
        "known = np.ones(2), np.ones(2, bool), np.zeros(2, bool), np.zeros(2, bool)\n"
        "found = counting.count_features(*one, *other, *known)\n"
        "print(counting.__file__, *found[0, :4].astype(int))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=300,
        env=environment,
        cwd=tmp_path,
    )
    assert done.stdout.split() == [str(package / "runtime" / "counting.py"), *"2110"], done.stderr
