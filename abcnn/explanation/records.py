"""What is told of one pair: plain numbers and words, from which every picture is drawn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

SEPARATOR, END = "[SEP]", "[END]"
"""How a unit between two sentences that are read as one is shown, and one behind the last word."""

NO_ATTENTION = "This model has no attention matrix."

_HIDDEN = "hidden unit "
_STRONGEST = 5


@dataclass(frozen=True, slots=True)
class Units:
    """The rows or columns of a matrix: a sentence's words, phrases or windows of them.

    `side` is "left", "right", "left_rest" or "right_rest" for a sentence's rest, or "joined" for
    both with a separator between them; `spans` has a `(start, stop)` a unit: the tokens it was made
    of. A unit of none is the sentence's end.
    """

    side: str
    spans: tuple[tuple[int, int], ...]

    def __len__(self) -> int:
        return len(self.spans)


@dataclass(frozen=True, slots=True, eq=False)
class Attention:
    """One attention matrix of the network, with the words it stands for.

    `layer` is the network's layer, `name` which of its matrices this is, `head` its number from 1
    where there are several. `matrix` float32 `(rows, columns)`; `row_weights` `(rows,)` and
    `column_weights` `(columns,)` are the weights that a pooling took from it, or None.
    """

    layer: str
    name: str
    head: int | None
    rows: Units
    columns: Units
    matrix: np.ndarray
    row_weights: np.ndarray | None = None
    column_weights: np.ndarray | None = None

    @property
    def title(self) -> str:
        """`block_1, pooling` or `reader, attention, head 2, right over left`."""
        names = [self.layer] if self.name == self.layer else [self.layer, self.name]
        if self.head:
            names.append(f"head {self.head}")
        sides = (self.rows.side, self.columns.side)
        if sides[0] == sides[1]:
            names.append("both sentences" if sides[0] == "joined" else f"{sides[0]} sentence")
        elif sides not in (("left", "right"), ("left_rest", "right_rest")):
            names.append(" over ".join(sides))
        return ", ".join(names)


@dataclass(frozen=True, slots=True)
class Contribution:
    """One input of the output layer: its value, its weight and their product.

    `raw` is a feature before it was brought to the scale of the training pairs. The bias has the
    value 1. What many inputs add together, as a block's differences number by number, is the value
    and has the weight 1.
    """

    name: str
    value: float
    weight: float
    raw: float | None = None

    @property
    def product(self) -> float:
        """What it adds to the logit."""
        return self.value * self.weight


@dataclass(frozen=True, slots=True)
class Logit:
    """A logit and what it is the sum of.

    `label` is the label it speaks for. `value` is what the network gave in float32; the products of
    `contributions`, summed in float64, are the same but for its rounding. There are none where the
    network's output layer does not weigh named inputs.
    """

    label: str
    value: float
    contributions: tuple[Contribution, ...]

    def brief(self) -> Logit:
        """The same sum, for people: of many hidden units the strongest, and the rest as one."""
        hidden = [part for part in self.contributions if part.name.startswith(_HIDDEN)]
        weak = sorted(hidden, key=lambda part: -abs(part.product))[_STRONGEST:]
        if len(weak) < 2:
            return self
        rest = Contribution(f"{len(weak)} other hidden units", sum(p.product for p in weak), 1.0)
        kept = [part for part in self.contributions if part not in weak]
        place = max(kept.index(part) for part in hidden if part in kept) + 1
        return replace(self, contributions=(*kept[:place], rest, *kept[place:]))


@dataclass(frozen=True, slots=True, eq=False)
class Sentence:
    """A sentence as the model reads it.

    `known` says of every token whether the vocabulary has it; the network reads the first `read`
    tokens, the features all of them. `changes` float64 `(tokens,)`: the score of the pair without
    the token, less the score of the whole pair. A token that is the sentence's only one cannot be
    left out: NaN.
    """

    text: str
    tokens: tuple[str, ...]
    known: tuple[bool, ...]
    read: int
    changes: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class Explanation:
    """Why a pair got its score.

    `score` is that of `Predictions.scores`: with two labels the probability of the last one, else
    of the label decided for; `probabilities` has one a label of `labels`. A grade has neither of
    them, and no `label`. `logits` are the network's own, before the matcher's calibration, if it
    has one. `rests` are the tokens of the rests that a second network reads, none without one.
    """

    model: str
    task: str
    labels: tuple[str, ...]
    label: str | None
    score: float
    probabilities: tuple[float, ...]
    threshold: float | None
    left: Sentence
    right: Sentence
    attentions: tuple[Attention, ...]
    logits: tuple[Logit, ...]
    rests: tuple[tuple[str, ...], ...] = ()

    @property
    def scored_label(self) -> str | None:
        """The label whose probability the score is; None for a grade."""
        return self.labels[-1] if len(self.labels) == 2 else self.label

    @property
    def verdict(self) -> str:
        """The score in words."""
        if self.label is None:
            return f"Grade: {self.score:.4f}"
        return f"Probability of {self.scored_label}: {self.score:.4f}"

    @property
    def about(self) -> str:
        """The model, the task and, where there are labels, the one decided for."""
        decided = "" if self.label is None else f"; decided for {self.label}"
        return f"{self.model}, {self.task}{decided}"

    def tokens(self, side: str) -> tuple[str, ...]:
        """The tokens of a side of `Units`: of "joined" and the rests as many as are read."""
        if side == "joined":
            left, right = (one.tokens[: one.read] for one in (self.left, self.right))
            return (*left, SEPARATOR, *right)
        if side in (of_rests := ("left_rest", "right_rest")):
            return self.rests[of_rests.index(side)]
        return self.left.tokens if side == "left" else self.right.tokens

    def words(self, units: Units) -> tuple[tuple[str, ...], ...]:
        """The words of every unit."""
        tokens = self.tokens(units.side)
        return tuple(tokens[start:stop] or (END,) for start, stop in units.spans)

    def to_dict(self) -> dict[str, Any]:
        """Everything by name, ready for JSON: lists for arrays, None for NaN."""

        def sentence(side: Sentence) -> dict[str, Any]:
            return {
                "text": side.text,
                "tokens": list(side.tokens),
                "known": list(side.known),
                "read": side.read,
                "score_change_without": _numbers(side.changes),
            }

        def units(some: Units) -> dict[str, Any]:
            return {
                "sentence": some.side,
                "units": [" ".join(words) for words in self.words(some)],
                "spans": [list(span) for span in some.spans],
            }

        return {
            "model": self.model,
            "task": self.task,
            "label": self.label,
            "score": self.score,
            "probabilities": dict(zip(self.labels, self.probabilities, strict=True)),
            "threshold": self.threshold,
            "left": sentence(self.left),
            "right": sentence(self.right),
            "attentions": [
                {
                    "title": one.title,
                    "layer": one.layer,
                    "name": one.name,
                    "head": one.head,
                    "rows": units(one.rows) | {"weights": _numbers(one.row_weights)},
                    "columns": units(one.columns) | {"weights": _numbers(one.column_weights)},
                    "matrix": [_numbers(row) for row in one.matrix],
                }
                for one in self.attentions
            ],
            "logits": [
                {
                    "label": logit.label,
                    "logit": logit.value,
                    "contributions": [
                        {
                            "name": part.name,
                            "value": part.value,
                            "weight": part.weight,
                            "product": part.product,
                            **({} if part.raw is None else {"raw": part.raw}),
                        }
                        for part in logit.contributions
                    ],
                }
                for logit in self.logits
            ],
        }


def _numbers(values: np.ndarray | None) -> list[float | None] | None:
    if values is None:
        return None
    return [float(value) if np.isfinite(value) else None for value in values]
