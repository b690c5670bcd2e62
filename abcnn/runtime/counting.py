"""Features of pairs that only count words, as a compiled loop over words in numbers."""

from __future__ import annotations

import numpy as np

from abcnn.runtime.compiled import compiled_entry

COUNTED = (
    *("left_length", "right_length", "left_rest", "right_rest", "left_overlap", "right_overlap"),
    *("word_count", "weighted_word_count", "negation"),
)
"""The features of `abcnn.features.lexical` that `count_features` gives, in its order."""


@compiled_entry
def count_features(
    left_words, left_offsets, right_words, right_offsets, weights, content, negations
):
    """The features `COUNTED` of pairs of sentences: float64 `(pairs, 9)`.

    The left sentence of pair `i` is `left_words[left_offsets[i]:left_offsets[i + 1]]`, lower-cased
    words in numbers; of every word its IDF, whether it carries content and whether it negates.
    """
    out = np.zeros((len(left_offsets) - 1, 9))
    # In which pair a word was last seen at the left, at the right, and counted; from 1.
    seen = np.zeros((3, len(weights)), np.int64)
    for pair in range(len(out)):
        one = left_words[left_offsets[pair] : left_offsets[pair + 1]]
        other = right_words[right_offsets[pair] : right_offsets[pair + 1]]
        number, row = pair + 1, out[pair]
        left_negates = right_negates = False
        for word in one:
            seen[0, word] = number
            left_negates |= negations[word]
        for word in other:
            seen[1, word] = number
            right_negates |= negations[word]
            row[3] += seen[0, word] != number
        for word in one:
            if seen[1, word] != number:
                row[2] += 1
            elif content[word] and seen[2, word] != number:
                seen[2, word] = number
                row[6] += 1
                row[7] += weights[word]
        row[0], row[1] = len(one), len(other)
        row[4] = (len(one) - row[2]) / len(one) if len(one) else 0
        row[5] = (len(other) - row[3]) / len(other) if len(other) else 0
        row[8] = left_negates != right_negates
    return out
