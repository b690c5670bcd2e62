"""What is told of one pair: plain numbers and words, from which every picture is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True)
class Units:
    """The rows or columns of a matrix: a sentence's words, phrases or windows of them.

    `side` is "left" or "right"; `spans` has a `(start, stop)` a unit: the tokens it was made of.
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
        """`block_1, pooling` or `reader, attention, head 2`."""
        names = [self.layer] if self.name == self.layer else [self.layer, self.name]
        return ", ".join([*names, *([f"head {self.head}"] if self.head else [])])


@dataclass(frozen=True, slots=True)
class Contribution:
    """One input of the output layer: its value, its weight and their product.

    `raw` is a feature before it was brought to the scale of the training pairs. The bias has the
    value 1.
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
    of the label decided for; `probabilities` has one a label of `labels`. `logits` are the
    network's own, before the matcher's calibration, if it has one.
    """

    model: str
    task: str
    labels: tuple[str, ...]
    label: str
    score: float
    probabilities: tuple[float, ...]
    threshold: float | None
    left: Sentence
    right: Sentence
    attentions: tuple[Attention, ...]
    logits: tuple[Logit, ...]

    @property
    def scored_label(self) -> str:
        """The label whose probability the score is."""
        return self.labels[-1] if len(self.labels) == 2 else self.label

    @property
    def verdict(self) -> str:
        """The score in words."""
        return f"Probability of {self.scored_label}: {self.score:.4f}"

    def sentence(self, side: str) -> Sentence:
        """The sentence of a side, "left" or "right"."""
        return self.left if side == "left" else self.right

    def words(self, units: Units) -> tuple[tuple[str, ...], ...]:
        """The words of every unit."""
        tokens = self.sentence(units.side).tokens
        return tuple(tokens[start:stop] for start, stop in units.spans)

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
