"""Keras layers of the ABCNN. Channels last, batch first; a mask is True for a real unit."""

from abcnn.layers.all_pooling import AllPooling
from abcnn.layers.attention_feature_map import AttentionFeatureMap
from abcnn.layers.attention_matrix import AttentionMatrix
from abcnn.layers.padding_mask import PaddingMask
from abcnn.layers.similarity_scores import SimilarityScores
from abcnn.layers.wide_convolution import WideConvolution
from abcnn.layers.window_pooling import WindowPooling
from abcnn.layers.windows import phrase_mask, window_mask
from abcnn.layers.word_vectors import WordVectors

__all__ = [
    "AllPooling",
    "AttentionFeatureMap",
    "AttentionMatrix",
    "PaddingMask",
    "SimilarityScores",
    "WideConvolution",
    "WindowPooling",
    "WordVectors",
    "phrase_mask",
    "window_mask",
]
