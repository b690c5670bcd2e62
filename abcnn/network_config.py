"""What decides a network's shape."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class NetworkConfig:
    """Everything that decides a network's shape: numbers and words, to be saved as JSON.

    vocabulary: words with PAD and OOV; dim: size of a word vector; features: features a pair;
    outputs: logits a pair; scores: similarity scores a block; hidden_dim: size of the hidden layers
    of the decomposable model; l2: weight decay of kernels, attention feature maps, match scores and
    the output layer; dropouts are shares in [0, 1).
    """

    vocabulary: int
    dim: int
    features: int
    outputs: int
    scores: tuple[str, ...]
    model: str = "abcnn-3"
    conv_layers: int = 1
    filters: int = 50
    width: int = 4
    max_length: int = 40
    hidden_dim: int = 100
    match_score: str = "euclidean"
    share_weights: bool = True
    weight_all_pooling: bool = True
    train_vectors: bool = False
    vector_dropout: float = 0.0
    score_dropout: float = 0.0
    l2: float = 0.0


ATTENTIONS = {
    "bcnn": (False, False),
    "abcnn-1": (True, False),
    "abcnn-2": (False, True),
    "abcnn-3": (True, True),
}
"""Of the paper's models: whether they attend in the convolution's input, and in the pooling."""

ENGINES = ("fast", "keras")
"""How a matcher computes: "fast" by NumPy and compiled loops without Keras, "keras" by the Keras
network, which is the reference."""
