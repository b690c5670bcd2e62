"""`abcnn push` and `abcnn pull`: the real client of the Hugging Face Hub against a stub of it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import pytest
import yaml

from abcnn.bundle import BUNDLE_FILES
from tests.commands.process import ROOT, abcnn, error_of, files_in
from tests.hub_server import a_hub

REPOSITORY = "owner/paraphrase"


@pytest.fixture
def hub():
    with a_hub() as running:
        yield running


@pytest.fixture
def bundle(trained, tmp_path):
    return shutil.copytree(trained("paraphrase").folder, tmp_path / "bundle")


@pytest.fixture
def run(hub, tmp_path):
    """`run("push", ...)` with a client that knows the stub alone."""

    def command(*arguments):
        home = {"HF_HOME": str(tmp_path / ".hf")}
        return abcnn(*arguments, cwd=tmp_path, **hub.environment, **home)

    return command


def front_matter(text):
    empty, head, rest = text.split("---\n", 2)
    assert empty == ""
    return yaml.safe_load(head), rest


def test_there_and_back(run, hub, bundle, tmp_path):
    done = run("push", "bundle", REPOSITORY, "--licence", "mit", "--private")
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{hub.address}/{REPOSITORY}/commit/{hub.head(REPOSITORY)}\n"
    assert hub.private == {REPOSITORY: True}
    assert hub.messages == ["Upload an abcnn bundle"]
    [pushed] = hub.commits[REPOSITORY].values()
    assert set(pushed) == BUNDLE_FILES
    assert len(hub.uploads) == 2, "vectors and weights go as large files"

    done = run("pull", REPOSITORY, "runs/again")
    assert done.returncode == 0, done.stderr
    assert done.stderr == f"runs/again: {REPOSITORY} at {hub.head(REPOSITORY)}\n"
    pulled, ours = files_in(tmp_path / "runs"), files_in(bundle)
    assert set(pulled) == {f"again/{name}" for name in BUNDLE_FILES}
    for name in BUNDLE_FILES - {"README.md"}:
        assert pulled[f"again/{name}"] == ours[name]

    # Pushed from there again with another licence: it stands in the card once.
    assert run("push", "runs/again", REPOSITORY, "--licence", "other").returncode == 0
    head, _ = front_matter(hub.commits[REPOSITORY][hub.head(REPOSITORY)]["README.md"].decode())
    assert head["license"] == "other"


def test_the_card_as_the_hub_reads_it(run, hub, bundle):
    run("push", "bundle", REPOSITORY, "--licence", "cc-by-4.0")
    [pushed] = hub.commits[REPOSITORY].values()
    head, text = front_matter(pushed["README.md"].decode())
    metrics = json.loads((bundle / "metrics.json").read_text())
    results = head["model-index"][0]["results"]
    assert {key: value for key, value in head.items() if key != "model-index"} == {
        "license": "cc-by-4.0",
        "library_name": "abcnn",
        "pipeline_tag": "text-classification",
        "tags": ["abcnn", "keras", "sentence-pairs", "paraphrase", "abcnn-3"],
        "metrics": ["accuracy", "f1", "macro_f1"],
    }
    assert [result["dataset"] for result in results] == [
        {"name": "dev.tsv", "type": "dev", "split": "dev"},
        {"name": "test.tsv", "type": "test", "split": "test"},
    ]
    assert results[1]["task"] == {"type": "text-classification", "name": "paraphrase"}
    assert results[1]["metrics"][0] == {
        "type": "accuracy", "value": round(metrics["test"]["accuracy"], 4),
    }  # fmt: skip
    assert text.lstrip().startswith("# abcnn-3 for paraphrase\n")
    # Without a licence, as it lies in the bundle.
    ours, _ = front_matter((bundle / "README.md").read_text())
    assert ours == {key: value for key, value in head.items() if key != "license"}


def test_an_edited_card_goes_as_it_is(run, hub, bundle):
    (bundle / "README.md").write_text("# Mine\n")
    assert run("push", "bundle", REPOSITORY, "--licence", "mit").returncode == 0
    [pushed] = hub.commits[REPOSITORY].values()
    assert front_matter(pushed["README.md"].decode()) == ({"license": "mit"}, "# Mine\n")
    (bundle / "README.md").write_text("---\na: [\n---\n")
    line = error_of(run("push", "bundle", REPOSITORY, "--licence", "mit"))
    assert line.startswith("bundle/README.md: expected YAML between its first lines")


def test_only_whole_bundles_are_pushed(run, hub, bundle):
    (bundle / "words.json").write_text("{}")
    line = error_of(run("push", "bundle", REPOSITORY, "--licence", "mit"))
    assert line.startswith("bundle/words.json: was cut or changed")
    assert hub.commits == {}
    done = run("push", "bundle", REPOSITORY)
    assert done.returncode == 2
    assert "Missing option '--licence'" in done.stderr


def test_a_pulled_bundle_replaces_nothing_before_it_is_checked(run, hub, bundle, tmp_path):
    whole = files_in(bundle)
    cut = hub.commit(REPOSITORY, whole | {"weights.npz": whole["weights.npz"][:-1]})
    less = hub.commit(REPOSITORY, {n: c for n, c in whole.items() if n != "words.json"})
    good = hub.commit(REPOSITORY, whole)
    before = files_in(tmp_path)

    line = error_of(run("pull", REPOSITORY, "bundle"))
    assert line == "bundle: exists already; --force replaces it"
    force = ("pull", REPOSITORY, "bundle", "--force", "--revision")
    line = error_of(run(*force, cut))
    assert line.startswith(f"{REPOSITORY}/weights.npz: was cut or changed")
    line = error_of(run(*force, less))
    assert line == f"{REPOSITORY}: is no bundle of abcnn: words.json is missing"
    line = error_of(run(*force, "0" * 40))
    assert line == f"{REPOSITORY}: has no such branch, tag or commit"
    assert {n: c for n, c in files_in(tmp_path).items() if not n.startswith(".hf")} == before

    (bundle / "history.csv").unlink()
    assert run(*force, good).returncode == 0
    assert files_in(bundle) == whole


def test_what_is_no_bundle_is_left_alone(run, hub, bundle, tmp_path):
    hub.commit(REPOSITORY, files_in(bundle))
    (bundle / "notes.txt").write_text("mine")
    line = error_of(run("pull", REPOSITORY, "bundle", "--force"))
    assert line == "bundle: holds what no bundle does, so it is left alone: notes.txt"
    (tmp_path / "file").write_text("mine")
    assert "left alone: file" in error_of(run("pull", REPOSITORY, "file", "--force"))
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "README.md").write_text("mine")
    line = error_of(run("pull", REPOSITORY, "other", "--force"))
    assert line == "other: is no bundle, so it is left alone"


def test_what_the_hub_answers_is_one_line(run, hub, bundle):
    push = ("push", "bundle", REPOSITORY, "--licence", "mit")
    pull = ("pull", REPOSITORY, "again")
    line = error_of(run(*pull))
    assert line == (
        f"{REPOSITORY}: is not on the Hub, or not for you to see; `hf auth login` says who you are"
    )
    assert error_of(run("pull", "a/b/c", "again")) == (
        "`repository` must be owner/name. Received: 'a/b/c'"
    )
    hub.status = 403
    line = error_of(run(*push))
    assert line == f"{REPOSITORY}: HTTP 403 You may not do this; `hf auth login` says who you are"


def test_nobody_there(bundle, tmp_path):
    with a_hub() as gone:
        pass
    done = abcnn("pull", REPOSITORY, "again", cwd=tmp_path, **gone.environment)
    assert error_of(done).startswith(f"{REPOSITORY}: the Hub cannot be reached (")
    assert not (tmp_path / "again").exists()


@pytest.mark.parametrize(
    "command", [["push", ".", "a/b", "--licence", "mit"], ["pull", "a/b", "c"]]
)
def test_without_the_client(tmp_path, command):
    code = (
        "import sys; sys.modules['huggingface_hub'] = None\n"
        f"from abcnn.commands import main; main({command!r})"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert error_of(done) == "huggingface_hub is not installed: pip install 'abcnn[hub]'"
