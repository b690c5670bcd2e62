"""What the words of two sentences have in common, as compiled loops over words in numbers: the
features of `abcnn.features.lexical`, and the rests.

In all of them the left sentence of pair `i` is `left_words[left_offsets[i]:left_offsets[i + 1]]`,
lower-cased words in numbers below `most_words`, and the right one alike.
"""

from __future__ import annotations

import numpy as np

from abcnn.compiled import compiled, compiled_entry

COUNTED = (
    *("left_length", "right_length", "left_rest", "right_rest", "left_overlap", "right_overlap"),
    *("word_count", "weighted_word_count", "negation", "length_difference"),
    *("left_weighted_overlap", "right_weighted_overlap", "number_mismatch", "number_inclusion"),
)
"""The features that `count_features` gives, in its order."""
_COLUMNS = len(COUNTED)

BIGRAMS = ("left_bigram_overlap", "right_bigram_overlap")
"""Those of `bigram_overlaps`."""

SUBSEQUENCES = ("left_subsequence", "right_subsequence")
"""Those of `subsequences`."""

CHARACTERS = ("character_overlap",)
"""That of `character_overlaps`."""

_BITS, _ONE, _NOTHING = 64, np.uint64(1), np.uint64(0)
_SPACE, _LETTER_BITS = 32, 21  # Of Unicode's code points.


@compiled_entry()
def count_features(
    left_words, left_offsets, right_words, right_offsets, weights, content, negations, numeric
):
    """The features `COUNTED` of pairs of sentences: float64 `(pairs, 14)`.

    Of every word its IDF, whether it carries content, whether it negates, whether it is a number.
    """
    out = np.zeros((len(left_offsets) - 1, _COLUMNS))
    # In which pair a word was last seen at the left, at the right, and counted; from 1.
    seen = np.zeros((3, len(weights)), np.int64)
    for pair in range(len(out)):
        one = left_words[left_offsets[pair] : left_offsets[pair + 1]]
        other = right_words[right_offsets[pair] : right_offsets[pair + 1]]
        number, row = pair + 1, out[pair]
        left_negates = right_negates = False
        left_numbers = right_numbers = shared_numbers = 0
        left_weight = right_weight = 0.0
        for word in one:
            if numeric[word] and seen[0, word] != number:
                left_numbers += 1
            seen[0, word] = number
            left_negates |= negations[word]
            left_weight += weights[word]
        for word in other:
            shared = seen[0, word] == number
            if numeric[word] and seen[1, word] != number:
                right_numbers += 1
                shared_numbers += shared
            seen[1, word] = number
            right_negates |= negations[word]
            right_weight += weights[word]
            if shared:
                row[11] += weights[word]
            else:
                row[3] += 1
        for word in one:
            if seen[1, word] != number:
                row[2] += 1
                continue
            row[10] += weights[word]
            if content[word] and seen[2, word] != number:
                seen[2, word] = number
                row[6] += 1
                row[7] += weights[word]
        row[0], row[1] = len(one), len(other)
        row[4] = (len(one) - row[2]) / len(one) if len(one) else 0
        row[5] = (len(other) - row[3]) / len(other) if len(other) else 0
        row[8] = left_negates != right_negates
        row[9] = abs(len(one) - len(other))
        row[10] = row[10] / left_weight if left_weight else 0
        row[11] = row[11] / right_weight if right_weight else 0
        row[12] = not left_numbers == right_numbers == shared_numbers
        row[13] = shared_numbers == min(left_numbers, right_numbers) and (
            left_numbers != right_numbers
        )
    return out


@compiled_entry()
def bigram_overlaps(left_words, left_offsets, right_words, right_offsets, most_words):
    """The features `BIGRAMS` of pairs of sentences: float64 `(pairs, 2)`."""
    out = np.zeros((len(left_offsets) - 1, 2))
    # Where a word last stood in a sentence, and in which sentence that was; from 1.
    last, seen = np.zeros(most_words, np.int64), np.zeros(most_words, np.int64)
    before = np.zeros(max(len(left_words), len(right_words)), np.int64)
    for pair in range(len(out)):
        one = left_words[left_offsets[pair] : left_offsets[pair + 1]]
        other = right_words[right_offsets[pair] : right_offsets[pair + 1]]
        out[pair, 0] = _bigram_share(one, other, last, seen, 2 * pair + 1, before)
        out[pair, 1] = _bigram_share(other, one, last, seen, 2 * pair + 2, before)
    return out


@compiled
def _bigram_share(words, others, last, seen, number, before):
    """How many of the pairs of neighbours are pairs of neighbours of the others, as a share."""
    for place in range(len(others) - 1):
        word = others[place]
        before[place] = last[word] if seen[word] == number else -1
        last[word], seen[word] = place, number
    shared = 0
    for place in range(len(words) - 1):
        at = last[words[place]] if seen[words[place]] == number else -1
        while at >= 0 and others[at + 1] != words[place + 1]:
            at = before[at]
        shared += at >= 0
    return shared / (len(words) - 1) if len(words) > 1 else 0.0


@compiled_entry()
def subsequences(left_words, left_offsets, right_words, right_offsets, most_words):
    """The features `SUBSEQUENCES` of pairs of sentences: float64 `(pairs, 2)`.

    The longest common subsequence by bits, 64 words of the left sentence at a time (Hyyro 2004):
    a bit that is 0 at the end is a word of it.
    """
    out = np.zeros((len(left_offsets) - 1, 2))
    # Where a word stands among those of the left sentence that are looked at, and when that was.
    masks, seen = np.zeros(most_words, np.uint64), np.zeros(most_words, np.int64)
    carries = np.zeros(len(right_words), np.bool_)
    time = 0
    for pair in range(len(out)):
        one = left_words[left_offsets[pair] : left_offsets[pair + 1]]
        other = right_words[right_offsets[pair] : right_offsets[pair + 1]]
        carries[: len(other)] = False
        common = 0
        for start in range(0, len(one), _BITS):
            part = one[start : start + _BITS]
            time += 1
            for place in range(len(part)):
                word = part[place]
                if seen[word] != time:
                    masks[word], seen[word] = _NOTHING, time
                masks[word] |= _ONE << np.uint64(place)
            state = ~_NOTHING
            for place in range(len(other)):
                word = other[place]
                found = state & masks[word] if seen[word] == time else _NOTHING
                total = state + found
                carried = total + (_ONE if carries[place] else _NOTHING)
                carries[place] = total < state or carried < total
                state = carried | (state & ~found)
            for place in range(len(part)):
                common += (state >> np.uint64(place)) & _ONE == _NOTHING
        if len(one):
            out[pair, 0] = common / len(one)
        if len(other):
            out[pair, 1] = common / len(other)
    return out


@compiled_entry()
def character_overlaps(left_words, left_offsets, right_words, right_offsets, letters, ends):
    """The feature `CHARACTERS` of pairs of sentences: float64 `(pairs, 1)`.

    The code points of word `i` are `letters[ends[i]:ends[i + 1]]`.
    """
    out = np.zeros((len(left_offsets) - 1, 1))
    keys = np.zeros((2, 1), np.int64)
    slots, of_left = np.zeros(1, np.int64), np.zeros(1, np.bool_)
    for pair in range(len(out)):
        one = left_words[left_offsets[pair] : left_offsets[pair + 1]]
        other = right_words[right_offsets[pair] : right_offsets[pair + 1]]
        most = max(_text_length(one, ends), _text_length(other, ends))
        if most > keys.shape[1]:
            keys = np.zeros((2, 2 * most), np.int64)
        left = keys[0, : _trigrams(one, letters, ends, keys[0])]
        right = keys[1, : _trigrams(other, letters, ends, keys[1])]
        size = 8
        while size < 2 * (len(left) + len(right)):
            size *= 2
        if size > len(slots):
            slots, of_left = np.zeros(size, np.int64), np.zeros(size, np.bool_)
        slots[:size] = 0
        either = shared = 0
        for key in left:
            slot = _slot_of(key, slots, size)
            if slots[slot] == 0:
                slots[slot], of_left[slot] = key, True
                either += 1
        for key in right:
            slot = _slot_of(key, slots, size)
            if slots[slot] == 0:
                slots[slot], of_left[slot] = key, False
                either += 1
            elif of_left[slot]:
                of_left[slot] = False  # Counted once.
                shared += 1
        if either:
            out[pair, 0] = shared / either
    return out


@compiled
def _text_length(words, ends):
    """How long the words are, divided by spaces."""
    length = len(words)
    for word in words:
        length += ends[word + 1] - ends[word]
    return length


@compiled
def _trigrams(words, letters, ends, keys):
    """Write the three-letter sequences of the words divided by spaces to `keys`; how many.

    A key is the code points of the three, and 1: so none is 0.
    """
    key, read = np.int64(0), 0
    for place in range(len(words)):
        word = words[place]
        for at in range(ends[word] - (place > 0), ends[word + 1]):
            letter = _SPACE if at < ends[word] else letters[at]
            key = ((key << _LETTER_BITS) | letter) & ((1 << 3 * _LETTER_BITS) - 1)
            read += 1
            if read > 2:
                keys[read - 3] = key + 1
    return max(read - 2, 0)


@compiled
def _slot_of(key, slots, size):
    """Where a key is, or would be, among the first `size` slots, a power of two."""
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    slot = np.int64(mixed >> np.uint64(32)) & (size - 1)
    while slots[slot] != 0 and slots[slot] != key:
        slot = (slot + 1) & (size - 1)
    return slot


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
