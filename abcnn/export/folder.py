"""What `abcnn export` writes: the network in one of four forms, and what turns text into its input.

| file | what |
| --- | --- |
| `model.onnx`, `model.tflite`, `saved_model/`, or `vectors.npy` and `weights.npz` | the network |
| `config.json` | the bundle's: task, labels, threshold, tokeniser; `export` says form and vectors |
| `vocabulary.txt`, `words.json`, `metrics.json` | the bundle's |
| `README.md` | inputs, output, and how to score, for people |
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from os import PathLike
from pathlib import Path

import numpy as np

from abcnn.bundle import load_bundle, read_config
from abcnn.bundle.files import files_below, whole_folder
from abcnn.bundle.folder import CARD, write_config, write_weights
from abcnn.errors import InputError
from abcnn.export.readme import readme
from abcnn.export.scorer import ONNX_FILE, SCALE, VECTORS
from abcnn.network_config import MODEL_OPTIONS
from abcnn.runtime.numpy_network import COMPUTED
from abcnn.runtime.packed_vectors import PACKINGS, pack_vectors
from abcnn.scoring.matcher import Matcher

_KEPT = ("vocabulary.txt", "words.json", "metrics.json")


def export_bundle(
    bundle: str | PathLike[str],
    folder: str | PathLike[str],
    form: str,
    *,
    vectors: str = "float32",
    replace: bool = False,
) -> int:
    """Write the bundle's model to the new `folder` in another form, one of `FORMATS`; its bytes.

    Batch and lengths are free (the latter up to `max_length` for the models that have one); inputs
    `left`, `right`, `features` and output `logits` are those of `abcnn.network.build_network`.
    vectors: how the word vectors are stored, one of `abcnn.runtime.packed_vectors.PACKINGS`.

    Raises BundleError as `abcnn.load` does, InputError for another form or model, or a folder that
    is there already (unless `replace`), MissingExtraError for a converter that is not installed.
    """
    for name, value, allowed in (("form", form, FORMATS), ("vectors", vectors, PACKINGS)):
        if value not in allowed:
            raise InputError(f"`{name}` must be one of {', '.join(allowed)}. Received: {value!r}")
    bundle, folder = Path(bundle), Path(folder)
    config = read_config(bundle)
    if (model := config["network"]["model"]) not in (models := EXPORTED[form]):
        raise InputError(
            f"{bundle}: a model to export as {form} must be one of {', '.join(models)}. "
            f"Received: {model!r}"
        )
    if config.get("both_orders") and form in GRAPHS_ALONE:
        raise InputError(
            f"{bundle}: `form` must be numpy or onnx for a model that reads pairs in both orders. "
            f"Received: {form!r}"
        )
    # Its converter (TensorFlow 2.21) does not take several networks in one graph.
    if form == "litert" and (members := config.get("members", 1)) > 1:
        raise InputError(
            f"{bundle}: `form` must be numpy, onnx or saved_model for an ensemble. Received: "
            f"{form!r} for {members} networks"
        )
    if folder.exists() and not replace:
        raise InputError(f"{folder}: exists already; --force replaces it")
    matcher = load_bundle(bundle)
    with whole_folder(folder, replace=replace) as part:
        FORMATS[form](matcher, part, vectors)
        for name in _KEPT:
            shutil.copyfile(bundle / name, part / name)
        (part / CARD).write_text(readme(matcher, form, vectors), encoding="utf-8")
        del config["checksums"]
        write_config(part, config | {"export": {"format": form, "vectors": vectors}})
        return sum(file.stat().st_size for file in files_below(part))


def _numpy(matcher: Matcher, folder: Path, packing: str) -> None:
    packed: dict[int, dict[str, np.ndarray]] = {}
    members = []
    for weights in matcher.members:
        vectors = weights[VECTORS]
        if id(vectors) not in packed:  # else those that it shares
            found = pack_vectors(vectors, packing)
            scale = {} if found.scale is None else {SCALE: found.scale}
            packed[id(vectors)] = {VECTORS: found.rows, **scale}
        members.append({**weights, **packed[id(vectors)]})
    write_weights(folder, members)


def _onnx(matcher: Matcher, folder: Path, packing: str) -> None:
    from abcnn.export.graphs import write_onnx

    write_onnx(matcher, folder / ONNX_FILE, packing)


def _saved_model(matcher: Matcher, folder: Path, packing: str) -> None:
    from abcnn.export.graphs import write_saved_model

    write_saved_model(matcher, folder / "saved_model", packing)


def _litert(matcher: Matcher, folder: Path, packing: str) -> None:
    from abcnn.export.graphs import write_litert

    write_litert(matcher, folder / "model.tflite", packing)


FORMATS: dict[str, Callable[[Matcher, Path, str], None]] = {
    "numpy": _numpy,
    "onnx": _onnx,
    "saved_model": _saved_model,
    "litert": _litert,
}
"""What writes the network of a matcher to a folder, by the name of the form."""

# LiteRT (TensorFlow 2.21) has none of Keras's loops, tf2onnx (1.17) not that of `scan`, nor the
# padding of truth values in seq2seq; padded as numbers, its graph gave NaN.
EXPORTED: dict[str, tuple[str, ...]] = {
    "numpy": COMPUTED,
    "onnx": tuple(m for m in MODEL_OPTIONS if m not in ("attentive-rnn", "seq2seq")),
    "saved_model": tuple(MODEL_OPTIONS),
    "litert": COMPUTED,
}
"""The models that each form takes; the tests hold every one to Keras."""

GRAPHS_ALONE = frozenset(("saved_model", "litert"))
"""The forms that no scorer of ours reads: what is not in the graph is not computed."""
