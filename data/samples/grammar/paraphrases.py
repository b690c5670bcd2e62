"""Pairs of statements that say the same thing, or nearly but not quite.

The two kinds differ from the left sentence in the same number of places and change their word
order equally often, so that counting shared words does not tell them apart. In a paraphrase every
changed word is replaced by another wording of its sense; in the other kind one or two of them are
replaced by an opposed sense (bought / sold, Monday / Friday), or two persons change their roles.
"""

from __future__ import annotations

from random import Random

from grammar.lexicon import Lexicon, draw, kind, reworded, sentence, slots

LEXICONS = {
    name: Lexicon.of(text)
    for name, text in {
        "person": "doctor, physician | lawyer, attorney | teacher, instructor | cook, chef"
        " | writer, author | thief, burglar",
        "thing": "car, automobile | bicycle, bike | sofa, couch | coat, jacket | photo, picture",
        "things": "cars, automobiles | bicycles, bikes | sofas, couches | coats, jackets"
        " | photos, pictures",
        "building": "shop, store | house, home | hotel, inn | prison, jail",
        "event": "trip, journey | meeting, gathering | game, match | film, movie",
        "quality": "big, large | small, little\nold, ancient | new, modern\n"
        "cheap, inexpensive | costly, expensive",
        "verdict": "hard, difficult | easy, simple\nlong, lengthy | short, brief\n"
        "boring, dull | exciting, thrilling",
        "ease": "hard, difficult | easy, simple",
        "feeling": "happy, glad | sad, unhappy\nangry, furious | calm, relaxed",
        "trade": "bought, purchased | sold, peddled\nrepaired, fixed | damaged, wrecked\n"
        "found, discovered | lost, misplaced",
        "treat": "helped, assisted | hindered, obstructed\n"
        "praised, applauded | criticised, blamed\nhired, employed | dismissed, fired",
        "build": "built, constructed | demolished, wrecked\nopened, unlocked | closed, shut",
        "begin": "began, started | ended, finished",
        "rise": "rose, climbed | fell, dropped",
        "like": "liked, enjoyed | disliked, hated",
        "often": "often, frequently | rarely, seldom",
        "manner": "quickly, rapidly | slowly, gradually\nquietly, silently | loudly, noisily",
        "pace": "quickly, rapidly | slowly, gradually",
        "number": "two, a pair of | six, half a dozen | twelve, a dozen | three",
        "day": "last night, yesterday evening | this morning, earlier today | on Monday"
        " | on Friday",
        "hour": "at noon, at midday | at dawn, at sunrise | at dusk, at sunset",
        "place": "in the forest, in the woods | by the sea, by the ocean"
        " | in the street, in the road",
        "distance": "near, close to | far from, a long way from",
        "goods": "petrol, gasoline | wood, timber | maize, corn",
    }.items()
}

# Each line is one statement in several word orders; all of a line's frames have the same slots.
FRAMES = (
    (
        "The {person} {trade} a {quality} {thing}.",
        "A {quality} {thing} was {trade} by the {person}.",
    ),
    (
        "The {person} {trade} the {thing} {day}.",
        "The {thing} was {trade} by the {person} {day}.",
        "{day}, the {person} {trade} the {thing}.",
    ),
    ("We {trade} {number} {quality} {things}.", "{number} {quality} {things} were {trade}."),
    (
        "The {person} {treat} the {person2} {day}.",
        "The {person2} was {treat} by the {person} {day}.",
        "{day}, the {person} {treat} the {person2}.",
    ),
    (
        "The {feeling} {person} {treat} the {person2}.",
        "The {person2} was {treat} by the {feeling} {person}.",
    ),
    (
        "They {build} a {quality} {building} {place}.",
        "A {quality} {building} was {build} {place}.",
        "{place}, they {build} a {quality} {building}.",
    ),
    (
        "The {building} {distance} the station was {build}.",
        "They {build} the {building} {distance} the station.",
    ),
    ("The {event} {begin} {hour} {place}.", "{hour}, the {event} {begin} {place}."),
    (
        "The {event} with the {person} {begin} {hour}.",
        "{hour}, the {event} with the {person} {begin}.",
    ),
    (
        "The {person} said the {event} was {verdict}.",
        "The {event} was {verdict}, said the {person}.",
    ),
    (
        "The {person} was {feeling} when the {event} {begin}.",
        "When the {event} {begin}, the {person} was {feeling}.",
    ),
    (
        "{day}, the price of {goods} {rise} {pace}.",
        "The price of {goods} {pace} {rise} {day}.",
    ),
    ("The {person} {often} {like} the {event}.", "The {event} was {often} {like} by the {person}."),
    ("The {person} {often} walks {place} {hour}.", "{hour}, the {person} {often} walks {place}."),
    (
        "The {person} has a {quality} {building} {place}.",
        "{place}, the {person} has a {quality} {building}.",
    ),
    (
        "We saw {number} {things} {distance} the {building}.",
        "{distance} the {building}, we saw {number} {things}.",
        "{number} {things} were seen {distance} the {building}.",
    ),
    (
        "Everyone {like} the {verdict} {event} {day}.",
        "{day}, everyone {like} the {verdict} {event}.",
    ),
    ("The {thing} in the {building} is {quality}.", "In the {building}, the {thing} is {quality}."),
    (
        "The {person} {manner} left the {building} {hour}.",
        "{hour}, the {person} {manner} left the {building}.",
    ),
    (
        "After the {verdict} {event}, the {person} was {feeling}.",
        "The {person} was {feeling} after the {verdict} {event}.",
    ),
    (
        "The {person} gave the {person2} a {thing}.",
        "The {person2} was given a {thing} by the {person}.",
    ),
    (
        "It is {ease} to find {goods} {distance} the {building}.",
        "To find {goods} {distance} the {building} is {ease}.",
    ),
    (
        "The {person} {treat} the {person2} after the {event}.",
        "After the {event}, the {person2} was {treat} by the {person}.",
    ),
    ("The {event} {place} was {verdict}.", "{place}, the {event} was {verdict}."),
)
# The frames in which two persons can change their roles.
WITH_ROLES = tuple(frames for frames in FRAMES if "{person2}" in frames[0])
ROLE_SWAPS = 0.08  # the share of the pairs with another meaning that swap roles
REORDERED = 0.35  # the share of the pairs in two word orders


def draw_pair(label: str, rng: Random) -> tuple[str, str]:
    """Two sentences: a paraphrase for `label` "1", a near miss for "0"."""
    swap = label == "0" and rng.random() < ROLE_SWAPS
    frames = rng.choice(WITH_ROLES if swap else FRAMES)
    left_frame = right_frame = rng.choice(frames)
    if rng.random() < REORDERED:
        right_frame = rng.choice([frame for frame in frames if frame != left_frame])

    senses = draw(left_frame, LEXICONS, rng)
    left = {slot: rng.choice(sense.wordings) for slot, sense in senses.items()}
    right = dict(left)
    order = rng.sample(slots(left_frame), len(senses))
    changes = rng.choice((1, 2, 2, 3))
    if label == "0" and not swap:
        for slot in order[: min(changes, rng.choice((1, 2)))]:
            opposed = rng.choice(LEXICONS[kind(slot)].opposed(senses[slot]))
            right[slot] = rng.choice(opposed.wordings)
            changes -= 1
        order = [slot for slot in order if right[slot] == left[slot]]
    rewordable = [slot for slot in order if len(senses[slot].wordings) > 1]
    for slot in rewordable[:changes]:
        right[slot] = rng.choice(reworded(senses[slot], left[slot]))
    if swap:
        right["person"], right["person2"] = right["person2"], right["person"]
    return sentence(left_frame, left), sentence(right_frame, right)
