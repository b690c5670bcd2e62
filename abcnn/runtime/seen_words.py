"""A table of words that forgets them at no cost: each word once, at a slot of its own.

Candidates of one question have many words in common, and the frequent ones stand in a sentence more
than once. What depends on the question and a word alone is kept at the word's slot.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from abcnn.compiled import compiled, compiled_borrowing

# As many as the words of a question's candidates; what is kept of them is to stay in the
# processor's second cache.
_SLOTS = 256


class SeenWords(NamedTuple):
    """A hash table whose entries count only if the slot they name says that it has them.

    So to forget all words is to set their number to 0. slots: of every bucket; words and buckets:
    of every slot; number: of the words, an array of one entry.
    """

    slots: np.ndarray
    words: np.ndarray
    buckets: np.ndarray
    number: np.ndarray


@compiled
def no_words(longest):
    """A table with room for those of a sentence at least."""
    slots, buckets = max(_SLOTS, longest), 1
    while buckets < 4 * slots:
        buckets *= 2
    return SeenWords(
        slots=np.zeros(buckets, np.int32),
        words=np.empty(slots, np.int32),
        buckets=np.empty(slots, np.int32),
        number=np.zeros(1, np.int64),
    )


@compiled_borrowing
def forget(seen):
    seen.number[0] = 0


@compiled_borrowing
def _bucket(seen, word):
    return (word * 2654435761 >> 16) & (len(seen.slots) - 1)


@compiled_borrowing
def _counts(seen, bucket, slot, number):
    return (slot < number) & (seen.buckets[slot] == bucket)


@compiled_borrowing
def probably_seen(seen, word):
    """Whether a word is at the first place to look for it."""
    slot = seen.slots[_bucket(seen, word)]
    return (slot < seen.number[0]) & (seen.words[slot] == word)


@compiled_borrowing
def take_slots(seen, sentence, out):
    """Write the slot of each word to `out`: new words have the next ones.

    Returns the number of words before: those at the slots from there on are new. Where there might
    be too few slots left all are forgotten first.
    """
    if seen.number[0] + len(sentence) > len(seen.words):
        forget(seen)
    before = number = seen.number[0]
    for place in range(len(sentence)):
        word = sentence[place]
        bucket = _bucket(seen, word)
        slot = seen.slots[bucket]
        while _counts(seen, bucket, slot, number) and seen.words[slot] != word:
            bucket = (bucket + 1) & (len(seen.slots) - 1)
            slot = seen.slots[bucket]
        # Written even if it is there: whether it is no processor can foresee.
        known = _counts(seen, bucket, slot, number)
        slot = slot if known else number
        number += 1 - known
        out[place] = slot
        seen.slots[bucket], seen.words[slot], seen.buckets[slot] = slot, word, bucket
    seen.number[0] = number
    return before
