"""Text to numbered chunks and these to tokens, as compiled loops over UTF-8."""

from __future__ import annotations

import numpy as np

from abcnn.compiled import compiled, compiled_entry
from abcnn.text import tokenizer
from abcnn.text.tokenizer import LONGEST_ABBREVIATION, MARKS

# Of the hash FNV-1a, 64 bits.
_BASIS, _PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)
_HALF, _NOBODY = np.uint64(32), np.uint32(0)
# What a byte is, of ASCII.
_SPACE, _LETTER, _MARK, _STOP = 1, 2, 3, 4
_KINDS = np.zeros(256, np.uint8)
_KINDS[list(b" \t\n\v\f\r\x1c\x1d\x1e\x1f")] = _SPACE  # For `str.split`.
_KINDS[[*range(65, 91), *range(97, 123)]] = _LETTER
_KINDS[list(MARKS.encode())] = _MARK
_KINDS[ord(".")] = _STOP


@compiled
def _free_or_equal(slots, key, text, start, stop, store, ends):
    """The slot of a chunk that is known, else the free one where it belongs."""
    mask = len(slots) - 1
    slot = np.int64(key) & mask
    while slots[slot, 1] != _NOBODY:
        if slots[slot, 0] == key:
            number = np.int64(slots[slot, 1])
            first = ends[number - 1]
            same = ends[number] - first == stop - start
            for place in range(stop - start if same else 0):
                same &= store[first + place] == text[start + place]
            if same:
                return slot
        slot = (slot + 1) & mask
    return slot


@compiled_entry(tokenizer)
def number_chunks(text, offsets, done, slots, store, ends, known, apart, numbers, chunk_offsets):
    """Cut texts at white space and number the chunks; new ones get the next numbers.

    Text `i` is UTF-8, `text[offsets[i]:offsets[i + 1]]`; those before `done` are cut already. A row
    of `slots` (a power of two of them) is the hash of a chunk and its number from 1, or 0; the text
    of the chunk with the number `i` from 1 is `store[ends[i - 1]:ends[i]]`. `known` chunks are
    there. With `apart` a mark behind letters is a chunk of its own: to the tokeniser it is all the
    same, and there are half as many different chunks. The numbers, from 0, of text `i` go to
    `numbers`, from `chunk_offsets[i]` on.

    Gives how many texts are cut, fewer than all where room was wanting, and chunks known.
    """
    filled = chunk_offsets[done]
    while done < len(offsets) - 1:
        at, stop = offsets[done], offsets[done + 1]
        most = known + stop - at + 1
        if 2 * most > len(slots) or most >= len(ends) or ends[known] + stop - at > len(store):
            break
        while at < stop:
            if _KINDS[text[at]] == _SPACE:
                at += 1
                continue
            start, hashed, before, letters, kind = at, _BASIS, _BASIS, 0, _KINDS[text[at]]
            while at < stop and _KINDS[text[at]] != _SPACE:
                kind = _KINDS[text[at]]
                letters += kind == _LETTER
                before, hashed = hashed, (hashed ^ np.uint64(text[at])) * _PRIME
                at += 1
            ends_in_mark = kind == _MARK or (kind == _STOP and letters > LONGEST_ABBREVIATION)
            if apart and ends_in_mark and 0 < letters == at - start - 1:
                at, hashed = at - 1, before
            key = np.uint32(hashed ^ (hashed >> _HALF))
            slot = _free_or_equal(slots, key, text, start, at, store, ends)
            if slots[slot, 1] == _NOBODY:
                first = ends[known]
                for place in range(at - start):
                    store[first + place] = text[start + place]
                known += 1
                ends[known] = first + at - start
                slots[slot, 0], slots[slot, 1] = key, np.uint32(known)
            numbers[filled] = np.int64(slots[slot, 1]) - 1
            filled += 1
        done += 1
        chunk_offsets[done] = filled
    return done, known


@compiled_entry()
def move(slots, larger):
    """Put the chunks of `slots` into a larger table, which is empty."""
    mask = len(larger) - 1
    for old in range(len(slots)):
        if slots[old, 1] != _NOBODY:
            slot = np.int64(slots[old, 0]) & mask
            while larger[slot, 1] != _NOBODY:
                slot = (slot + 1) & mask
            larger[slot, 0], larger[slot, 1] = slots[old, 0], slots[old, 1]


@compiled_entry()
def spread(numbers, chunk_offsets, usual, ending, starts, tokens):
    """The tokens of texts whose chunks are numbered, and the texts' offsets in them.

    Run `i` of tokens is `tokens[starts[i]:starts[i + 1]]`; that of a chunk is `usual`, or `ending`
    for the last chunk of a text that holds a token.
    """
    offsets = np.zeros(len(chunk_offsets), np.int64)
    runs = np.empty(chunk_offsets[-1], np.int32)
    for text in range(len(offsets) - 1):
        size, last = 0, True
        for place in range(chunk_offsets[text + 1] - 1, chunk_offsets[text] - 1, -1):
            run = usual[numbers[place]]
            if last and starts[run + 1] > starts[run]:
                run, last = ending[numbers[place]], False
            runs[place] = run
            size += starts[run + 1] - starts[run]
        offsets[text + 1] = offsets[text] + size
    out = np.empty(offsets[-1], np.int32)
    filled = 0
    for place in range(len(runs)):
        for token in range(starts[runs[place]], starts[runs[place] + 1]):
            out[filled] = tokens[token]
            filled += 1
    return out, offsets


@compiled_entry()
def look_up(tokens, offsets, table, longest):
    """What `table` has for the tokens of texts, of each at most `longest`; their offsets."""
    kept = np.zeros(len(offsets), np.int64)
    for text in range(len(offsets) - 1):
        kept[text + 1] = kept[text] + min(offsets[text + 1] - offsets[text], longest)
    out = np.empty(kept[-1], np.int32)
    for text in range(len(offsets) - 1):
        for place in range(kept[text + 1] - kept[text]):
            out[kept[text] + place] = table[tokens[offsets[text] + place]]
    return out, kept


@compiled_entry()
def repeat(tokens, offsets, places):
    """The texts `places`, each as often as it stands there: their tokens and offsets."""
    ends = np.zeros(len(places) + 1, np.int64)
    for text in range(len(places)):
        ends[text + 1] = ends[text] + offsets[places[text] + 1] - offsets[places[text]]
    out = np.empty(ends[-1], np.int32)
    for text in range(len(places)):
        first = offsets[places[text]]
        for place in range(ends[text + 1] - ends[text]):
            out[ends[text] + place] = tokens[first + place]
    return out, ends
