"""Machine code that is kept for the next process, and when it is no longer that of its source."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import abcnn

ROOT = Path(abcnn.__file__).parent
ENTRY = """
from abcnn import other
from abcnn.compiled import compiled_entry
from abcnn.other import CONSTANT

@compiled_entry(other)
def scaled(number):
    return number * CONSTANT
"""
CODE = """
from abcnn.entry import scaled
print(scaled(2), sum(scaled.stats.cache_hits.values()))
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    package = tmp_path / "abcnn"
    package.mkdir()
    for name, text in {"__init__": "", "other": "CONSTANT = 10", "entry": ENTRY}.items():
        (package / f"{name}.py").write_text(text)
    shutil.copy(ROOT / "compiled.py", package)
    return package


def product_and_hits(package: Path) -> list[str]:
    environment = os.environ | {"PYTHONPATH": str(package.parent), "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("NUMBA_CACHE_DIR", None)
    done = subprocess.run(
        [sys.executable, "-c", CODE],
        capture_output=True,
        text=True,
        timeout=300,
        env=environment,
        cwd=package.parent,
    )
    assert not done.returncode, done.stderr
    return done.stdout.split()


def test_machine_code_is_kept_until_a_source_changes_that_it_is_made_of(package):
    assert product_and_hits(package) == ["20", "0"]
    assert product_and_hits(package) == ["20", "1"]
    (package / "other.py").write_text("CONSTANT = 11")
    assert product_and_hits(package) == ["22", "0"]
    assert product_and_hits(package) == ["22", "1"]
    with (package / "compiled.py").open("a") as file:
        file.write('_OPTIONS["boundscheck"] = True\n')
    assert product_and_hits(package) == ["22", "0"]
    assert product_and_hits(package) == ["22", "1"]


def entries() -> list[Path]:
    files = {*ROOT.rglob("*.py")} - {ROOT / "compiled.py"}
    return sorted(file for file in files if "compiled_entry(" in file.read_text("utf-8"))


@pytest.mark.parametrize("file", entries(), ids=lambda file: file.stem)
def test_what_goes_into_machine_code_is_named(file):
    """Of a module with entries, every module of this package that it imports names from."""
    tree = ast.parse(file.read_text("utf-8"))
    imported = {
        node.module.rpartition(".")[2]
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and f"{node.module}".startswith("abcnn.")
    }
    named = {
        argument.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "compiled_entry"
        for argument in node.args
    }
    packages = {"runtime", "text"}  # What is imported from these is a module.
    assert imported - packages - {"compiled"} == named
