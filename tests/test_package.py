"""`import abcnn`: quick, and enough for Keras to load models with its layers."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import abcnn

HEAVY = {"keras", "tensorflow", "sklearn", "gensim", "pyarrow", "numpy", "scipy", "pandas"}


def fresh(code: str, *arguments: str) -> str:
    """What a fresh Python process prints."""
    result = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


def test_importing_it_imports_nothing_heavy():
    assert fresh(f"import sys, abcnn; print(sorted({HEAVY!r} & set(sys.modules)))") == "[]"


def test_what_it_offers():
    for name in abcnn.__all__:
        assert getattr(abcnn, name).__name__ == name
    with pytest.raises(AttributeError, match="module 'abcnn' has no attribute 'nothing'"):
        _ = abcnn.nothing


@pytest.fixture(scope="module")
def saved_model(tmp_path_factory) -> tuple[Path, np.ndarray]:
    """A functional model with every public layer, and what it gives for ones."""
    import keras

    from abcnn import layers

    left, right = keras.Input((6, 3), name="left"), keras.Input((4, 3), name="right")
    attention = layers.AttentionMatrix()(left, right)
    left_map, right_map = layers.AttentionFeatureMap(3, 6)(attention)
    convolve, pool, pool_all = (
        layers.WideConvolution(5, 3),
        layers.WindowPooling(3),
        layers.AllPooling(),
    )
    one = pool_all(pool(convolve(keras.layers.Concatenate()([left, left_map]))))
    other = pool_all(pool(convolve(keras.layers.Concatenate()([right, right_map]))))
    model = keras.Model([left, right], layers.SimilarityScores(("cosine", "dot"))(one, other))
    path = tmp_path_factory.mktemp("model") / "model.keras"
    model.save(path)
    return path, np.asarray(model([np.ones((2, 6, 3)), np.ones((2, 4, 3))]))


ORDERS = {
    "abcnn first": "import abcnn; import keras",
    "keras first": "import keras; import abcnn",
    "layers alone": "from abcnn.layers import AttentionMatrix; import keras",
    "models alone": "from abcnn.models import MODELS; import keras",
}


@pytest.mark.parametrize("imports", ORDERS.values(), ids=ORDERS)
def test_a_saved_model_loads_in_safe_mode(saved_model, imports):
    path, expected = saved_model
    printed = fresh(
        f"{imports}\nimport sys, numpy as np\n"
        "model = keras.saving.load_model(sys.argv[1], safe_mode=True)\n"
        "print(np.asarray(model([np.ones((2, 6, 3)), np.ones((2, 4, 3))])).tolist())",
        str(path),
    )
    np.testing.assert_allclose(json.loads(printed), expected, rtol=1e-6)


def test_the_network_of_a_matcher_loads_with_keras_alone(trained, tmp_path):
    """For a program that goes on with Keras: `import abcnn` is all it takes."""
    path = tmp_path / "model.keras"
    abcnn.load(trained("paraphrase").folder).network.save(path)
    assert (
        fresh(
            "import abcnn, keras, sys\n"
            "print(keras.saving.load_model(sys.argv[1], safe_mode=True).name)",
            str(path),
        )
        == "abcnn"
    )
