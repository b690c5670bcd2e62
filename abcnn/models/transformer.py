"""A small Transformer over two sentences (Vaswani et al. 2017)."""

from __future__ import annotations

from collections.abc import Callable

import keras

from abcnn.layers import AllPooling, PositionEncoding
from abcnn.models.comparison import Comparison
from abcnn.models.join_sentences import JoinSentences
from abcnn.models.transformer_block import TransformerBlock
from abcnn.models.vector_comparison import vector_comparison


def transformer(
    *, hidden_dim: int, heads: int, depth: int, joint: bool = False, regularizer=None
) -> Callable[..., Comparison]:
    """Projection, positions, `depth` blocks, a last norm; a sentence vector is the mean of units.

    The blocks are shared by the two sentences, and each reads the other by cross-attention; with
    `joint` they read `left [SEP] right` as one sequence instead. A block's inner layer is four
    times as large as `hidden_dim`.

    Source: Vaswani et al. 2017, section 3; jointly: Devlin et al. 2019, section 3.
    """
    project = keras.layers.Dense(
        hidden_dim, use_bias=False, kernel_regularizer=regularizer, name="project"
    )
    place = PositionEncoding(name="positions")
    join = JoinSentences(regularizer, name="join")
    blocks = [
        TransformerBlock(heads, 4 * hidden_dim, not joint, regularizer, name=f"block_{number}")
        for number in range(1, depth + 1)
    ]
    norm = keras.layers.LayerNormalization(name="norm")
    pool = AllPooling(name="average")
    compare = vector_comparison(hidden_dim, regularizer)

    def across(left, right, left_mask, right_mask):
        left = place(project(left), mask=left_mask)
        right = place(project(right), mask=right_mask)
        for block in blocks:
            left, right = (
                block(left, right, mask=left_mask, others_mask=right_mask),
                block(right, left, mask=right_mask, others_mask=left_mask),
            )
        return compare(pool(norm(left), mask=left_mask), pool(norm(right), mask=right_mask))

    def as_one(left, right, left_mask, right_mask):
        units, mask, left_part, right_part = join(
            project(left), project(right), left_mask, right_mask
        )
        units = place(units, mask=mask)
        for block in blocks:
            units = block(units, mask=mask)
        units = norm(units)
        return compare(pool(units, mask=left_part), pool(units, mask=right_part))

    return as_one if joint else across
