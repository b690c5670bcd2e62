"""A trained matcher with a network of another shape, which need not be trained to be explained."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import keras

from abcnn.network import build_network, named_weights
from abcnn.scoring.matcher import Matcher


def with_network(matcher: Matcher, **changes: Any) -> Matcher:
    """The matcher with an untrained network whose configuration has `changes`."""
    keras.utils.set_random_seed(3)
    config = replace(matcher.config, **changes)
    matcher = replace(matcher, encoder=replace(matcher.encoder, rests=config.rest_network))
    return replace(matcher, config=config, weights=named_weights(build_network(config)))
