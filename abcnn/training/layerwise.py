"""Layerwise training: the blocks of a network one after the other, earlier ones frozen.

First a network of one convolution block is trained, then one of two, whose first block and word
vectors are those of the one before and stay as they are, and so on; each has an output layer of its
own. Source: Yin et al. 2016, section 5 "Training setup".
"""

from __future__ import annotations

from dataclasses import replace

import keras

from abcnn.network_config import REST, NetworkConfig


def stages(config: NetworkConfig) -> list[NetworkConfig]:
    """The networks to train before that of `config`: of one block, of two, up to one less."""
    return [replace(config, conv_layers=blocks) for blocks in range(1, config.conv_layers)]


def take_frozen(network: keras.Model, earlier: keras.Model) -> None:
    """Give `network` the word vectors and blocks of a shallower one, and freeze them."""
    for layer in earlier.layers:
        if layer.name == "vectors" or layer.name.removeprefix(REST).startswith("block_"):
            taken = network.get_layer(layer.name)
            taken.set_weights(layer.get_weights())
            taken.trainable = False
