"""Pairs of statements with a grade from 1, about nothing in common, to 5, the same thing said.

The right sentence changes some words of the left one. Each changed word is another wording of its
sense, which takes nothing off the grade, or an opposed sense, which takes off what the slot weighs:
who did what to which thing weighs more than when, where or how. How many words change and how many
of them change their sense are drawn apart, so that counting shared words does not give the grade.
Some pairs are of two statements that have nothing to do with each other.
"""

from __future__ import annotations

from random import Random

from grammar.lexicon import draw, kind, reworded, sentence, slots
from grammar.paraphrases import FRAMES, LEXICONS, REORDERED

LOWEST, HIGHEST = 1.0, 5.0
UNRELATED = 0.08  # the share of the pairs of two statements
# What a slot weighs; all others weigh 1.
WEIGHTS = {
    **dict.fromkeys(("person", "thing", "things", "building", "event", "goods"), 2.0),
    **dict.fromkeys(("trade", "treat", "build", "like", "rise"), 3.0),
}


def draw_pair(rng: Random) -> tuple[str, str, str]:
    """Two sentences and their grade with one decimal."""
    frames = rng.choice(FRAMES)
    if rng.random() < UNRELATED:
        others = rng.choice([other for other in FRAMES if other is not frames])
        pair = (_statement(rng.choice(one), rng) for one in (frames, others))
        return (*pair, f"{LOWEST:.1f}")
    left_frame = right_frame = rng.choice(frames)
    if rng.random() < REORDERED:
        right_frame = rng.choice([frame for frame in frames if frame != left_frame])

    senses = draw(left_frame, LEXICONS, rng)
    left = {slot: rng.choice(sense.wordings) for slot, sense in senses.items()}
    right = dict(left)
    changed = rng.sample(slots(left_frame), rng.randint(1, len(senses)))
    opposed = set(changed[: rng.randint(0, len(changed))])
    for slot in changed:
        if slot in opposed:
            sense = rng.choice(LEXICONS[kind(slot)].opposed(senses[slot]))
            right[slot] = rng.choice(sense.wordings)
        elif len(senses[slot].wordings) > 1:
            right[slot] = rng.choice(reworded(senses[slot], left[slot]))
    weights = {slot: WEIGHTS.get(kind(slot), 1.0) for slot in senses}
    kept = 1 - sum(weights[slot] for slot in opposed) / sum(weights.values())
    grade = LOWEST + (HIGHEST - LOWEST) * kept
    return sentence(left_frame, left), sentence(right_frame, right), f"{grade:.1f}"


def _statement(frame: str, rng: Random) -> str:
    senses = draw(frame, LEXICONS, rng)
    return sentence(frame, {slot: rng.choice(sense.wordings) for slot, sense in senses.items()})
