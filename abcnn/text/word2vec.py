"""Word vectors trained on one's own text, and written to a file."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from abcnn.errors import InputError
from abcnn.tables.output import whole_file
from abcnn.text.vectors import WordVectors

_LONGEST = 10_000  # gensim drops what a sentence has beyond so many tokens.


def train_vectors(
    sentences: Iterable[Sequence[str]],
    *,
    dim: int = 100,
    window: int = 5,
    min_count: int = 1,
    epochs: int = 20,
    negative: int = 5,
    seed: int = 0,
) -> WordVectors:
    """Train word2vec (skip-gram, negative sampling; Mikolov et al. 2013) on tokenised sentences.

    The defaults suit small text: every word gets a vector, and there are many epochs. The words
    come most frequent first. The same sentences and seed give the same vectors on one machine: one
    thread works, and no random hash is involved.

    sentences: read `epochs + 1` times, so no generator.
    dim: size of a vector. window: words to the left and right that count as context.
    min_count: rarer words get no vector. negative: noise words for each word of the context.

    Raises InputError if the sentences can be read only once, or no word is frequent enough.
    """
    from gensim.models import Word2Vec

    if isinstance(sentences, Iterator):
        raise InputError("word vectors: `sentences` must be readable again. Received: an iterator")
    model = Word2Vec(
        vector_size=dim,
        window=window,
        min_count=min_count,
        negative=negative,
        sg=1,
        seed=seed,
        workers=1,
        hashfxn=_stable_hash,
    )
    parts = _Parts(sentences)
    model.build_vocab(parts)
    if not model.wv.index_to_key:
        raise InputError(
            f"word vectors: the text has no word that occurs {min_count} times or more"
        )
    model.train(parts, total_examples=model.corpus_count, epochs=epochs)
    return WordVectors(
        words=tuple(model.wv.index_to_key),
        matrix=np.asarray(model.wv.vectors, dtype=np.float32),
        source="trained with word2vec",
    )


@dataclass(frozen=True)
class _Parts:
    """Sentences, the very long ones in parts."""

    sentences: Iterable[Sequence[str]]

    def __iter__(self) -> Iterator[list[str]]:
        for tokens in self.sentences:
            for start in range(0, len(tokens), _LONGEST):
                yield list(tokens[start : start + _LONGEST])


def _stable_hash(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))


def write_vectors(vectors: WordVectors, path: str | Path) -> None:
    """Write word vectors: word2vec binary if the name ends in `.bin`, else word2vec text.

    The file appears under its name when it is whole; one that is there is replaced.
    Raises InputError if it can't be written, or a word holds white space that the formats can't.
    """
    for word in vectors.words:
        if not word or " " in word or "\n" in word:
            raise InputError(f"{path}: a word must hold no space or line feed. Received: {word!r}")
    with whole_file(path) as file:
        file.write(f"{len(vectors)} {vectors.dim}\n".encode())
        file.writelines(_binary(vectors) if str(path).endswith(".bin") else _text(vectors))


def _binary(vectors: WordVectors) -> Iterator[bytes]:
    for word, row in zip(vectors.words, vectors.matrix, strict=True):
        yield word.encode() + b" " + row.astype("<f4").tobytes()


def _text(vectors: WordVectors) -> Iterator[bytes]:
    for word, row in zip(vectors.words, vectors.matrix, strict=True):
        # Nine digits give back the same float32.
        yield f"{word} {' '.join(f'{value:.9g}' for value in row.tolist())}\n".encode()
