"""What every normalised attention is made of: a softmax that knows padding, and a sum."""

from __future__ import annotations

from keras import ops


def pair_mask(query_mask=None, value_mask=None):
    """Which entries of an attention matrix have a real unit on both sides; None when all have.

    boolean `(batch, query_length)`, `(batch, value_length)` -> boolean, for broadcasting to
    `(batch, query_length, value_length)`.
    """
    mask = None
    if query_mask is not None:
        mask = ops.expand_dims(ops.cast(query_mask, "bool"), -1)
    if value_mask is not None:
        values = ops.expand_dims(ops.cast(value_mask, "bool"), 1)
        mask = values if mask is None else ops.logical_and(mask, values)
    return mask


def masked_softmax(scores, mask=None):
    """The softmax along the last axis of the entries whose mask is True, float32.

    Every other entry is exactly 0, and a row without a real entry is 0 throughout. mask: boolean,
    of a shape that broadcasts to that of `scores`.
    """
    scores = ops.cast(scores, "float32")
    if mask is None:
        return ops.softmax(scores, axis=-1)
    mask = ops.broadcast_to(mask, ops.shape(scores))
    # Finite, since the gradient of a row of infinities is NaN.
    scores = ops.where(mask, scores, -1e9)
    highest = ops.stop_gradient(ops.max(scores, axis=-1, keepdims=True))
    shares = ops.where(mask, ops.exp(scores - highest), 0.0)
    total = ops.sum(shares, axis=-1, keepdims=True)
    return shares / ops.where(total > 0, total, 1.0)


def context_of(attention, value, value_mask=None):
    """`c_t = sum_s a_ts value_s`, float32; a padded unit adds nothing whatever it holds.

    attention `(batch, query_length, value_length)`, value `(batch, value_length, dim)` ->
    `(batch, query_length, dim)`.
    """
    value = ops.cast(value, "float32")
    if value_mask is not None:
        value = ops.where(ops.expand_dims(ops.cast(value_mask, "bool"), -1), value, 0.0)
    return ops.matmul(attention, value)
