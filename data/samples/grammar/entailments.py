"""Pairs of a premise and a hypothesis about one scene, and whether the premise entails it.

A hypothesis is its premise with a few words changed, as many in one class as in another. In an
entailment every change keeps the truth: another wording of a sense, a broader word (guitar ->
instrument), a modifier left out. In the other classes one or two of the changes are

- contradiction: opposed senses (sitting -> standing), or a negation;
- neutral: unrelated senses (tall -> rich), a narrower word, a modifier put in.

A negation in the hypothesis turns an opposed sense into an entailment (sitting -> not standing)
and leaves an unrelated one neutral, so it does not give the class away.
"""

from __future__ import annotations

from random import Random

from grammar.lexicon import Lexicon, draw, kind, reworded, sentence, slots

LEXICONS = {
    name: Lexicon.of(text)
    for name, text in {
        "person": "man, gentleman < person\nwoman, lady < person\nboy, lad < child\n"
        "girl, schoolgirl < child",
        "animal": "dog, hound < animal\nhorse, stallion < animal\nsparrow < bird\nowl < bird",
        "trait": "happy, cheerful | sad, unhappy\nrich, wealthy | poor, penniless\n"
        "clean, spotless | dirty, filthy",
        "look": "big, large | small, little\nhappy, cheerful | sad, unhappy\n"
        "clean, spotless | dirty, filthy",
        "quality": "big, large | small, little\nclean, spotless | dirty, filthy\n"
        "cheap, inexpensive | costly, expensive",
        "object": "guitar < instrument\nviolin, fiddle < instrument\nhammer, mallet < tool\n"
        "sofa, couch < piece of furniture\ncar, automobile < vehicle\nbicycle, bike < vehicle",
        "food": "apple < fruit\npear < fruit\npie, tart < dessert",
        "posture": "sitting, seated | standing, upright\nsmiling, grinning | frowning, scowling",
        "motion": "sleeping, asleep | awake, wakeful\nsitting, seated | standing, upright",
        "act": "buying, purchasing | selling, peddling\npushing, shoving | pulling, dragging",
        "eat": "buying, purchasing | selling, peddling\ncutting, slicing\nholding, carrying",
        "where": "in the park < outdoors | on the beach, by the sea < outdoors"
        " | in the kitchen < indoors | in the bedroom < indoors",
        "when": "in the morning, before noon | at night, after dark",
        "with": "with a friend, alongside a friend | alone, without company\n"
        "in a hurry, hurriedly | at leisure, unhurriedly",
    }.items()
}

# Each line is one scene in several wordings; all of a line's frames have the same slots.
FRAMES = (
    ("The {trait} {person} is {posture}.", "There is a {trait} {person} who is {posture}."),
    ("The {person} is {posture} {where}.", "{where}, the {person} is {posture}."),
    (
        "The {trait} {person} is {act} a {object}.",
        "There is a {trait} {person} who is {act} a {object}.",
    ),
    (
        "The {person} is {act} a {quality} {object}.",
        "A {person} is there and is {act} a {quality} {object}.",
    ),
    ("The {person} is {act} a {object} {when}.", "{when}, the {person} is {act} a {object}."),
    ("The {person} is {eat} a {food} {where}.", "{where}, the {person} is {eat} a {food}."),
    (
        "The {trait} {person} is {eat} a {food}.",
        "There is a {trait} {person} who is {eat} a {food}.",
    ),
    ("The {look} {animal} is {motion} {when}.", "{when}, the {look} {animal} is {motion}."),
    ("The {animal} is {motion} and {look}.", "The {animal} is {look} and {motion}."),
    (
        "A {look} {animal} is {motion} {where}.",
        "There is a {look} {animal} which is {motion} {where}.",
    ),
    (
        "The {person} near the {quality} {object} is {posture}.",
        "The {person} is {posture} near the {quality} {object}.",
    ),
    ("The {person} is {posture} {when} {with}.", "{when}, the {person} is {posture} {with}."),
    (
        "The {person} is {act} a {object} {with}.",
        "There is a {person} who is {act} a {object} {with}.",
    ),
    (
        "The {person} with the {look} {animal} is {posture}.",
        "The {person} is {posture} with the {look} {animal}.",
    ),
    (
        "A {look} {animal} is next to the {trait} {person}.",
        "Next to the {trait} {person} is a {look} {animal}.",
    ),
    (
        "The {object} of the {trait} {person} is {quality}.",
        "The {trait} {person} has a {object} that is {quality}.",
    ),
    (
        "The {person} and the {animal} are {where} {when}.",
        "{when}, the {animal} and the {person} are {where}.",
    ),
    (
        "The {quality} {object} and the {food} are {where}.",
        "{where} are the {food} and the {quality} {object}.",
    ),
    (
        "The {trait} {person} who is {posture} has a {food}.",
        "The {trait} {person} has a {food} and is {posture}.",
    ),
    (
        "The {animal} sees a {person} who is {posture}.",
        "A {person} who is {posture} is seen by the {animal}.",
    ),
    ("The {trait} {person} is {where} {with}.", "{where}, the {trait} {person} is {with}."),
    (
        "The {look} {animal} likes the {trait} {person}.",
        "The {trait} {person} is liked by the {look} {animal}.",
    ),
    ("The {look} {animal} is {where} {with}.", "{where}, the {look} {animal} is {with}."),
)
MODIFIERS = ("trait", "look", "quality")  # slots that a sentence can do without
SUBJECTS = ("person", "trait", "animal", "look")  # slots that `not` leaves as they are
PREDICATES = ("posture", "motion", "act", "eat")  # slots that `is not` negates
BROAD = 0.15  # the share of the unchanged slots that hold the broader word in both sentences
REORDERED = 0.25  # the share of the pairs in two wordings of the scene
NEGATED = {"entailment": 0.1, "neutral": 0.1, "contradiction": 0.3}  # hypotheses with `not`
DECIDED_TWICE = 0.6  # how often two changes decide, where there are two or more
BOTH_NEGATED = 0.05
NARROWED, ADDED = 0.07, 0.07  # the shares of the neutral pairs with a narrower, an added word
DROPPED = 0.3  # how often a modifier may be left out


class Scene:
    """A premise, and a hypothesis that starts as the same words and is changed slot by slot."""

    def __init__(self, rng: Random) -> None:
        frames = rng.choice(FRAMES)
        self.rng = rng
        self.left_frame = self.right_frame = rng.choice(frames)
        if rng.random() < REORDERED:
            self.right_frame = rng.choice([frame for frame in frames if frame != self.left_frame])
        self.senses = draw(self.left_frame, LEXICONS, rng)
        self.left = {slot: rng.choice(sense.wordings) for slot, sense in self.senses.items()}
        self.right = dict(self.left)
        self.free = rng.sample(slots(self.left_frame), len(self.senses))  # not changed yet
        self.negated = False

    @property
    def predicate(self) -> str | None:
        """The slot that `not` stands before, if the scene has one."""
        return next((slot for slot in self.senses if kind(slot) in PREDICATES), None)

    def take(self, slot: str, word: str) -> None:
        """Give the hypothesis another word."""
        self.right[slot] = word
        self.free.remove(slot)

    def replace(self, slots_: list[str], relation: str) -> bool:
        """Put an `opposed` or `unrelated` sense into the first slot that has one."""
        for slot in slots_:
            candidates = getattr(LEXICONS[kind(slot)], relation)(self.senses[slot])
            if candidates:
                self.take(slot, self.rng.choice(self.rng.choice(candidates).wordings))
                return True
        return False

    def droppable(self, slot: str) -> bool:
        """Whether the slot is a modifier in front of a noun in both frames."""
        return kind(slot) in MODIFIERS and all(
            f"{{{slot}}} {{" in frame for frame in (self.left_frame, self.right_frame)
        )

    def outside_negation(self, slot: str) -> bool:
        """Whether a broader or another sense means here what it means in a plain statement.

        Who is not eating an apple may still be eating a fruit.
        """
        return not self.negated or kind(slot) in SUBJECTS

    def keep_truth(self) -> bool:
        """Change one free slot so that the hypothesis still follows."""
        for slot in self.free:
            sense = self.senses[slot]
            options = list(reworded(sense, self.left[slot]))
            if sense.broader and self.outside_negation(slot):
                options.append(sense.broader)
            if self.droppable(slot) and self.outside_negation(slot) and self.rng.random() < DROPPED:
                options.append("")
            if options:
                self.take(slot, self.rng.choice(options))
                return True
        return False

    def lose_truth(self) -> bool:
        """Change one free slot so that the hypothesis may or may not hold."""
        chance = self.rng.random()
        slots_ = [slot for slot in self.free if self.outside_negation(slot)]
        for slot in slots_:
            if chance < NARROWED and self.senses[slot].broader:
                self.left[slot] = self.senses[slot].broader
                self.take(slot, self.rng.choice(self.senses[slot].wordings))
                return True
            if NARROWED <= chance < NARROWED + ADDED and self.droppable(slot):
                word, self.left[slot] = self.left[slot], ""
                self.take(slot, word)
                return True
        return self.replace(slots_, "unrelated")

    def contradict(self) -> bool:
        """Change one free slot so that the hypothesis can't hold."""
        return self.replace([slot for slot in self.free if self.outside_negation(slot)], "opposed")

    def negate(self, words: dict[str, str]) -> None:
        """Put `not` before the predicate."""
        assert self.predicate is not None
        words[self.predicate] = f"not {words[self.predicate]}"

    def sentences(self) -> tuple[str, str]:
        """The premise and the hypothesis."""
        for slot in self.free:
            if self.senses[slot].broader and self.rng.random() < BROAD:
                self.left[slot] = self.right[slot] = self.senses[slot].broader
        texts = (sentence(self.left_frame, self.left), sentence(self.right_frame, self.right))
        return texts[0].replace("  ", " "), texts[1].replace("  ", " ")


def draw_pair(label: str, rng: Random) -> tuple[str, str] | None:
    """A premise and a hypothesis of this class; None when the scene drawn allows no such pair."""
    scene = Scene(rng)
    predicate = scene.predicate
    chance = rng.random()
    both = predicate is not None and chance < BOTH_NEGATED
    hypothesis = not both and predicate is not None and rng.random() < NEGATED[label]
    scene.negated = both or hypothesis
    changes = rng.choice((1, 2, 2, 3))

    if hypothesis:
        relation = {"entailment": "opposed", "neutral": "unrelated"}.get(label)
        if relation and not scene.replace([predicate], relation):
            return None
        if label == "contradiction":
            scene.take(
                predicate, rng.choice(reworded(scene.senses[predicate], scene.left[predicate]))
            )
    else:
        if both:
            scene.free.remove(predicate)
        decide = {
            "entailment": scene.keep_truth,
            "neutral": scene.lose_truth,
            "contradiction": scene.contradict,
        }[label]
        if not decide():
            return None
        if changes > 1 and rng.random() < DECIDED_TWICE:
            decide()
            changes -= 1
    for _ in range(changes - 1):
        scene.keep_truth()
    if both:
        scene.negate(scene.left)
    if scene.negated:
        scene.negate(scene.right)
    return scene.sentences()
