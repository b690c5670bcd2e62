"""TensorFlow, JAX and PyTorch give the same figures: layers, a training step, a bundle's scores."""

import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import keras
import numpy as np
import pytest

pytestmark = [
    pytest.mark.backend,
    pytest.mark.skipif(
        keras.backend.backend() != "tensorflow",
        reason="starts a process a backend itself, once: when the tests run on TensorFlow",
    ),
]


def figures_on(backend: str, bundle: Path, folder: Path) -> dict[str, np.ndarray]:
    """The figures of `tests/backend_figures.py`, computed in a process of its own."""
    out = folder / f"{backend}.npz"
    result = subprocess.run(
        [sys.executable, "-m", "tests.backend_figures", str(bundle), str(out)],
        cwd=Path(__file__).parents[1],
        env=os.environ
        | {"KERAS_BACKEND": backend, "JAX_PLATFORMS": "cpu", "CUDA_VISIBLE_DEVICES": ""},
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert result.returncode == 0, result.stderr
    with np.load(out) as arrays:
        return dict(arrays)


@pytest.fixture(scope="module")
def figures(trained, tmp_path_factory) -> Callable[[str], dict[str, np.ndarray]]:
    """`figures(backend)`, computed when first asked for; a test without its backend is skipped."""
    folder = tmp_path_factory.mktemp("figures")

    @cache
    def of_backend(backend: str) -> dict[str, np.ndarray]:
        if importlib.util.find_spec(backend) is None:
            pytest.skip(f"{backend} is not installed: `make test-backends` installs it")
        return figures_on(backend, trained("answer-selection").folder, folder)

    return of_backend


@pytest.mark.parametrize("backend", ["jax", "torch"])
def test_figures_are_equal_within_1e_5(figures, backend):
    actual = figures(backend)
    assert actual["backend"] == backend
    expected = figures("tensorflow")
    assert set(actual) == set(expected)
    for name in set(expected) - {"backend"}:
        assert np.isfinite(expected[name]).all(), name
        np.testing.assert_allclose(actual[name], expected[name], atol=1e-5, rtol=1e-5, err_msg=name)


def test_the_figures_under_tensorflow_are_those_of_this_process(trained, figures):
    """So that the comparison is of what the library computes, and the step moves the weights."""
    from tests.backend_figures import PAIRS, network_of_fixed_weights

    there = figures("tensorflow")
    assert there["backend"] == "tensorflow"
    np.testing.assert_allclose(
        there["bundle: probabilities"],
        trained("answer-selection").matcher.predict(PAIRS).probabilities,
        atol=1e-6,
    )
    vectors, *weights = network_of_fixed_weights().get_weights()
    for optimizer in ("sgd", "adam"):
        np.testing.assert_array_equal(there[f"{optimizer}: weight 0"], vectors)
        for index, weight in enumerate(weights, start=1):
            assert (there[f"{optimizer}: weight {index}"] != weight).any()
