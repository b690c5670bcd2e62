"""The whole network: word ids and features of two sentences -> logits."""

from __future__ import annotations

import re
from collections.abc import Mapping

import keras
import numpy as np

from abcnn.devices import exact_products
from abcnn.heads import logistic_head
from abcnn.layers import ElementwiseComparison, PaddingMask, SimilarityScores, WordVectors
from abcnn.models import MODELS
from abcnn.network_config import REST, NetworkConfig, head_inputs

SIDES = ("left", "right")


def build_network(config: NetworkConfig, vectors: np.ndarray | None = None) -> keras.Model:
    """The Keras model of a configuration.

    Inputs: `left` and `right`, int32 `(batch, length)` word ids, and `features`, float32
    `(batch, features)`; with `rest_network` also `left_rest` and `right_rest`, int32 as `left`.
    Output: `logits`, float32 `(batch, outputs)`. `vectors` are the first values of the word
    vectors, float32 `(vocabulary, dim)`, which both networks read.

    Raises ValueError for a `comparison` with a model that gives no pairs of vectors.

    Source of the second network: Yin et al. 2016, section 5.3.
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
    model = MODELS[config.model]
    options = vars(config) | {"regularizer": regularizer}
    chosen = {name: options[name] for name in model.options}
    score = SimilarityScores(config.scores, name="similarity_scores", dtype="float32")

    def read(compare_sentences, left_ids, right_ids):
        left, right = drop(embed(left_ids)), drop(embed(right_ids))
        left_mask, right_mask = mask(left_ids), mask(right_ids)
        ids = (left_ids, right_ids) if model.reads_ids else ()
        return compare_sentences(left, right, left_mask, right_mask, *ids)

    inputs = [left_ids, right_ids]
    read_by_head = [read(model.build(**chosen), left_ids, right_ids)]
    if config.rest_network:
        rests = [keras.Input((None,), dtype="int32", name=f"{side}_rest") for side in SIDES]
        read_by_head.append(read(model.build(**chosen, prefix=REST), *rests))
        inputs += rests
    pairs = [pair for comparison in read_by_head for pair in comparison.pairs]
    others = [vector for comparison in read_by_head for vector in comparison.vectors]
    scores = [score(*pair) for pair in pairs]
    compared = []
    if config.comparison:
        if not pairs:
            raise ValueError(
                f"`comparison` must be () with {config.model}, which gives no two vectors. "
                f"Received: {config.comparison!r}"
            )
        compare = ElementwiseComparison(
            config.comparison, name="elementwise_comparison", dtype="float32"
        )
        compared = [compare(*pair) for pair in pairs]
    logits = logistic_head(
        head_inputs(scores, compared, others, features),
        scores=len(scores) * len(config.scores),
        outputs=config.outputs,
        dropout=config.score_dropout,
        regularizer=regularizer,
    )
    network = keras.Model([*inputs, features], logits, name="abcnn")
    if vectors is not None:
        embed.set_weights([vectors])
    return network


def named_weights(network: keras.Model) -> dict[str, np.ndarray]:
    """A copy of a network's weights by name, such as `block_1/wide_convolution/kernel`.

    The names are those of the layers, without the numbers that Keras gives to layers of one kind in
    the order in which a process makes them.
    """
    return {name: np.array(keras.ops.convert_to_numpy(weight)) for name, weight in _named(network)}


def set_named_weights(network: keras.Model, weights: Mapping[str, np.ndarray]) -> None:
    """Give a network the weights of `named_weights`.

    Raises ValueError when a name or a shape is not the network's.
    """
    named = _named(network)
    if (names := {name for name, _ in named}) != set(weights):
        raise ValueError(
            f"`weights` must be {', '.join(sorted(names))}. Received: {', '.join(sorted(weights))}"
        )
    for name, weight in named:
        weight.assign(weights[name])


def _named(network: keras.Model) -> list[tuple[str, keras.Variable]]:
    named: dict[str, keras.Variable] = {}
    for weight in network.weights:
        layer, *parts = weight.path.split("/")
        name = "/".join([layer, *(re.sub(r"_\d+$", "", part) for part in parts)])
        while name in named:  # a second layer of the same kind within a block
            name += "_again"
        named[name] = weight
    return list(named.items())
