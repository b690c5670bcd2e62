"""Random networks and ragged pairs, with every awkward kind of sentence."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import keras
import numpy as np
from hypothesis import strategies as st

from abcnn.network import build_network
from abcnn.network_config import NetworkConfig
from abcnn.runtime import weight_shapes
from abcnn.text.batches import EncodedPairs, Ragged

# The longest sentences fill one vector of lanes and part of another.
VOCABULARY, MAX_LENGTH, FEATURES = 12, 11, 2


@dataclass(frozen=True)
class Case:
    """A configuration, the seed of its weights and the pairs to score."""

    config: NetworkConfig
    seed: int
    pairs: EncodedPairs


def ragged(sentences: list[list[int]]) -> Ragged:
    offsets = np.cumsum([0, *map(len, sentences)]).astype(np.int64)
    ids = np.array([word for sentence in sentences for word in sentence], dtype=np.int32)
    return Ragged(ids, offsets)


def pairs_of(left: list[list[int]], right: list[list[int]], seed: int = 0) -> EncodedPairs:
    features = np.random.default_rng(seed).normal(size=(len(left), FEATURES)).astype(np.float32)
    return EncodedPairs(ragged(left), ragged(right), features)


def some(pairs: EncodedPairs, indices: list[int]) -> EncodedPairs:
    """The pairs at the indices, in that order and as often."""

    def side(sentences: Ragged) -> Ragged:
        parts = [sentences.ids[slice(*sentences.offsets[i : i + 2])] for i in indices]
        return ragged([part.tolist() for part in parts])

    return EncodedPairs(
        side(pairs.left),
        side(pairs.right),
        pairs.features[indices],
        rests=tuple(map(side, pairs.rests)),
    )


_words = st.integers(1, VOCABULARY - 1)
sentences = st.one_of(
    st.lists(_words, max_size=MAX_LENGTH),
    st.lists(_words, min_size=1, max_size=1),
    st.builds(lambda word, n: [word] * n, _words, st.integers(1, MAX_LENGTH)),
    st.lists(_words, min_size=MAX_LENGTH, max_size=MAX_LENGTH),
)


@cache
def network_of(config: NetworkConfig) -> keras.Model:
    """The Keras network; its weights are set anew for each case."""
    return build_network(config)


def weights_of(config: NetworkConfig, seed: int) -> dict[str, np.ndarray]:
    """Random weights, the biases too, of a size that keeps sums about 1."""
    generator = np.random.default_rng(seed)
    return {
        name: (generator.normal(size=shape) / np.sqrt(np.prod(shape[:-1]))).astype(np.float32)
        if name.endswith("kernel")
        else generator.normal(size=shape).astype(np.float32) / 2
        for name, shape in weight_shapes(config).items()
    }


# By the number of blocks, so that a test builds few networks: dim, width, outputs, scores.
_SHAPES: dict[int, tuple[int, int | tuple[int, ...], int, tuple[str, ...]]] = {
    1: (17, (4, 2, 1), 1, ("cosine",)),
    2: (5, (3, 5), 3, ("euclidean", "dot", "cosine")),
    3: (4, 1, 1, ("euclidean",)),
}


@st.composite
def configs(draw: st.DrawFn) -> NetworkConfig:
    """Networks of every model and match score."""
    conv_layers = draw(st.sampled_from(list(_SHAPES)))
    dim, width, outputs, scores = _SHAPES[conv_layers]
    return NetworkConfig(
        VOCABULARY,
        dim,
        FEATURES,
        outputs,
        scores,
        comparison=draw(st.sampled_from(((), ("difference",), ("product", "difference")))),
        model=draw(st.sampled_from(("average", "bcnn", "abcnn-1", "abcnn-2", "abcnn-3"))),
        conv_layers=conv_layers,
        filters=draw(st.sampled_from((6, 17, 40))),  # of one, three and five vectors of lanes
        width=width,
        max_length=MAX_LENGTH,
        match_score=draw(st.sampled_from(("euclidean", "cosine", "dot"))),
        share_weights=draw(st.booleans()),
        weight_all_pooling=draw(st.booleans()),
        pooled_attention=draw(st.sampled_from((0, 3))),
        rest_network=draw(st.booleans()),
    )


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """A network and one to six pairs, among them pairs of a sentence with itself."""
    left = draw(st.lists(sentences, min_size=1, max_size=6))
    right = [draw(st.one_of(sentences, st.just(sentence))) for sentence in left]
    seed = draw(st.integers(0, 1000))
    config, pairs = draw(configs()), pairs_of(left, right, seed)
    if config.rest_network:
        # Of other lengths than the sentences, too: what they are made of is the encoder's affair.
        rests = [draw(st.lists(sentences, min_size=len(left), max_size=len(left))) for _ in "lr"]
        pairs = replace(pairs, rests=tuple(map(ragged, rests)))
    return Case(config, seed, pairs)
