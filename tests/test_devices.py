"""Which engine a device and a precision need, told without a backend."""

import pytest

from abcnn.devices import engine_for
from abcnn.errors import InputError


@pytest.mark.parametrize(
    ("asked", "engine"),
    [
        (("fast",), "fast"),
        (("fast", "cpu"), "fast"),
        (("fast", "gpu"), "keras"),
        (("fast", "gpu:1"), "keras"),
        (("fast", "cpu", "mixed_bfloat16"), "keras"),
        (("keras", "cpu"), "keras"),
    ],
)
def test_a_gpu_or_another_precision_means_keras(asked, engine):
    assert engine_for(*asked) == engine


@pytest.mark.parametrize("asked", [("fast", "tpu"), ("fast", "gpu:x"), ("fast", "cpu", "half")])
def test_other_words_are_refused(asked):
    with pytest.raises(InputError, match="Received"):
        engine_for(*asked)
