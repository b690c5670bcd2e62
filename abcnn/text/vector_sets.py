"""Several files of word vectors: a word's vectors of all of them, side by side."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import chain
from os import PathLike
from pathlib import Path

import numpy as np

from abcnn.text.vectors import WordVectors, read_vectors
from abcnn.text.vocabulary import with_lower_case

VectorFiles = str | PathLike[str] | Sequence[str | PathLike[str]] | None
"""A file of word vectors, several of them, or none (None or an empty sequence)."""

_OUTWEIGHS = 4  # Times as long.


def vector_files(files: VectorFiles) -> tuple[Path, ...]:
    """The files, whether it was one, several or none."""
    if files is None:
        return ()
    if isinstance(files, str | PathLike):
        return (Path(files),)
    return tuple(map(Path, files))


def read_vector_sets(
    files: Sequence[Path], wanted: Collection[str], *, most_frequent: int = 50_000
) -> tuple[WordVectors, ...]:
    """Read each file once, as `read_vectors` does.

    Words kept besides the wanted ones are the first file's `most_frequent`: of the others theirs
    are read too, so that no word lacks a vector that its file has. Raises InputError as
    `read_vectors` does.
    """
    first, *others = files
    sets = [read_vectors(first, wanted, most_frequent=most_frequent)]
    for file in others:
        known = chain.from_iterable(one.words for one in sets)
        sets.append(read_vectors(file, {*wanted, *with_lower_case(known)}, most_frequent=0))
    return tuple(sets)


def outweighing(sets: Sequence[WordVectors]) -> str | None:
    """What to tell of sets whose vectors are so long that the others hardly count, if any are.

    A set of zeros alone is left out.

    A network's weights start alike for all dimensions, and vectors that are ten times as long move
    distances and convolutions a hundred times as much.
    """
    if len(sets) < 2:
        return None
    sources = {length: one.source for one in sets if (length := _mean_length(one))}
    if not sources or max(sources) < _OUTWEIGHS * min(sources):
        return None
    short, long = min(sources), max(sources)
    return (
        f"vectors: those of {sources[long]} are {long / short:.1f} times as long as those of "
        f"{sources[short]} and count for more; --normalize-vectors unit makes all alike"
    )


def _mean_length(vectors: WordVectors) -> float:
    """Over the vectors that are not zero; 0 where all are."""
    # Without a second matrix as large.
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors.matrix, vectors.matrix))
    return float(lengths[lengths > 0].mean()) if lengths.any() else 0.0


def side_by_side(sets: Sequence[WordVectors]) -> WordVectors:
    """One set of every word that any set has, its vectors of all sets one after the other.

    In each set a word is looked up as a token is: as it stands, else lower-cased. Where a set lacks
    it the values are 0, the mean of what an unknown word is drawn from (`build_vocabulary`): they
    add nothing to a dot product, a length or a convolution, and need no seed.
    """
    if len(sets) == 1:
        return sets[0]
    words = tuple(dict.fromkeys(chain.from_iterable(one.words for one in sets)))
    matrix = np.zeros((len(words), sum(one.dim for one in sets)), np.float32)
    start = 0
    for one in sets:
        rows = {word: row for row, word in enumerate(one.words)}
        found = np.array([rows.get(word, rows.get(word.lower(), -1)) for word in words], np.int64)
        known = found >= 0
        matrix[known, start : start + one.dim] = one.matrix[found[known]]
        start += one.dim
    return WordVectors(
        words,
        matrix,
        source=", ".join(one.source for one in sets),
        skipped=sum(one.skipped for one in sets),
    )
