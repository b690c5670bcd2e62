"""`abcnn doctor` as a user runs it: the real process."""

from __future__ import annotations

import platform
from importlib.metadata import version

import keras

from tests.commands.process import abcnn


def test_versions_backend_and_devices(tmp_path):
    """On a machine whose GPUs, if any, are hidden. The JSON is run as the example of the help."""
    done = abcnn("doctor", cwd=tmp_path, CUDA_VISIBLE_DEVICES="", KERAS_BACKEND="tensorflow")
    assert (done.returncode, done.stderr) == (0, "")
    facts = dict(line.split(": ", 1) for line in done.stdout.splitlines() if ": " in line)
    assert facts["python"] == platform.python_version()
    assert facts["keras"] == keras.__version__
    assert facts["click"] == version("click")
    assert facts["abcnn"] == version("abcnn")
    assert (facts["backend"], facts["GPUs"]) == ("tensorflow", "none")
    assert "pip install 'abcnn[gpu]'" in done.stdout.splitlines()[-1]


def test_a_backend_that_is_none_is_told(tmp_path):
    done = abcnn("doctor", cwd=tmp_path, KERAS_BACKEND="abacus")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "backend: none" in done.stdout
    assert "abacus" in done.stdout
