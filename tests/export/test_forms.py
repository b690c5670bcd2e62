"""Every form of an exported model in its own runtime, against the Keras network."""

import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import abcnn.runtime
from abcnn.errors import BundleError, InputError, MissingExtraError
from abcnn.export import FORMATS, export_bundle
from abcnn.export.folder import EXPORTED
from abcnn.network_config import COMPARISONS
from abcnn.scoring.calibration import Calibration
from tests.runtime.test_numpy_network import random_weights

PAIRS = [
    ("", "It was cold."),
    ("The doctor", ""),
    ("", ""),
    ("Cold", "The doctor wrote the long book in a house by the sea, and then the doctor left."),
    ("Did she write it here?", "?"),
    ("It was cold.", "It was cold."),
    ("word " * 90, "the doctor"),
]
# Each model with other scores, so that all of them are exported once.
OPTIONS = {
    "average": {"comparison": ("difference",), "scores": ("cosine", "euclidean", "manhattan")},
    "bcnn": {"comparison": COMPARISONS, "scores": ("dot", "scaled_dot")},
    "abcnn-1": {"match_score": "manhattan", "share_weights": False},
    "abcnn-2": {"match_score": "additive", "pooled_attention": 3},
    "abcnn-3": {
        **{"width": (2, 4), "match_score": "bilinear", "weight_all_pooling": False},
        **{"pooled_attention": 10, "rest_network": True},
    },
    "decomposable": {"hidden_dim": 5},
    "transformer": {"hidden_dim": 8, "heads": 2, "comparison": ("difference",)},
    "siamese-rnn": {"hidden_dim": 5, "cell": "lstm", "both_directions": True},
    "conditional-rnn": {"hidden_dim": 5, "cell": "gru"},
    "attentive-rnn": {"hidden_dim": 5, "attention": "local-predictive", "window": 2},
    "hierarchical": {"hidden_dim": 5, "max_sentences": 3},
    "seq2seq": {"hidden_dim": 5, "target_words": 20},
}
NEITHER = ("keras", "tensorflow", "jax", "torch", "numba", "sklearn", "pyarrow", "pandas")
CODE = """
import json, sys
for name in {absent!r}:
    sys.modules[name] = None  # an import of it fails
import abcnn.runtime
said = abcnn.runtime.load(sys.argv[1]).predict([tuple(pair) for pair in json.loads(sys.argv[2])])
assert not [name for name in {absent!r} if sys.modules[name] is not None]
print(json.dumps(said.probabilities.tolist()))
"""


@pytest.fixture(scope="module")
def bundles(trained, tmp_path_factory):
    """`bundles(model)`: the folder of a bundle with random weights, and its Keras matcher."""
    folder = tmp_path_factory.mktemp("bundles")

    def of_model(model):
        matcher = trained("paraphrase").matcher
        config = replace(matcher.config, model=model, **OPTIONS[model])
        encoder = replace(matcher.encoder, rests=config.rest_network)
        matcher = replace(matcher, config=config, encoder=encoder, engine="keras")
        matcher = replace(matcher, weights=random_weights(config))
        if not (folder / model).exists():
            matcher.save(folder / model)
        return folder / model, matcher

    return of_model


def scores_of(form, folder, matcher, pairs=PAIRS):
    """Probabilities by the runtime of a form, on batches of two shapes."""
    if form in ("numpy", "onnx"):
        return abcnn.runtime.load(folder).predict(pairs).probabilities
    if form == "saved_model":
        import tensorflow as tf

        loaded = tf.saved_model.load(folder / "saved_model")
        serve = loaded.signatures["serving_default"]
    else:
        from ai_edge_litert.interpreter import Interpreter

        serve = Interpreter(str(folder / "model.tflite")).get_signature_runner("serving_default")
    encoded = matcher.encode(*zip(*pairs, strict=True))
    length = matcher.encoder.max_length
    parts = [
        np.asarray(serve(**encoded.inputs(indices, length, step=1))["logits"])
        for indices in np.split(np.arange(len(pairs)), [1])
    ]
    return matcher.decide(np.concatenate(parts)).probabilities


@pytest.mark.parametrize(
    ("form", "model"), [(form, model) for form in FORMATS for model in EXPORTED[form]]
)
def test_scores_are_those_of_keras(form, model, bundles, tmp_path):
    folder, matcher = bundles(model)
    size = export_bundle(folder, tmp_path / "out", form)
    files = [file for file in (tmp_path / "out").rglob("*") if file.is_file()]
    assert size == sum(file.stat().st_size for file in files)
    expected = matcher.predict(PAIRS).probabilities
    assert np.ptp(expected[:, 1]) > 1e-3
    actual = scores_of(form, tmp_path / "out", matcher)
    np.testing.assert_allclose(actual, expected, atol=1e-5)
    assert str(matcher.labels[-1]) in (tmp_path / "out" / "README.md").read_text()


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("vectors", ["float16", "int8"])
def test_packed_vectors_give_the_same_in_every_form(form, vectors, bundles, tmp_path):
    folder, matcher = bundles("average")
    if (form, vectors) == ("litert", "float16"):
        with pytest.raises(InputError, match="`vectors` must be float32 or int8 for litert"):
            export_bundle(folder, tmp_path / "out", form, vectors=vectors)
        assert not list(tmp_path.iterdir())
        return
    export_bundle(folder, tmp_path / "out", form, vectors=vectors)
    export_bundle(folder, tmp_path / "numpy", "numpy", vectors=vectors)
    expected = scores_of("numpy", tmp_path / "numpy", matcher)
    assert 0 < np.abs(expected - matcher.predict(PAIRS).probabilities).max() < 0.05
    actual = scores_of(form, tmp_path / "out", matcher)
    np.testing.assert_allclose(actual, expected, atol=1e-5)


@pytest.mark.parametrize("form", ["numpy", "onnx"])
def test_text_is_scored_where_keras_and_tensorflow_are_not(form, trained, tmp_path):
    task = trained("entailment")
    export_bundle(task.folder, tmp_path / "out", form)
    done = subprocess.run(
        [sys.executable, "-c", CODE.format(absent=NEITHER), tmp_path / "out", json.dumps(PAIRS)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    expected = replace(task.matcher, engine="keras").predict(PAIRS).probabilities
    np.testing.assert_allclose(json.loads(done.stdout), expected, atol=1e-5)


def test_threshold_calibration_and_labels_come_along(trained, tmp_path):
    knots = (((-1.0, -3.0), (0.5, 0.1), (2.0, 1.0)),)
    matcher = replace(
        trained("paraphrase").matcher, calibration=Calibration(knots), threshold=0.3,
        labels=("other", "same"),
    )  # fmt: skip
    matcher.save(tmp_path / "bundle")
    export_bundle(tmp_path / "bundle", tmp_path / "out", "numpy")
    said = abcnn.runtime.load(tmp_path / "out").predict(PAIRS)
    expected = matcher.predict(PAIRS)
    np.testing.assert_allclose(said.scores, expected.scores, atol=1e-5)
    assert said.label_names == expected.label_names
    assert len(abcnn.runtime.load(tmp_path / "out").predict([])) == 0


@pytest.mark.parametrize("form", ["numpy", "onnx", "litert"])
def test_a_model_that_a_form_cannot_hold_is_refused(form, bundles, tmp_path):
    with pytest.raises(InputError, match=f"to export as {form} must be one of average, bcnn.*'att"):
        export_bundle(bundles("attentive-rnn")[0], tmp_path / "out", form)
    assert not list(tmp_path.iterdir())


def test_the_graph_names_inputs_output_and_free_axes(bundles, tmp_path):
    import onnx

    export_bundle(bundles("average")[0], tmp_path / "out", "onnx")
    graph = onnx.load(tmp_path / "out" / "model.onnx").graph
    axes = {
        value.name: [dim.dim_param or dim.dim_value for dim in value.type.tensor_type.shape.dim]
        for value in (*graph.input, *graph.output)
    }
    assert axes == {
        "left": ["batch", "left_length"],
        "right": ["batch", "right_length"],
        "features": ["batch", 18],
        "logits": ["batch", 1],
    }


def test_what_is_no_export_or_was_changed_is_told(bundles, tmp_path, monkeypatch):
    bundle, _ = bundles("average")
    with pytest.raises(BundleError, match=r"is a bundle, which `abcnn\.load` reads"):
        abcnn.runtime.load(bundle)
    out = tmp_path / "out"
    export_bundle(bundle, out, "numpy")
    with pytest.raises(BundleError, match=r"is an exported model, which `abcnn\.runtime\.load`"):
        abcnn.load(out)
    with pytest.raises(InputError, match="exists already"):
        export_bundle(bundle, out, "numpy")
    export_bundle(bundle, out, "numpy", vectors="int8", replace=True)
    (out / "weights.npz").write_bytes(b"changed")
    with pytest.raises(BundleError, match=r"weights\.npz: was cut or changed"):
        abcnn.runtime.load(out)
    with pytest.raises(InputError, match="`form` must be one of"):
        export_bundle(bundle, tmp_path / "other", "pickle")
    export_bundle(bundle, tmp_path / "onnx", "onnx")
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'abcnn\[onnx\]'"):
        abcnn.runtime.load(tmp_path / "onnx")
