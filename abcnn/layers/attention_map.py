"""What an attention layer shows of itself, so that a trained network can be explained."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

Sentence = Literal["left", "right", "left_rest", "right_rest", "joined"]
Side = Literal["left", "right", "own", "other"]


@dataclass(frozen=True)
class AttentionMap:
    """A named attention matrix of a layer, which is how any attention joins the explanations.

    A layer or block that attends has a method `attentions`, called like `call`, which returns a
    tuple of these. `matrix` is `(batch, rows, columns)`, or `(batch, heads, rows, columns)`; `rows`
    and `columns` name the sentence whose units they are; where a layer serves either, "own" stands
    for that of the call's first argument and "other" for that of its second. `row_weights`
    `(batch, rows)` and `column_weights` `(batch, columns)` are what a pooling makes of the matrix.
    `before` and `after` say how many of the layer's input units a row or column reaches back and
    ahead: 0 and 0 for the units themselves, `width - 1` and 0 for the phrases of a wide
    convolution. Where a row is no such unit, boolean `row_units` `(batch, rows, length)` says which
    units it stands for; a row of none is not shown.

    A layer whose output units reach over several input units has a property `reach`, `(before,
    after)`, by which the matrices of later layers are labelled with words. One that makes one
    sequence of both sentences has a property `sentence`, "joined".
    """

    name: str
    matrix: Any
    rows: Side | Sentence = "left"
    columns: Side | Sentence = "right"
    row_weights: Any = None
    column_weights: Any = None
    row_units: Any = None
    before: int = 0
    after: int = 0

    def of(self, own: Sentence, other: Sentence) -> AttentionMap:
        """The same map with "own" and "other" replaced by the sentences they stand for, and "left"
        and "right" by their rests where those are read."""
        named: dict[str, Sentence] = {"own": own, "other": other}
        if own in ("left_rest", "right_rest"):
            named |= {"left": "left_rest", "right": "right_rest"}
        return replace(
            self,
            rows=named.get(self.rows, self.rows),
            columns=named.get(self.columns, self.columns),
        )
