"""One convolution block of the BCNN and the ABCNNs (Yin et al. 2016, figures 2 and 3)."""

from __future__ import annotations

from typing import NamedTuple

import keras
from keras import ops

from abcnn.layers import (
    AllPooling,
    AttentionFeatureMap,
    AttentionMap,
    AttentionMatrix,
    DynamicPooling,
    WideConvolution,
    WindowPooling,
    phrase_mask,
)


class BlockOutput(NamedTuple):
    """What a block gives: units for the next block, and the two sentence vectors.

    units `(batch, length, filters)`, vectors `(batch, filters)`.
    """

    left: object
    right: object
    left_vector: object
    right_vector: object


class PooledBlockOutput(NamedTuple):
    """A `BlockOutput`, and the block's attention pooled to a fixed size, `(batch, entries)`."""

    left: object
    right: object
    left_vector: object
    right_vector: object
    pooled_attention: object


@keras.saving.register_keras_serializable(package="abcnn")
class Block(keras.layers.Layer):
    """Attention, wide convolution and pooling of both sentences with the same weights.

    Args:
        filters, width: of the wide convolution.
        max_length: longest sentence in units, for the attention feature map.
        attend_input: ABCNN-1's attention: an attention feature map beside each sentence's units.
        attend_pooling: ABCNN-2's attention: the pooling weights phrases by their attention.
        match_score: of both attentions, see `AttentionMatrix`; one with weights has its own for
            each, which both sentences share.
        share_weights: one array for the two feature maps, see `AttentionFeatureMap`.
        weight_all_pooling: whether ABCNN-2's weights enter the sentence vector too (as in the
            first author's code) or the window pooling alone.
        pooled_attention: rows and columns to which each attention matrix of the block is pooled
            (`DynamicPooling`) for the output layer; 0 for none.
        regularizer: Keras regulariser of the block's weights.

    Call: `(left, right, left_mask, right_mask)` with `(batch, left_length, dim)`,
    `(batch, right_length, dim)` and boolean `(batch, length)` -> `BlockOutput`, or
    with `pooled_attention` `PooledBlockOutput`: of both attentions, that on the input first.

    Masking: padding changes nothing in the vectors, nor in a real unit; what the padded units of
    the result hold is undefined, since each reader of them takes the mask.

    Source: Yin et al. 2016, sections 3 and 4.
    """

    def __init__(
        self,
        filters: int,
        width: int,
        max_length: int,
        attend_input: bool = False,
        attend_pooling: bool = False,
        match_score: str = "euclidean",
        share_weights: bool = True,
        weight_all_pooling: bool = True,
        pooled_attention: int = 0,
        regularizer=None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.filters = filters
        self.width = width
        self.max_length = max_length
        self.attend_input = attend_input
        self.attend_pooling = attend_pooling
        self.match_score = match_score
        self.share_weights = share_weights
        self.weight_all_pooling = weight_all_pooling
        self.pooled_attention = pooled_attention
        self.regularizer = keras.regularizers.get(regularizer)
        # float32 under every policy, since ABCNN-2 sums its entries.
        self.input_attention, self.pooling_attention = (
            AttentionMatrix(match_score, regularizer, dtype="float32", name=name)
            for name in ("input_attention", "pooling_attention")
        )
        self.convolution = WideConvolution(
            filters, width, regularizer=regularizer, dtype=self.dtype_policy
        )
        self.pool_windows = WindowPooling(width, dtype=self.dtype_policy)
        self.pool_all = AllPooling(dtype=self.dtype_policy)
        self.attentions_made = int(attend_input) + int(attend_pooling)
        if pooled_attention:
            self.pool_attention = DynamicPooling(pooled_attention, dtype="float32")

    def build(self, left_shape, right_shape):
        dim = left_shape[-1]
        if self.attend_input:
            self.input_attention.build(left_shape, right_shape)
            self.feature_map = AttentionFeatureMap(
                dim,
                self.max_length,
                self.share_weights,
                regularizer=self.regularizer,
                dtype=self.dtype_policy,
            )
            self.feature_map.build((None, left_shape[1], right_shape[1]))
        self.convolution.build((None, left_shape[1], 2 * dim if self.attend_input else dim))
        if self.attend_pooling:
            phrases_shape = (None, None, self.filters)
            self.pooling_attention.build(phrases_shape, phrases_shape)

    def call(self, left, right, left_mask=None, right_mask=None):
        return self._apply(left, right, left_mask, right_mask)[0]

    def attentions(self, left, right, left_mask=None, right_mask=None) -> tuple[AttentionMap, ...]:
        """The matrices that `call` uses: "input" over units, "pooling" over phrases."""
        return self._apply(left, right, left_mask, right_mask)[1]

    @property
    def reach(self) -> tuple[int, int]:
        """An output unit is a window of phrases: the input units before and after that it sees."""
        return self.width - 1, self.width - 1

    def _apply(self, left, right, left_mask, right_mask):
        left_kernel = right_kernel = None
        maps: tuple[AttentionMap, ...] = ()
        pooled = []
        if self.attend_input:
            attention = self.input_attention(left, right, left_mask, right_mask)
            maps += (AttentionMap("input", attention),)
            pooled += self._pool(attention, left_mask, right_mask)
            left_kernel, right_kernel = self._fold_feature_map(attention)
            attention = ops.cast(attention, left.dtype)
            left = ops.concatenate([left, attention], axis=-1)
            right = ops.concatenate([right, ops.transpose(attention, (0, 2, 1))], axis=-1)

        left = self.convolution(left, left_mask, left_kernel)
        right = self.convolution(right, right_mask, right_kernel)
        left_mask, right_mask = self._phrase_mask(left_mask), self._phrase_mask(right_mask)

        left_weights = right_weights = None
        if self.attend_pooling:
            attention = self.pooling_attention(left, right, left_mask, right_mask)
            left_weights, right_weights = ops.sum(attention, axis=2), ops.sum(attention, axis=1)
            pooled += self._pool(attention, left_mask, right_mask)
            maps += (
                AttentionMap(
                    "pooling",
                    attention,
                    row_weights=left_weights,
                    column_weights=right_weights,
                    before=self.width - 1,
                ),
            )

        weight_all = self.weight_all_pooling
        output = BlockOutput(
            left=self.pool_windows(left, left_weights),
            right=self.pool_windows(right, right_weights),
            left_vector=self.pool_all(left, left_weights if weight_all else None, left_mask),
            right_vector=self.pool_all(right, right_weights if weight_all else None, right_mask),
        )
        if pooled:
            return PooledBlockOutput(*output, ops.concatenate(pooled, axis=1)), maps
        return output, maps

    def _pool(self, attention, left_mask, right_mask):
        """The entries of the pooled matrix one after the other; nothing when none are wanted."""
        if not self.pooled_attention:
            return []
        pooled = self.pool_attention(attention, left_mask, right_mask)
        return [ops.reshape(pooled, (-1, self.pooled_attention**2))]

    def _fold_feature_map(self, attention):
        """Kernels for units with their row of the attention matrix beside them.

        The map is a product, `A W0`, and a convolution of it is one of `A` with `W0 K`: far fewer
        numbers, and the map itself, as large as the units, is never made.
        """
        self.feature_map.compute_output_shape(attention.shape)  # refuses what is too long
        left_length, right_length = ops.shape(attention)[1:]
        of_units, of_map = ops.split(ops.convert_to_tensor(self.convolution.kernel), 2, axis=1)

        def fold(weights, length):
            folded = ops.matmul(ops.convert_to_tensor(weights)[:length], of_map)
            return ops.concatenate([of_units, folded], axis=1)

        return (
            fold(self.feature_map.left_weights, right_length),
            fold(self.feature_map.right_weights, left_length),
        )

    def _phrase_mask(self, mask):
        return None if mask is None else phrase_mask(mask, self.width)

    def compute_output_shape(self, left_shape, right_shape):
        output = BlockOutput(
            left=(*left_shape[:2], self.filters),
            right=(*right_shape[:2], self.filters),
            left_vector=(left_shape[0], self.filters),
            right_vector=(right_shape[0], self.filters),
        )
        entries = self.attentions_made * self.pooled_attention**2
        return PooledBlockOutput(*output, (left_shape[0], entries)) if entries else output

    def get_config(self):
        return {
            **super().get_config(),
            "filters": self.filters,
            "width": self.width,
            "max_length": self.max_length,
            "attend_input": self.attend_input,
            "attend_pooling": self.attend_pooling,
            "match_score": self.match_score,
            "share_weights": self.share_weights,
            "weight_all_pooling": self.weight_all_pooling,
            "pooled_attention": self.pooled_attention,
            "regularizer": keras.regularizers.serialize(self.regularizer),
        }
