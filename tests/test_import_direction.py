"""Which module may import which: the packages build on each other in one order."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import abcnn

ROOT = Path(abcnn.__file__).parent
ORDER = (
    "errors",
    "pairs",
    "devices",
    "compiled",
    "tables",
    "corpora",
    "readers",
    "text",
    "features",
    "evaluation",
    "network_config",
    "runtime",
    "layers",
    "models",
    "heads",
    "network",
    "tasks",
    "scoring",
    "bundle",
    "export",
    "hub",
    "training",
    "model_comparison",
    "search",
    "estimators",
    "explanation",
    "report",
    "serving",
    "baselines",
    "commands",
)
# Two ways back: a matcher saves and loads itself; `abcnn.runtime.load` reads what `export` wrote.
WAY_BACK = {("scoring", "bundle"), ("runtime", "export")}
LIGHT = (
    *("errors", "pairs", "tables", "corpora", "readers", "text", "features"),
    *("evaluation", "tasks", "network_config", "scoring", "bundle", "export"),
    *("model_comparison", "search", "explanation", "report", "commands"),
)
HEAVY = {
    "keras",
    "tensorflow",
    "jax",
    "torch",
    "gensim",
    "sklearn",
    "pyarrow",
    "pandas",
    "scipy",
    "numba",
    "matplotlib",
    "rich",
    "jinja2",
    "optuna",
}

MODULES = sorted(ROOT.rglob("*.py"))


def package_of(file: Path) -> str:
    return file.relative_to(ROOT).with_suffix("").parts[0]


def imported(node: ast.AST) -> Iterator[str]:
    """The modules that an import statement names; of `from abcnn import x`, `abcnn.x`."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        assert node.level == 0, "imports are absolute"
        assert node.module is not None
        if node.module == "abcnn":
            yield from (f"abcnn.{alias.name}" for alias in node.names)
        else:
            yield node.module


def is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def walk(node: ast.AST, *, into_functions: bool) -> Iterator[ast.AST]:
    """The statements that run, those for the type checker left out."""
    for child in ast.iter_child_nodes(node):
        if is_type_checking(child):
            continue
        if not into_functions and isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        yield child
        yield from walk(child, into_functions=into_functions)


def imports_of(file: Path, *, into_functions: bool) -> set[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return {name for node in walk(tree, into_functions=into_functions) for name in imported(node)}


def test_the_order_names_every_package():
    assert {package_of(file) for file in MODULES} == {*ORDER, "__init__"}


@pytest.mark.parametrize("file", MODULES, ids=[str(file.relative_to(ROOT)) for file in MODULES])
def test_imports_go_up_only(file):
    package = package_of(file)
    if package == "__init__":
        return
    for name in imports_of(file, into_functions=True):
        root, *rest = name.split(".")
        if root != "abcnn" or not rest:
            assert root != "tests"
            continue
        allowed = ORDER.index(rest[0]) <= ORDER.index(package) or (package, rest[0]) in WAY_BACK
        assert allowed, f"{file.relative_to(ROOT)} imports {name}"
    if package in LIGHT:
        heavy = {name.split(".")[0] for name in imports_of(file, into_functions=False)} & HEAVY
        assert not heavy, f"{file.relative_to(ROOT)} imports {heavy} when it is imported"


def test_the_walk_sees_what_it_should():
    """The check itself: a forbidden import is found wherever it stands."""
    tree = ast.parse(
        "import keras.ops\nfrom abcnn import network\n"
        "if TYPE_CHECKING:\n    import torch\n"
        "try:\n    import jax\nexcept ImportError:\n    pass\n"
        "def f():\n    from sklearn.svm import SVC\n"
    )

    def names(into_functions: bool) -> set[str]:
        nodes = walk(tree, into_functions=into_functions)
        return {name for node in nodes for name in imported(node)}

    assert names(False) == {"keras.ops", "abcnn.network", "jax"}
    assert names(True) == names(False) | {"sklearn.svm"}


# Compiled loops, which their callers import when there is work for them.
LOOPS = {"abcnn.tables.line_joining", "abcnn.text.row_scan"}


def test_the_light_packages_and_all_commands_import_nothing_heavy():
    """In a fresh process, so that what their imports import counts too."""
    modules = [
        ".".join(("abcnn", *file.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")
        for file in MODULES
        if package_of(file) in LIGHT
    ]
    assert set(modules) > LOOPS
    modules = [name for name in modules if name not in LOOPS]
    assert len(modules) > 40
    code = (
        f"import importlib, sys\nfor name in {modules!r}: importlib.import_module(name)\n"
        f"print(sorted({HEAVY!r} & set(sys.modules)))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    assert result.stdout.strip() == "[]"
