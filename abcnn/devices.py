"""Where the arithmetic runs: processor or GPU, and in which precision."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from abcnn.errors import InputError

PRECISIONS = ("float32", "mixed_bfloat16")


@dataclass(frozen=True)
class Devices:
    """What the backend sees: its name and its GPUs by name."""

    backend: str
    gpus: tuple[str, ...]


@contextmanager
def _quiet() -> Iterator[None]:
    """Hold back what native code writes to stderr while the backend is imported and started.

    TensorFlow tells there, whatever the log level, that it found no GPU driver; `abcnn doctor` says
    that better. What was held back is printed when the block fails.
    """
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    sys.stderr.flush()
    real = os.dup(2)
    with tempfile.TemporaryFile() as held:
        os.dup2(held.fileno(), 2)
        try:
            yield
        except Exception:
            held.seek(0)
            os.write(real, held.read())
            raise
        finally:
            sys.stderr.flush()
            os.dup2(real, 2)
            os.close(real)


def find_devices() -> Devices:
    """The Keras backend and the GPUs that it can use; imports Keras.

    Raises InputError when the backend that is asked for is none, or is not installed.
    """
    with _quiet():
        try:
            import keras
        except (ImportError, ValueError) as error:
            name = os.environ.get("KERAS_BACKEND", "of Keras's settings")
            message = f"the backend {name} (KERAS_BACKEND) cannot be used: {error}"
            raise InputError(message) from error

        backend = keras.backend.backend()
        if backend == "tensorflow":
            import tensorflow as tf

            # Of graphs made anew for other shapes, which are as they should be.
            tf.get_logger().setLevel("ERROR")
            names = [device.name for device in tf.config.list_physical_devices("GPU")]
        elif backend == "jax":
            import jax

            names = [str(device) for device in jax.devices() if device.platform != "cpu"]
        else:
            import torch

            names = [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())]
    return Devices(backend, tuple(names))


def exact_products() -> None:
    """Have a GPU multiply float32 as float32, for all networks of this process.

    With the 10 bits of TF32 a GPU's scores would not be those of the processor.
    """
    import keras

    backend = keras.backend.backend()
    if backend == "tensorflow":
        import tensorflow as tf

        tf.config.experimental.enable_tensor_float_32_execution(False)
    elif backend == "jax":
        import jax

        jax.config.update("jax_default_matmul_precision", "highest")
    else:
        import torch

        torch.backends.cuda.matmul.allow_tf32 = False
        torch.backends.cudnn.allow_tf32 = False


def compiles_shapes() -> bool:
    """Whether networks are compiled once for every shape of their inputs, so that few are wanted.

    JAX always does. TensorFlow's XLA does on one GPU; on a processor a training step of this size
    gains less than its compiling costs, and over several devices it fails.
    """
    import keras

    backend = keras.backend.backend()
    if backend == "tensorflow":
        import tensorflow as tf

        return device_count() == 1 and bool(tf.config.get_visible_devices("GPU"))
    return backend == "jax"


def device_count() -> int:
    """The devices that share each batch, see `shared_batches`."""
    import keras

    if keras.backend.backend() != "tensorflow":
        return 1
    import tensorflow as tf

    return tf.distribute.get_strategy().num_replicas_in_sync


def engine_for(engine: str, device: str = "auto", precision: str = "float32") -> str:
    """The engine that can do what is asked for: `engine`, or "keras" (`abcnn.network_config`).

    The fast engine computes in float32 on the processor: a GPU or another precision means Keras.
    Imports nothing, so that a scorer without a GPU starts at once.

    Raises InputError for another word than `use_device` takes.
    """
    kind, _ = _parsed(device, precision)
    return "keras" if kind == "gpu" or precision != "float32" else engine


def _parsed(device: str, precision: str) -> tuple[str, str]:
    """The kind of a device and its number, "" where none is given; InputError for another word."""
    kind, _, number = device.partition(":")
    if kind not in ("auto", "cpu", "gpu") or (
        number and not (kind == "gpu" and number.isdecimal())
    ):
        raise InputError(f"`device` must be auto, cpu, gpu or gpu:N. Received: {device!r}")
    if precision not in PRECISIONS:
        raise InputError(
            f"`precision` must be one of {', '.join(PRECISIONS)}. Received: {precision!r}"
        )
    return kind, number


def use_device(device: str = "auto", precision: str = "float32") -> None:
    """Choose the device and the precision of all networks built from now on.

    device: "auto" (a GPU where there is one), "cpu", "gpu" or "gpu:N"; precision: one of
    `PRECISIONS`. A GPU's memory is taken as it is needed, not all at once. To be called before
    anything is computed.

    Raises InputError for another word, or when a GPU is asked for and there is none.
    """
    kind, number = _parsed(device, precision)
    # JAX and PyTorch are told by the environment, before their first import.
    if kind == "cpu":
        os.environ["JAX_PLATFORMS"] = "cpu"
        os.environ["KERAS_TORCH_DEVICE"] = "cpu"
    elif number:
        os.environ["KERAS_TORCH_DEVICE"] = f"cuda:{number}"

    found = find_devices()
    import keras

    wanted = int(number or 0)
    if kind == "gpu" and wanted >= len(found.gpus):
        raise InputError(
            f"`device` is {device!r}, but {found.backend} sees {len(found.gpus)} GPUs; "
            "`abcnn doctor` says more"
        )
    if found.backend == "tensorflow":
        import tensorflow as tf

        gpus = tf.config.list_physical_devices("GPU")
        for gpu in gpus:
            tf.config.experimental.set_memory_growth(gpu, True)
        if kind == "cpu":
            tf.config.set_visible_devices([], "GPU")
        elif kind == "gpu":
            tf.config.set_visible_devices([gpus[wanted]], "GPU")
    elif found.backend == "jax" and number:
        import jax

        jax.config.update("jax_default_device", jax.devices()[wanted])
    keras.config.set_dtype_policy(precision)


@contextmanager
def shared_batches(devices: str | None) -> Iterator[None]:
    """Have networks that are built in the block live on several devices, which share each batch.

    devices: "all" or numbers divided by commas, "0,1": of the GPUs in use, or of the processor's
    logical devices where there are none. They hold the same weights (TensorFlow's
    MirroredStrategy). None changes nothing.

    Raises InputError for a device that is not there, or another backend.
    """
    if devices is None:
        yield
        return
    import keras

    if keras.backend.backend() != "tensorflow":
        raise InputError(
            "`devices` needs the TensorFlow backend. "
            f"Received: {devices!r} with {keras.backend.backend()}"
        )
    import tensorflow as tf

    there = tf.config.list_logical_devices("GPU") or tf.config.list_logical_devices("CPU")
    numbers = [str(number) for number in range(len(there))]
    chosen = numbers if devices == "all" else devices.split(",")
    if not set(chosen) <= set(numbers) or len(set(chosen)) < len(chosen):
        raise InputError(
            f"`devices` must be all, or different ones of {','.join(numbers)} "
            f"({there[0].device_type}) divided by commas. Received: {devices!r}"
        )
    if len(chosen) == 1:
        if devices != "all":
            raise InputError(
                f"`devices` must name several; for one there is `device`. Received: {devices!r}"
            )
        yield
        return
    strategy = tf.distribute.MirroredStrategy([there[int(number)].name for number in chosen])
    tf.distribute.experimental_set_strategy(strategy)
    try:
        yield
    finally:
        tf.distribute.experimental_set_strategy(None)
