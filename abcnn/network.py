"""The whole network: word ids and features of two sentences -> logits."""

from __future__ import annotations

from dataclasses import dataclass

import keras
import numpy as np

from abcnn.devices import exact_products
from abcnn.heads import logistic_head
from abcnn.layers import PaddingMask, SimilarityScores, WordVectors
from abcnn.models import MODELS


@dataclass(frozen=True)
class NetworkConfig:
    """Everything that decides a network's shape: numbers and words, to be saved as JSON.

    vocabulary: words with PAD and OOV; dim: size of a word vector; features: features a pair;
    outputs: logits a pair; scores: similarity scores a block; l2: weight decay of convolutions,
    attention feature maps and the output layer; dropouts are shares in [0, 1).
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
    match_score: str = "euclidean"
    share_weights: bool = True
    weight_all_pooling: bool = True
    train_vectors: bool = False
    vector_dropout: float = 0.0
    score_dropout: float = 0.0
    l2: float = 0.0


def build_network(config: NetworkConfig, vectors: np.ndarray | None = None) -> keras.Model:
    """The Keras model of a configuration.

    Inputs: `left` and `right`, int32 `(batch, length)` word ids, and `features`, float32
    `(batch, features)`. Output: `logits`, float32 `(batch, outputs)`. `vectors` are the first
    values of the word vectors, float32 `(vocabulary, dim)`.
    """
    exact_products()
    regularizer = keras.regularizers.L2(config.l2) if config.l2 else None
    left_ids = keras.Input((None,), dtype="int32", name="left")
    right_ids = keras.Input((None,), dtype="int32", name="right")
    features = keras.Input((config.features,), dtype="float32", name="features")

    embed = WordVectors(
        config.vocabulary, config.dim, trainable=config.train_vectors, name="vectors"
    )
    mask = PaddingMask(name="mask")
    drop = keras.layers.Dropout(config.vector_dropout, name="vector_dropout")
    apply_blocks = MODELS[config.model](
        conv_layers=config.conv_layers,
        filters=config.filters,
        width=config.width,
        max_length=config.max_length,
        match_score=config.match_score,
        share_weights=config.share_weights,
        weight_all_pooling=config.weight_all_pooling,
        regularizer=regularizer,
    )
    compare = SimilarityScores(config.scores, name="similarity_scores", dtype="float32")

    left, right = drop(embed(left_ids)), drop(embed(right_ids))
    left_mask, right_mask = mask(left_ids), mask(right_ids)
    sentence_vectors = apply_blocks(left, right, left_mask, right_mask)
    scores = [compare(left_vector, right_vector) for left_vector, right_vector in sentence_vectors]
    logits = logistic_head(
        scores,
        features,
        outputs=config.outputs,
        dropout=config.score_dropout,
        regularizer=regularizer,
    )
    network = keras.Model([left_ids, right_ids, features], logits, name="abcnn")
    if vectors is not None:
        embed.set_weights([vectors])
    return network
