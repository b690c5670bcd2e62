"""What a Keras network can say of itself: its attention matrices, and what its logits weigh.

Nothing here knows a model by its name. A layer joins by a method `attentions`
(`abcnn.layers.AttentionMap`), an output layer by being called "logits" and reading named inputs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import keras

    from abcnn.layers.attention_map import AttentionMap, Sentence


@dataclass(frozen=True)
class LayerAttention:
    """An attention map of a layer of the network, for one batch.

    `before` and `after` are counted in words, `map.before` and `map.after` in the layer's units.
    """

    layer: str
    map: AttentionMap
    before: int
    after: int


@dataclass(frozen=True)
class _Call:
    """One use of an attending layer: the layer, its symbolic arguments, its reach in words.

    `sentences` are those of its first and second argument.
    """

    layer: Any
    arguments: tuple
    keywords: Mapping[str, Any]
    sentences: tuple[Sentence, Sentence]
    before: int
    after: int


class NetworkView:
    """A network whose insides can be read: made once, called with the inputs of any batch."""

    def __init__(self, network: keras.Model):
        import keras

        self._calls = tuple(_attending_calls(network))
        last = next((layer for layer in network.layers if layer.name == "logits"), None)
        self._output = last if isinstance(last, keras.layers.Dense) else None
        self._weighed = self._output.input if self._output else network.outputs[0]
        self._inputs = tuple(keras.tree.flatten([(c.arguments, c.keywords) for c in self._calls]))
        tensors = [tensor for tensor in self._inputs if keras.backend.is_keras_tensor(tensor)]
        self._model = keras.Model(network.inputs, [network.outputs[0], self._weighed, *tensors])

    def __call__(
        self, inputs: Mapping[str, np.ndarray]
    ) -> tuple[np.ndarray, np.ndarray, list[LayerAttention]]:
        """Logits `(batch, outputs)`, what the output layer weighs `(batch, inputs)`, attentions."""
        import keras

        logits, weighed, *tensors = self._model(inputs)
        rest = iter(tensors)
        values = [
            next(rest) if keras.backend.is_keras_tensor(value) else value for value in self._inputs
        ]
        packed = keras.tree.pack_sequence_as(
            [(call.arguments, call.keywords) for call in self._calls], values
        )
        found = []
        for call, (arguments, keywords) in zip(self._calls, packed, strict=True):
            for one in call.layer.attentions(*arguments, **keywords):
                one = one.of(*call.sentences)
                reach = call.before + one.before, call.after + one.after
                found.append(LayerAttention(call.layer.name, one, *reach))
        return keras.ops.convert_to_numpy(logits), keras.ops.convert_to_numpy(weighed), found

    @property
    def output_weights(self) -> tuple[np.ndarray, np.ndarray]:
        """Kernel `(inputs, outputs)` and bias `(outputs,)` of the output layer."""
        assert self._output is not None
        kernel, bias = self._output.get_weights()
        return kernel, bias

    def weighed_parts(self, features: Sequence[str]) -> list[tuple[str, int]]:
        """The parts of the output layer's input, their names and sizes; `features` are the pair's.

        A similarity score is named by its kind and by the layer whose vectors it compares; so are
        the comparisons number by number, which are one part each, as is the pooled attention of a
        layer. There are none in a network whose logits are no weighed sum.
        """
        if self._output is None:
            return []
        parts: list[tuple[str, int]] = []
        for tensor in _joined(self._weighed):
            parts += _parts_of(tensor, features)
        return parts


def _attending_calls(network: keras.Model) -> Iterator[_Call]:
    """The calls of attending layers in the order of the network's layers."""
    for layer in network.layers:
        # A layer in a network was called on symbolic tensors; Keras keeps a node for each call.
        for node in layer._inbound_nodes:
            if hasattr(layer, "attentions"):
                arguments, keywords = node.arguments.args, node.arguments.kwargs
                sentences = [_sentence_of(tensor) for tensor in node.input_tensors[:2]]
                read = sentences[0], sentences[-1]
                reach = _reach(node.input_tensors[0])
                yield _Call(layer, arguments, keywords, read, *reach)


def _sentence_of(tensor: Any) -> Sentence:
    """The sentence whose units a symbolic tensor holds: that of what it is made from."""
    layer, _ = _maker(tensor)
    if joined := getattr(layer, "sentence", None):
        return joined
    if (source := _made_from(tensor)) is not None:
        return _sentence_of(source)
    return layer.name if layer.name in ("right", "left_rest", "right_rest") else "left"


def _reach(tensor: Any) -> tuple[int, int]:
    """How many words before and after its own a unit of a symbolic tensor sees."""
    if (source := _made_from(tensor)) is None:
        return 0, 0
    before, after = _reach(source)
    back, ahead = getattr(_maker(tensor)[0], "reach", (0, 0))
    return before + back, after + ahead


def _made_from(tensor: Any) -> Any:
    """The units from which those of a symbolic tensor are made, None for an input.

    A layer with several results, such as `Block`, gives them in the order of its arguments.
    """
    _, node = _maker(tensor)
    if not node.input_tensors:
        return None
    index = tensor._keras_history.tensor_index
    return node.input_tensors[index if index < len(node.input_tensors) else 0]


def _maker(tensor: Any) -> tuple[Any, Any]:
    """The layer that made a symbolic tensor, and its node."""
    record = tensor._keras_history
    return record.operation, record.operation._inbound_nodes[record.node_index]


def _joined(tensor: Any) -> list[Any]:
    """The tensors that were concatenated to `tensor`, dropout being nothing in scoring."""
    import keras

    layer, node = _maker(tensor)
    if isinstance(layer, keras.layers.Dropout):
        return _joined(node.input_tensors[0])
    return node.input_tensors if isinstance(layer, keras.layers.Concatenate) else [tensor]


def _parts_of(tensor: Any, features: Sequence[str]) -> list[tuple[str, int]]:
    layer, node = _maker(tensor)
    size = tensor.shape[-1]
    if layer.name == "features":
        names = list(features)
    elif scores := getattr(layer, "scores", None):
        names = [f"{score} similarity, {_compared(node)}" for score in scores]
    elif comparisons := getattr(layer, "comparisons", None):
        return [(f"{name}, {_compared(node)}", size // len(comparisons)) for name in comparisons]
    elif getattr(layer, "pooled_attention", 0):
        return [(f"pooled attention, {layer.name}", size)]
    elif size == 1:
        names = [layer.name]
    else:
        names = [f"hidden unit {number}, {layer.name}" for number in range(1, size + 1)]
    return [(name, 1) for name in names]


def _compared(node: Any) -> str:
    """The name of the layer that made what is compared."""
    name: str = _maker(node.input_tensors[0])[0].name
    return name
