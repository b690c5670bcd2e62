"""Logits of pairs from a folded network, on all processors."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np

from abcnn.runtime.folding import FoldedNetwork, FoldedTower
from abcnn.runtime.kernels import score_range
from abcnn.text.batches import EncodedPairs

# Pairs a task of a thread: enough that handing it over costs nothing. Where there is one thread, as
# many as may be scored before Ctrl-C is heard: other threads let it wait after each for the lock.
_RANGE, _LONG_RANGE = 256, 1 << 14


def logits(network: FoldedNetwork, pairs: EncodedPairs, threads: int | None = None) -> np.ndarray:
    """The logits of encoded pairs: float32 `(pairs, outputs)`.

    Equal to those of the Keras network within 1e-5, and to the last bit the same for a pair
    whatever other pairs are there. threads: None for one a processor, or as many
    as NUMBA_NUM_THREADS in the environment says.

    Raises ValueError for pairs that were encoded for another network.
    """
    _check(network, pairs)
    features = np.ascontiguousarray(pairs.features, np.float32)

    def of_tower(tower: FoldedTower, start: int, stop: int) -> np.ndarray:
        left, right = pairs.rests if tower.reads_rest else (pairs.left, pairs.right)
        part: np.ndarray = score_range(
            *(tower, start, stop, left.ids, left.offsets, right.ids, right.offsets, features)
        )
        return part

    processors: int = numba.config.NUMBA_NUM_THREADS  # type: ignore[attr-defined]
    threads = min(threads or processors, -(-len(pairs) // _RANGE))
    size = _RANGE if threads > 1 else _LONG_RANGE

    def score(start: int) -> np.ndarray:
        stop = min(start + size, len(pairs))
        first, *others = (of_tower(tower, start, stop) for tower in network.towers)
        part: np.ndarray = sum(others, start=first)
        return part

    starts = range(0, len(pairs), size)
    if not starts:
        return np.zeros((0, len(network.towers[0].head_bias)), np.float32)
    if threads == 1:
        return np.concatenate([score(start) for start in starts])
    with ThreadPoolExecutor(threads) as pool:
        return np.concatenate(list(pool.map(score, starts)))


def _check(network: FoldedNetwork, pairs: EncodedPairs) -> None:
    """The compiled loops trust what they are given."""
    tower = network.towers[0]
    blocks, size = len(tower.biases), tower.pooled_attention
    matrices = blocks * (int(tower.attend_input) + int(tower.attend_pooling))
    features = tower.head.shape[1] - (blocks + 1) * len(tower.scores) - matrices * size**2
    longest = tower.maps.shape[2] if tower.attend_input else np.inf
    rests = pairs.rests if network.towers[-1].reads_rest else ()
    for sentences in (pairs.left, pairs.right, *rests):
        first, last = sentences.ids.min(initial=0), sentences.ids.max(initial=0)
        if first < 0 or last >= len(tower.vectors):
            raise ValueError(f"ids must be below {len(tower.vectors)}. Received: {first}, {last}")
        if sentences.lengths.max(initial=0) > longest:
            raise ValueError(f"sentences must have at most {longest} tokens")
    if pairs.features.shape != (len(pairs), features) or len(pairs.right) != len(pairs):
        raise ValueError(f"pairs must have {features} features. Received: {pairs.features.shape}")
    if network.towers[-1].reads_rest and [len(rest) for rest in rests] != [len(pairs)] * 2:
        raise ValueError("pairs must have rests. Received: none")
