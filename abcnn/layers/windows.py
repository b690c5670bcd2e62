"""Sums and masks over windows of neighbours, for what changes a sentence's length."""

from __future__ import annotations

from keras import ops


def window_sum(values, width: int):
    """Sums of every window of `width` neighbours along axis 1.

    `(batch, length, ...)` -> `(batch, length - width + 1, ...)`.
    """
    first, *others = (values[:, shift : shift + 1 - width or None] for shift in range(width))
    return sum(others, start=first)


def phrase_mask(mask, width: int):
    """Which phrases of a wide convolution hold a real unit.

    boolean `(batch, length)` -> boolean `(batch, length + width - 1)`.
    """
    margin = (width - 1, width - 1)
    padded = ops.pad(ops.cast(mask, "int32"), ((0, 0), margin))
    return ops.greater(window_sum(padded, width), 0)


def window_mask(mask, width: int):
    """Which windows hold real phrases only.

    boolean `(batch, length)` -> boolean `(batch, length - width + 1)`. After `phrase_mask` of the
    same width this gives the mask of the units back, where no hole in it is shorter than `width`.
    """
    return ops.equal(window_sum(ops.cast(mask, "int32"), width), width)
