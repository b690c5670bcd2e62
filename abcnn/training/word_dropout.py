"""Words left out in training, so that a network does not rely on single ones."""

from __future__ import annotations

import numpy as np

from abcnn.text.vocabulary import OOV


def without_some_words(ids: np.ndarray, share: float, generator: np.random.Generator) -> np.ndarray:
    """Word ids of a batch with each word made unknown, OOV, with the probability `share` in [0, 1).

    ids: int32 `(sentences, length)`; a new array of the same shape is given back. PAD and OOV stay
    what they are, and a sentence never loses the last of its known words: where all would go, the
    one with the largest number drawn stays, so a sentence of one word is never changed. One number
    a known word is drawn from `generator`, row by row: padding changes nothing.

    A word that is left out is an unknown word and not a zero vector: that is what prediction has in
    the place of a word it does not know, while zeros stand for padding; and where the vectors are
    trained, that of unknown words is trained by nothing else, since every training word has its
    own.

    Source: Iyyer et al. 2015, section 3.2 "Word dropout", which removes the words; Kiperwasser and
    Goldberg 2016, section 4, which makes them unknown.
    """
    known = ids > OOV
    numbers = np.full(ids.shape, -1.0)
    numbers[known] = generator.random(int(known.sum()))
    dropped = known & (numbers < share)
    kept = np.argmax(numbers, axis=1)
    alone = known.any(axis=1) & (known == dropped).all(axis=1)
    dropped[alone, kept[alone]] = False
    return np.where(dropped, np.int32(OOV), ids)
