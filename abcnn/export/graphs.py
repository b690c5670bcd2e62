"""A matcher's Keras network as an ONNX, TensorFlow or LiteRT graph.

Each has the inputs of `abcnn.network.build_network`, `left`, `right` (and their rests), int32
`(batch, length)`, and `features`, float32 `(batch, features)`, and the output `logits`, float32
`(batch, outputs)`. Batch and lengths are free. The weights are constants of the graph: at
most 2 GB.
"""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from abcnn.devices import find_devices
from abcnn.errors import InputError, require

if TYPE_CHECKING:
    import keras

    from abcnn.scoring.matcher import Matcher

_VECTORS = "vectors"
# Of 2021: what it lacks no network needs, and all runtimes read it.
_OPSET = 15


def export_network(matcher: Matcher, packing: str) -> keras.Model:
    """The Keras network with its word vectors stored as one of `PACKINGS`, computing in float32."""
    _start_tensorflow()
    import keras

    from abcnn.network import build_network, set_named_weights

    tables: dict[int, keras.layers.Layer] = {}  # word vectors that networks share are stored once
    members = []
    for weights in matcher.members:
        trained = build_network(matcher.config)
        set_named_weights(trained, weights)
        vectors = id(weights["vectors/embeddings"])

        def stored(layer: keras.layers.Layer, vectors: int = vectors) -> keras.layers.Layer:
            if layer.name != _VECTORS:
                return type(layer).from_config(layer.get_config())
            dtype = "float16" if packing == "float16" else "float32"
            sizes = matcher.config.vocabulary, matcher.config.dim
            table = keras.layers.Embedding(*sizes, dtype=dtype, name=_VECTORS)
            return tables.setdefault(vectors, table)

        member = keras.models.clone_model(trained, clone_function=stored)
        member.set_weights(trained.get_weights())
        members.append(member)
    if packing == "int8":
        for table in tables.values():
            table.quantize("int8")
    network = members[0] if len(members) == 1 else _mean_of(members)
    network([np.ones([size or 1 for size in one.shape], one.dtype) for one in network.inputs])
    return network


def _mean_of(members: list[keras.Model]) -> keras.Model:
    """A network whose logits are the mean of those of several, which read the same inputs."""
    import keras

    inputs = members[0].inputs
    for number, member in enumerate(members, start=1):
        member.name = f"member_{number}"
    logits = keras.layers.Average(name="mean")([member(inputs) for member in members])
    return keras.Model(inputs, logits)


def _start_tensorflow() -> None:
    """Import it without its messages, before a converter does; InputError for another backend."""
    if (backend := find_devices().backend) != "tensorflow":
        raise InputError(f"a graph needs KERAS_BACKEND=tensorflow. Received: {backend}")


def write_onnx(matcher: Matcher, path: Path, packing: str) -> None:
    """Write `path` through tf2onnx (extra `onnx`)."""
    _start_tensorflow()
    onnx = require("onnx", "onnx")
    require("tf2onnx", "onnx")
    network = export_network(matcher, packing)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*np.object", category=FutureWarning)
        network.export(path, format="onnx", opset_version=_OPSET, verbose=False)
    model = onnx.load(path)
    _name(model.graph)
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, path)


def _name(graph: Any) -> None:
    """Name the output and the free axes, which tf2onnx numbers."""
    [output] = graph.output
    for node in graph.node:
        node.input[:] = ["logits" if name == output.name else name for name in node.input]
        node.output[:] = ["logits" if name == output.name else name for name in node.output]
    output.name = "logits"
    axes = {
        "left": ("batch", "left_length"),
        "right": ("batch", "right_length"),
        "left_rest": ("batch", "left_rest_length"),
        "right_rest": ("batch", "right_rest_length"),
        "features": ("batch",),
        "logits": ("batch",),
    }
    for value in (*graph.input, *graph.output):
        for dim, name in zip(value.type.tensor_type.shape.dim, axes[value.name], strict=False):
            dim.dim_param = name


def write_saved_model(matcher: Matcher, folder: Path, packing: str) -> None:
    """Write `folder`, whose signature `serving_default` takes the inputs by name."""
    network = export_network(matcher, packing)
    import tensorflow as tf
    from tensorflow.python.framework.convert_to_constants import (
        convert_variables_to_constants_v2,
    )

    signature = [tf.TensorSpec(one.shape, one.dtype, name=one.name) for one in network.inputs]

    @tf.function(input_signature=signature)
    def compute(*inputs: Any) -> Any:
        return network(list(inputs), training=False)

    # Constants: LiteRT's converter loses the values of Keras's variables (TensorFlow 2.21), and
    # `keras.export.ExportArchive` writes each of them twice (3.15).
    frozen = convert_variables_to_constants_v2(compute.get_concrete_function())

    @tf.function(input_signature=signature)
    def serve(*inputs: Any) -> dict[str, Any]:
        return {"logits": frozen(*inputs)[0]}

    module = tf.Module()
    module.serve = serve
    tf.saved_model.save(
        module,
        str(folder),
        signatures={"serving_default": serve.get_concrete_function()},
        # That of `keras.remat` cannot be written, and scoring needs none.
        options=tf.saved_model.SaveOptions(experimental_custom_gradients=False),
    )


def write_litert(matcher: Matcher, path: Path, packing: str) -> None:
    """Write `path`, whose signature `serving_default` takes the inputs by name.

    Raises InputError for float16, of which LiteRT has no look-up.
    """
    if packing == "float16":
        raise InputError(
            "`vectors` must be float32 or int8 for litert, which looks up no float16. "
            "Received: 'float16'"
        )
    with tempfile.TemporaryDirectory() as folder:
        _start_tensorflow()
        from abcnn.layers.match_scores import float32_only

        with float32_only():
            write_saved_model(matcher, Path(folder), packing)
        import tensorflow as tf

        converter = tf.lite.TFLiteConverter.from_saved_model(folder)
        converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS]
        path.write_bytes(converter.convert())
