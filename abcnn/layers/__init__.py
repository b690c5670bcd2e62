"""Keras layers of the ABCNN and of other attentions.

Channels last, batch first; a mask is True for a real unit.
"""

from abcnn.layers.all_pooling import AllPooling
from abcnn.layers.attention_feature_map import AttentionFeatureMap
from abcnn.layers.attention_map import AttentionMap
from abcnn.layers.attention_matrix import AttentionMatrix
from abcnn.layers.attention_pooling import AttentionPooling
from abcnn.layers.context_gate import ContextGate
from abcnn.layers.document_attention import DocumentAttention
from abcnn.layers.doubly_stochastic import DoublyStochastic
from abcnn.layers.dynamic_pooling import DynamicPooling
from abcnn.layers.elementwise_comparison import ElementwiseComparison
from abcnn.layers.hard_attention import HardAttention
from abcnn.layers.hierarchical_attention import HierarchicalAttention
from abcnn.layers.local_attention import LocalAttention
from abcnn.layers.multi_head_attention import MultiHeadAttention
from abcnn.layers.padding_mask import PaddingMask
from abcnn.layers.position_encoding import PositionEncoding
from abcnn.layers.reinforce import reinforce
from abcnn.layers.self_attention import SelfAttention
from abcnn.layers.similarity_scores import SimilarityScores
from abcnn.layers.soft_attention import SoftAttention
from abcnn.layers.wide_convolution import WideConvolution
from abcnn.layers.window_pooling import WindowPooling
from abcnn.layers.windows import phrase_mask, window_mask
from abcnn.layers.word_by_word_attention import WordByWordAttention
from abcnn.layers.word_vectors import WordVectors

__all__ = [
    "AllPooling",
    "AttentionFeatureMap",
    "AttentionMap",
    "AttentionMatrix",
    "AttentionPooling",
    "ContextGate",
    "DocumentAttention",
    "DoublyStochastic",
    "DynamicPooling",
    "ElementwiseComparison",
    "HardAttention",
    "HierarchicalAttention",
    "LocalAttention",
    "MultiHeadAttention",
    "PaddingMask",
    "PositionEncoding",
    "SelfAttention",
    "SimilarityScores",
    "SoftAttention",
    "WideConvolution",
    "WindowPooling",
    "WordByWordAttention",
    "WordVectors",
    "phrase_mask",
    "reinforce",
    "window_mask",
]
