"""What every layer must pass, on TensorFlow, JAX and PyTorch: `check_layer`."""

from __future__ import annotations

import inspect
import json
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import keras
import numpy as np
from keras import ops

FLOAT32: dict[str, Any] = {"rtol": 2e-5, "atol": 2e-6}
# Of one rounding of the inputs and one of each intermediate result, some sums long.
LOW_PRECISION: dict[str, dict[str, Any]] = {
    "mixed_bfloat16": {"rtol": 6e-2, "atol": 6e-2},
    "mixed_float16": {"rtol": 8e-3, "atol": 8e-3},
}


@dataclass(frozen=True)
class Length:
    """One length of a layer's inputs.

    places: the (input name, axis) pairs that have this length. mask: the name of the mask
    argument that tells its real units, on its axis `mask_axis`; without one, padding of the inputs
    is zeros.
    """

    places: tuple[tuple[str, int], ...]
    mask: str | None = None
    mask_axis: int = 1


@dataclass(frozen=True)
class LayerCase:
    """A layer, and an input of it.

    make: the layer's class or a partial of it; takes `dtype` and `name` besides.
    inputs: the positional arguments of `call` in their order, float32, batch first.
    masks: its mask arguments, `(batch, length)` bool, prefixes of each row; or
        `(batch, length, length)`.
    lengths: which axes are lengths; empty where the layer has none that may be padded.
    padding_gives_zero: what padding adds to the output is exactly 0.
    """

    make: Callable[..., keras.Layer]
    inputs: Mapping[str, np.ndarray]
    masks: Mapping[str, np.ndarray] = field(default_factory=dict)
    lengths: tuple[Length, ...] = ()
    padding_gives_zero: bool = True

    def layer(self, **options: Any) -> keras.Layer:
        """A layer with weights that are all different from 0, the same at every call."""
        layer = self.make(**options)
        layer(*self.inputs.values(), **self.masks)
        generator = np.random.default_rng(7)
        layer.set_weights(
            [generator.normal(size=weight.shape) * 0.5 for weight in layer.get_weights()]
        )
        return layer

    def outputs(self, layer: keras.Layer) -> list[np.ndarray]:
        """The layer's outputs for this case's inputs and masks."""
        return arrays_of(layer(*self.inputs.values(), **self.masks))


def arrays_of(outputs: Any) -> list[np.ndarray]:
    """A layer's output or outputs as float32 NumPy arrays."""
    outputs = outputs if isinstance(outputs, list | tuple) else [outputs]
    return [np.array(ops.convert_to_numpy(ops.cast(output, "float32"))) for output in outputs]


def assert_all_close(
    actual: list[np.ndarray], expected: list[np.ndarray], **tolerance: float
) -> None:
    """Each array close to its fellow, and of one shape with it."""
    assert len(actual) == len(expected)
    for one, other in zip(actual, expected, strict=True):
        assert one.shape == other.shape
        np.testing.assert_allclose(one, other, **(tolerance or FLOAT32))


@contextmanager
def no_mask_warning() -> Iterator[None]:
    """Fail when a warning of the body speaks of masks: Keras warns where it drops one."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    messages = [str(warning.message) for warning in caught]
    assert not [message for message in messages if "mask" in message.lower()]


def gradients(
    layer: keras.Layer, inputs: Mapping[str, np.ndarray], masks: Mapping[str, np.ndarray]
) -> tuple[dict[str, np.ndarray], list[np.ndarray]]:
    """Gradients of a fixed weighted sum of the outputs, by each input and each trainable weight.

    The sum's coefficients lie in [-1, 1] and differ from one output number to the next.
    """

    def loss(outputs: Any) -> Any:
        outputs = outputs if isinstance(outputs, list | tuple) else [outputs]
        total = 0.0
        for output in outputs:
            coefficients = np.cos(np.arange(np.prod(output.shape), dtype="float32"))
            flat = ops.reshape(ops.cast(output, "float32"), (-1,))
            total = total + ops.sum(flat * ops.convert_to_tensor(coefficients))
        return total

    tensors = [ops.convert_to_tensor(array) for array in inputs.values()]
    if not layer.built:
        layer(*tensors, **masks)
    compute = _GRADIENTS[keras.backend.backend()]
    by_input, by_weight = compute(layer, tensors, masks, loss)
    arrays = [np.asarray(ops.convert_to_numpy(ops.cast(g, "float32"))) for g in by_input]
    weights = [np.asarray(ops.convert_to_numpy(ops.cast(g, "float32"))) for g in by_weight]
    return dict(zip(inputs, arrays, strict=True)), weights


def _tensorflow_gradients(layer, tensors, masks, loss):
    import tensorflow as tf

    with tf.GradientTape() as tape:
        tape.watch(tensors)
        value = loss(layer(*tensors, **masks))
    variables = [weight.value for weight in layer.trainable_weights]
    zero = tf.UnconnectedGradients.ZERO
    return tape.gradient(value, [tensors, variables], unconnected_gradients=zero)


def _jax_gradients(layer, tensors, masks, loss):
    import jax

    fixed = [variable.value for variable in layer.non_trainable_variables]

    def value(tensors, trainable):
        outputs, _ = layer.stateless_call(trainable, fixed, *tensors, **masks)
        return loss(outputs)

    trainable = [variable.value for variable in layer.trainable_variables]
    return jax.grad(value, argnums=(0, 1))(tensors, trainable)


def _torch_gradients(layer, tensors, masks, loss):
    import torch

    leaves = [tensor.detach().clone().requires_grad_() for tensor in tensors]
    variables = [weight.value for weight in layer.trainable_weights]
    everything = leaves + variables
    found = torch.autograd.grad(loss(layer(*leaves, **masks)), everything, allow_unused=True)
    whole = [
        torch.zeros_like(tensor) if gradient is None else gradient
        for gradient, tensor in zip(found, everything, strict=True)
    ]
    return whole[: len(leaves)], whole[len(leaves) :]


_GRADIENTS = {
    "tensorflow": _tensorflow_gradients,
    "jax": _jax_gradients,
    "torch": _torch_gradients,
}


def check_layer(case: LayerCase, folder: Path) -> None:
    """Everything below; `folder` is an empty one to save models in."""
    with no_mask_warning():
        check_config(case)
        check_shapes(case)
        check_save_and_reload(case, folder)
        check_mixed_precision(case)
        check_padding(case)
        check_one_by_one(case)
        check_gradients(case)


def check_config(case: LayerCase) -> None:
    """The config is JSON, names every argument, makes an equal layer; the class is registered."""
    layer = case.make(name="a_name")
    config = layer.get_config()
    arguments = {
        parameter.name
        for parameter in inspect.signature(type(layer).__init__).parameters.values()
        if parameter.name != "self" and parameter.kind is not parameter.VAR_KEYWORD
    }
    assert arguments <= set(config)
    assert type(layer).from_config(json.loads(json.dumps(config))).get_config() == config
    serialised = json.loads(json.dumps(keras.saving.serialize_keras_object(layer)))
    assert serialised["registered_name"] == f"abcnn>{type(layer).__name__}"
    again = keras.saving.deserialize_keras_object(serialised)
    assert type(again) is type(layer)
    assert again.get_config() == config


def symbolic_model(case: LayerCase, layer: keras.Layer) -> keras.Model:
    """A model of the layer alone: an input of unknown lengths for each argument of the case."""
    unknown = {place for length in case.lengths for place in length.places}
    positional = {
        name: keras.Input(
            [
                None if (name, axis) in unknown else array.shape[axis]
                for axis in range(1, array.ndim)
            ],
            name=name,
        )
        for name, array in case.inputs.items()
    }
    masks = {
        name: keras.Input([None] * (mask.ndim - 1), dtype="bool", name=name)
        for name, mask in case.masks.items()
    }
    return keras.Model({**positional, **masks}, layer(*positional.values(), **masks))


def check_shapes(case: LayerCase) -> None:
    """compute_output_shape is the actual shape, before and after build, for unknown lengths too."""
    shapes = [array.shape for array in case.inputs.values()]

    def as_list(shape: Any) -> list[tuple]:
        several = isinstance(shape[0], list | tuple)
        return [tuple(one) for one in shape] if several else [tuple(shape)]

    layer = case.layer()
    actual = [output.shape for output in case.outputs(layer)]
    assert as_list(case.make().compute_output_shape(*shapes)) == actual
    assert as_list(layer.compute_output_shape(*shapes)) == actual

    model = symbolic_model(case, layer)
    symbolic = [tuple(model.input[name].shape) for name in case.inputs]
    assert as_list(layer.compute_output_shape(*symbolic)) == [
        tuple(output.shape) for output in model.outputs
    ]


def check_save_and_reload(case: LayerCase, folder: Path) -> None:
    """A saved model loads in safe mode and gives the same outputs, compiled and eager."""
    layer = case.layer()
    model = symbolic_model(case, layer)
    path = folder / "model.keras"
    model.save(path)
    again = keras.saving.load_model(path, safe_mode=True)
    arrays = {**case.inputs, **case.masks}
    expected = arrays_of(model(arrays))
    for one, other in zip(arrays_of(again(arrays)), expected, strict=True):
        np.testing.assert_array_equal(one, other)
    assert_all_close(expected, case.outputs(layer))
    assert_all_close(arrays_of(again.predict(arrays, verbose=0)), expected)


def check_mixed_precision(case: LayerCase) -> None:
    """Under the mixed policies the outputs are near float32's, the variables float32."""
    expected = case.outputs(case.layer())
    for policy, tolerance in LOW_PRECISION.items():
        layer = case.layer(dtype=policy)
        assert layer.dtype_policy.name == policy
        assert all(variable.dtype == "float32" for variable in layer.weights)
        outputs = case.outputs(layer)
        assert all(np.isfinite(output).all() for output in outputs)
        assert_all_close(outputs, expected, **tolerance)


def with_padding(case: LayerCase, length: Length, extra: int, fill: float) -> LayerCase:
    """The case with `extra` units more in one of its lengths, masked where it has a mask."""

    def padded(array: np.ndarray, axis: int, value: float | bool) -> np.ndarray:
        widths = [(0, extra if axis == one else 0) for one in range(array.ndim)]
        return np.pad(array, widths, constant_values=value)

    inputs = dict(case.inputs)
    for name, axis in length.places:
        inputs[name] = padded(inputs[name], axis, fill)
    masks = dict(case.masks)
    if length.mask is not None:
        masks[length.mask] = padded(masks[length.mask], length.mask_axis, False)
    return replace(case, inputs=inputs, masks=masks)


def check_padding(case: LayerCase) -> None:
    """More padding, whatever it holds, leaves the outputs alone; what it adds is exactly 0."""
    layer = case.layer()
    expected = case.outputs(layer)
    for length in case.lengths:
        for fill in (0.0,) if length.mask is None else (0.0, 9.0):
            padded = with_padding(case, length, 2, fill).outputs(layer)
            for actual, before in zip(padded, expected, strict=True):
                inner = tuple(slice(size) for size in before.shape)
                assert_all_close([actual[inner]], [before])
                if case.padding_gives_zero:
                    rest = actual.copy()
                    rest[inner] = 0.0
                    assert not rest.any()


def check_one_by_one(case: LayerCase) -> None:
    """Each row alone, cut to its real lengths and without masks, gives what it gives in the batch.

    A mask with no real unit at all stays, since a sentence of no units cannot be given alone.
    """
    layer = case.layer()
    together = case.outputs(layer)
    for row in range(len(next(iter(case.inputs.values())))):
        inputs = {name: array[row : row + 1] for name, array in case.inputs.items()}
        masks = {name: mask[row : row + 1] for name, mask in case.masks.items()}
        for length in case.lengths:
            if length.mask is None or not (mask := masks[length.mask]).any():
                continue
            others = tuple(axis for axis in range(mask.ndim) if axis != length.mask_axis)
            real = range(int(mask.any(axis=others).sum()))
            masks[length.mask] = np.take(mask, real, axis=length.mask_axis)
            for name, axis in length.places:
                inputs[name] = np.take(inputs[name], real, axis=axis)
        masks = {name: mask for name, mask in masks.items() if not mask.all()}
        alone = arrays_of(layer(*inputs.values(), **masks))
        for one, batch in zip(alone, together, strict=True):
            inner = tuple(slice(size) for size in one.shape[1:])
            assert_all_close([one[0]], [batch[row][inner]])


def check_gradients(case: LayerCase) -> None:
    """Gradients are finite, also for zeros and for equal units; padded units have exactly none."""
    layer = case.layer()
    by_input, by_weight = gradients(layer, case.inputs, case.masks)
    for gradient in (*by_input.values(), *by_weight):
        assert np.isfinite(gradient).all()
        assert gradient.any()
    for length in case.lengths:
        if length.mask is not None:
            for name, axis in length.places:
                by_unit = np.moveaxis(by_input[name], axis, length.mask_axis)
                assert not by_unit[~case.masks[length.mask]].any()
    for value in (0.0, 0.5):
        inputs = {name: np.full_like(array, value) for name, array in case.inputs.items()}
        by_input, by_weight = gradients(layer, inputs, case.masks)
        assert all(np.isfinite(one).all() for one in (*by_input.values(), *by_weight))
