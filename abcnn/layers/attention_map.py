"""What an attention layer shows of itself, so that a trained network can be explained."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

Side = Literal["left", "right", "own"]


@dataclass(frozen=True)
class AttentionMap:
    """A named attention matrix of a layer, which is how any attention joins the explanations.

    A layer or block that attends has a method `attentions`, called like `call`, which returns a
    tuple of these. `matrix` is `(batch, rows, columns)`, or `(batch, heads, rows, columns)`; `rows`
    and `columns` name the sentence whose units they are, "own" standing for that of the call where
    a layer reads one sentence: its first call is of the left one, its second of the right one.
    `row_weights` `(batch, rows)` and `column_weights` `(batch, columns)` are what a pooling makes
    of the matrix. `before` and `after` say how many of the layer's input units a row or column
    reaches back and ahead: 0 and 0 for the units themselves, `width - 1` and 0 for the phrases of a
    wide convolution.

    A layer whose output units reach over several input units has a property `reach`, `(before,
    after)`, by which the matrices of later layers are labelled with words.
    """

    name: str
    matrix: Any
    rows: Side = "left"
    columns: Side = "right"
    row_weights: Any = None
    column_weights: Any = None
    before: int = 0
    after: int = 0

    def of(self, side: Literal["left", "right"]) -> AttentionMap:
        """The same map with "own" replaced by the sentence it stands for."""
        return replace(
            self,
            rows=side if self.rows == "own" else self.rows,
            columns=side if self.columns == "own" else self.columns,
        )
