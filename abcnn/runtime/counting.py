"""Which words the sentences of pairs share, as compiled loops over words in numbers: features that
only count them, and the rests."""

from __future__ import annotations

import numpy as np

from abcnn.compiled import compiled_entry

COUNTED = (
    *("left_length", "right_length", "left_rest", "right_rest", "left_overlap", "right_overlap"),
    *("word_count", "weighted_word_count", "negation"),
)
"""The features of `abcnn.features.lexical` that `count_features` gives, in its order."""


@compiled_entry()
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


@compiled_entry()
def rests_of(words, offsets, other_words, other_offsets, most_words, ids, longest, empty):
    """The ids of the tokens whose words the other sentence of their pair lacks, and their offsets.

    Sentences as in `count_features`, of less than `most_words` different words; `ids` has the id of
    every token. Of each sentence at most `longest` tokens; `empty` where there are none.
    """
    seen = np.zeros(most_words, np.int64)
    out, kept = np.empty(len(words) + len(offsets), np.int32), np.zeros(len(offsets), np.int64)
    filled = 0
    for pair in range(len(offsets) - 1):
        for place in range(other_offsets[pair], other_offsets[pair + 1]):
            seen[other_words[place]] = pair + 1
        end = filled + longest
        for place in range(offsets[pair], offsets[pair + 1]):
            if seen[words[place]] != pair + 1 and filled < end:
                out[filled] = ids[place]
                filled += 1
        if filled == kept[pair]:
            out[filled] = empty
            filled += 1
        kept[pair + 1] = filled
    return out[:filled], kept
