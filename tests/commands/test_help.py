"""The help of every command, its example, and what the command line itself understands."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version

import pytest

from tests.commands.process import ROOT, SAMPLES, abcnn, error_of

# All commands and subcommands from the program itself, with their help, and what was imported.
WALK = """
import json, sys
import click
from click.testing import CliRunner
from abcnn.commands import main

def walk(command, path):
    result = CliRunner().invoke(main, [*path, "--help"], terminal_width=80)
    yield " ".join(path), {"code": result.exit_code, "text": result.output}
    if isinstance(command, click.Group):
        with click.Context(command) as context:
            for name in command.list_commands(context):
                yield from walk(command.get_command(context, name), [*path, name])

helps = dict(walk(main, []))
heavy = {"keras", "tensorflow", "numpy", "sklearn", "gensim", "pyarrow"} & set(sys.modules)
print(json.dumps({"helps": helps, "heavy": sorted(heavy)}))
"""
COMMANDS = (
    *("", "train", "evaluate", "predict", "explain", "report", "serve", "export"),
    *("measure", "baseline", "compare", "compare-models", "search", "info", "doctor"),
    *("embeddings", "embeddings coverage"),
    *("embeddings neighbours", "embeddings train"),
    *("push", "pull"),
    *("data", "data check", "data fetch", "data list"),
)
# Their examples need the network, or do not end (tests/serving/test_process.py runs that one).
NOT_RUN = {"data fetch", "push", "pull", "serve"}


@pytest.fixture(scope="module")
def walked():
    done = subprocess.run(
        [sys.executable, "-c", WALK], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def example_of(text):
    """The command in the last paragraph of a help, which is wrapped."""
    prefix, _, command = " ".join(text.rpartition("\n\n")[2].split()).partition("Example: ")
    assert prefix == ""
    return command


def test_every_command_has_a_help_and_none_imports_anything_heavy(walked):
    assert tuple(walked["helps"]) == COMMANDS
    assert {help["code"] for help in walked["helps"].values()} == {0}
    assert walked["heavy"] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_a_help_ends_in_an_example_of_its_command(walked, name):
    assert example_of(walked["helps"][name]["text"]).startswith(f"abcnn {name}".strip())


def test_the_examples_run_as_printed(walked, trained, tmp_path):
    """In a folder with the samples and the bundle that the demo leaves."""
    shutil.copytree(SAMPLES, tmp_path / "data" / "samples")
    shutil.copytree(trained("paraphrase").folder, tmp_path / "runs" / "demo" / "paraphrase")
    lines = (SAMPLES / "paraphrase" / "train.tsv").read_text().splitlines()[:80]
    (tmp_path / "pairs.csv").write_text("\n".join(lines).replace(",", "").replace("\t", ","))
    (tmp_path / "glove.txt").write_text("doctor 1 0 0\nthe 0.5 1 0\n")
    (tmp_path / "qrels.txt").write_text("q 0 a 1\nq 0 b 0\n")
    (tmp_path / "run.txt").write_text("q Q0 a 1 2.5 t\nq Q0 b 2 1.5 t\n")
    (tmp_path / "other.txt").write_text("q Q0 a 1 2.5 t\nq Q0 b 2 3.5 t\n")
    (tmp_path / "corpora").mkdir()
    (tmp_path / "corpora" / "glove.6B.200d.txt").write_text("the 0.1 0.2\n")
    examples = sorted(
        {example_of(help["text"]) for name, help in walked["helps"].items() if name not in NOT_RUN}
    )

    def run(example):
        program, *arguments = shlex.split(example)
        assert program == "abcnn"
        # Options may be set in the environment: here for speed.
        small = {"EPOCHS": "1", "DIM": "8", "FILTERS": "4", "MODEL": "bcnn"}
        settings = {
            f"ABCNN_{command}_{name}": value
            for command in ("TRAIN", "COMPARE_MODELS", "SEARCH")
            for name, value in small.items()
        }
        return abcnn(*arguments, cwd=tmp_path, **settings)

    with ThreadPoolExecutor(2) as pool:
        done = dict(zip(examples, pool.map(run, examples), strict=True))
    assert {example: one.stderr for example, one in done.items() if one.returncode} == {}
    by_command = {example.split()[1]: one for example, one in done.items()}
    # `embeddings` and `embeddings train` share one.
    assert len(examples) == len(COMMANDS) - len(NOT_RUN) - 1

    for name in ("first", "paraphrase"):
        about = json.loads((tmp_path / "runs" / name / "config.json").read_text())
        assert (about["network"]["model"], about["network"]["dim"]) == ("bcnn", 8)
        assert about["about"]["epochs"] == 1
    scored = (tmp_path / "runs" / "scored.csv").read_text().splitlines()
    assert scored[0] == "sentence1,sentence2,label,score,predicted_label,note"
    samples = (SAMPLES / "paraphrase" / "test.tsv").read_text().splitlines()
    assert len(scored) == len(samples)
    assert f"{len(samples) - 1:,} rows, {len(samples) - 1:,} scored" in by_command["predict"].stderr
    assert by_command["evaluate"].stdout.splitlines()[0].split() == ["pairs", str(len(samples) - 1)]
    assert json.loads(by_command["measure"].stdout)["map"] == 1
    assert "lexical" in by_command["baseline"].stdout
    assert by_command["compare"].stdout.splitlines()[1].split()[:3] == ["MAP", "1.0000", "0.5000"]
    assert by_command["compare-models"].stdout.splitlines()[2].split()[1] == "average"
    assert by_command["info"].stdout.splitlines()[0].split() == ["task", "paraphrase"]
    assert json.loads(by_command["doctor"].stdout)["backend"]
    assert (tmp_path / "vectors.bin").is_file()


def test_version_and_short_help(tmp_path):
    assert abcnn("--version", cwd=tmp_path).stdout == f"abcnn, version {version('abcnn')}\n"
    short, long = abcnn("-h", cwd=tmp_path), abcnn("--help", cwd=tmp_path)
    assert (short.returncode, short.stdout) == (0, long.stdout)
    assert abcnn("info", "-h", cwd=tmp_path).stdout.startswith("Usage: abcnn info")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["trian"], "No such command 'trian'"),
        (["train", "paraphrase"], "Missing option '--train'"),
        (["train", "summaries", "--train", "x", "--out", "y"], "'summaries' is not one of"),
        (["predict", "x"], "Give INPUT, a table of pairs, or one pair"),
        (["predict", "x", "in.csv"], "Give -o OUTPUT"),
        (["predict", "x", "in.csv", "--left", "a", "--right", "b"], "and no INPUT"),
        (["predict", "x", "--left", "a"], "Give both --left and --right"),
        (["predict", "x", "--left", "a", "--right", "b", "-o", "c"], "-o is for tables"),
        (["predict", "x", "in.csv", "-o", "c", "--batch-size", "0"], "0 is not in the range"),
        (["evaluate", "x"], "Missing argument 'FILE'"),
        (["evaluate", "x", "y", "--ties", "lucky"], "'lucky' is not one of"),
        (["info"], "Missing argument 'FOLDER'"),
    ],
)
def test_a_wrong_use_exits_with_2_and_says_what_is_wrong(tmp_path, arguments, message):
    done = abcnn(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert message in done.stderr.splitlines()[-1]
    assert list(tmp_path.iterdir()) == []


def test_the_environment_and_a_file_give_defaults_which_the_command_line_overrides(tmp_path):
    given = ["train", "paraphrase", "--train", "none.csv", "--out", "out"]
    done = abcnn(*given, cwd=tmp_path, ABCNN_TRAIN_EPOCHS="0")
    assert done.stderr == "Error: `epochs` must be at least 1. Received: 0\n"
    (tmp_path / "abcnn.toml").write_text("[train]\nwidth = 0\n")
    done = abcnn("--config", "abcnn.toml", *given, cwd=tmp_path)
    assert done.stderr == "Error: `width` must be at least 1. Received: 0\n"
    done = abcnn("--config", "abcnn.toml", *given, "--width", 3, cwd=tmp_path)
    assert done.stderr == "Error: none.csv: there is no such file\n"


@pytest.mark.parametrize(
    "content", [None, b"[train", b"\xff\xfe", b"train = 3\n", b'[train]\nepochs = "many"\n']
)
def test_a_bad_file_of_defaults_is_told_in_one_line(tmp_path, content):
    if content is not None:
        (tmp_path / "abcnn.toml").write_bytes(content)
    train = ["train", "paraphrase", "--train", "none.csv", "--out", "out"]
    done = abcnn("--config", "abcnn.toml", *train, cwd=tmp_path)
    assert done.returncode in (1, 2)
    assert "Traceback" not in done.stderr
    assert done.stderr.splitlines()[-1].startswith("Error: ")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[train]\nepoch = 3\n", "[train] must hold options of its command, written with "),
        ("[train]\nbatch-size = 3\n", "with underscores. Received: batch-size"),
        ("[training]\nepochs = 3\n", "expected a table a command, one of train, "),
        ("[embeddings.train]\nsize = 3\n", "[embeddings.train] must hold options of its command"),
        ("[embeddings]\nmake = {dim = 3}\n", "[embeddings] must hold options of its command"),
    ],
)
def test_an_unknown_name_in_a_file_of_defaults_is_told(tmp_path, content, message):
    (tmp_path / "abcnn.toml").write_text(content)
    error = error_of(abcnn("--config", "abcnn.toml", "doctor", cwd=tmp_path))
    assert error.startswith("abcnn.toml: ")
    assert message in error


def test_a_file_of_defaults_may_hold_every_command_s(tmp_path):
    (tmp_path / "abcnn.toml").write_text(
        "[train]\nepochs = 0\ntrain_vectors = true\n[embeddings.train]\ndim = 9\n[predict]\n"
    )
    given = ["train", "paraphrase", "--train", "none.csv", "--out", "out"]
    done = abcnn("--config", "abcnn.toml", *given, cwd=tmp_path)
    assert error_of(done) == "`epochs` must be at least 1. Received: 0"


@pytest.mark.parametrize(
    ("typed", "offered"),
    [("abcnn ev", {"evaluate"}), ("abcnn train par", {"paraphrase"}), ("abcnn nothing --", set())],
)
def test_shell_completion(tmp_path, typed, offered):
    place = {"COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" "))}
    done = abcnn(cwd=tmp_path, _ABCNN_COMPLETE="bash_complete", **place)
    assert done.stderr == ""
    offers = {line.removeprefix("plain,") for line in done.stdout.split()}
    assert offered <= offers if offered else "evaluate" not in offers
    script = abcnn(cwd=tmp_path, _ABCNN_COMPLETE="bash_source")
    assert "complete -o nosort -F _abcnn_completion abcnn" in script.stdout
