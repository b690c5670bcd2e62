"""From a matcher and a pair to an explanation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from abcnn.errors import InputError
from abcnn.explanation.graph import LayerAttention, NetworkView
from abcnn.explanation.occlusion import occlusion
from abcnn.explanation.records import (
    Attention,
    Contribution,
    Explanation,
    Logit,
    Sentence,
    Units,
)
from abcnn.features.encoder import rest_tokens

if TYPE_CHECKING:
    from abcnn.scoring.matcher import Matcher


def explain(matcher: Matcher, left: str, right: str) -> Explanation:
    """Why `matcher` gives a pair its score; for many pairs make one `Explainer`.

    Raises InputError for a sentence without a word.
    """
    return Explainer(matcher)(left, right)


class Explainer:
    """Explains pairs with one matcher.

    Attention and logits are those of the Keras network, the reference of the faster engine; what
    leaving out a word changes is told by the matcher's own engine. With a matcher that reads pairs
    in both orders the attention is that of the order given, all else the mean over both.
    """

    def __init__(self, matcher: Matcher):
        self.matcher = matcher
        self._view = NetworkView(matcher.network)
        self._parts = self._view.weighed_parts(matcher.encoder.features.names)

    def __call__(self, left: str, right: str) -> Explanation:
        """Explain one pair. Raises InputError for a sentence without a word."""
        matcher, encoder = self.matcher, self.matcher.encoder
        tokens = {"left": encoder.tokenizer(left), "right": encoder.tokenizer(right)}
        for side, text in (("left", left), ("right", right)):
            if not tokens[side]:
                raise InputError(f"`{side}` must hold a word. Received: {text!r}")
        encoded = encoder.of_tokens([tokens["left"]], [tokens["right"]])
        # As long as the pair and no longer: a matrix then holds no padding.
        logits, weighed, found = self._view(
            encoded.inputs(np.array([0]), encoder.max_length, step=1)
        )
        if encoded.swapped is not None:
            # The output layer is linear: the mean of what it weighs gives the mean of its logits.
            others, others_weighed, _ = self._view(
                encoded.swapped.inputs(np.array([0]), encoder.max_length, step=1)
            )
            logits, weighed = (logits + others) / 2, (weighed + others_weighed) / 2
        said = matcher.decide(logits)
        label = int(said.labels[0])
        # Of what is said, the column that the score is of: the one grade, or a label's.
        scored = -1 if matcher.task.orders else label

        def score(lefts: list[list[str]], rights: list[list[str]]) -> np.ndarray:
            pairs = encoder.of_tokens(lefts, rights)
            return matcher.decide(matcher.logits(pairs)).values[:, scored]

        changes = dict(
            zip(("left", "right"), occlusion(tokens["left"], tokens["right"], score), strict=True)
        )

        def sentence(side: str, text: str) -> Sentence:
            return Sentence(
                text=text,
                tokens=tuple(tokens[side]),
                known=tuple(token in encoder.vocabulary for token in tokens[side]),
                read=min(len(tokens[side]), encoder.max_length),
                changes=changes[side],
            )

        sentences = {"left": sentence("left", left), "right": sentence("right", right)}
        read = {side: one.read for side, one in sentences.items()}
        rests: tuple[tuple[str, ...], ...] = ()
        if encoder.rests:
            rests = tuple(
                tuple(rest[: encoder.max_length])
                for rest in rest_tokens(tokens["left"], tokens["right"])
            )
            read |= {"left_rest": len(rests[0]), "right_rest": len(rests[1])}
        return Explanation(
            model=matcher.config.model,
            task=matcher.task.name,
            labels=matcher.labels,
            label=next(iter(said.label_names), None),
            score=float(said.scores[0]),
            probabilities=tuple(said.probabilities[0].tolist()),
            threshold=matcher.threshold if matcher.task.two_labels else None,
            left=sentences["left"],
            right=sentences["right"],
            attentions=tuple(attention for one in found for attention in _attentions(one, read)),
            logits=self._logits(logits[0], weighed[0]),
            rests=rests,
        )

    def _logit_names(self, outputs: int) -> tuple[str, ...]:
        """What each logit speaks for: a label, a whole grade, or how far up the range it is."""
        grades = self.matcher.grades
        if grades is None:
            return self.matcher.labels[-outputs:]
        return ("the grade",) if outputs == 1 else tuple(map(str, grades.whole))

    def _logits(self, logits: np.ndarray, weighed: np.ndarray) -> tuple[Logit, ...]:
        features = self.matcher.encoder.features
        scales = {
            name: (mean, scale)
            for name, mean, scale in zip(features.names, features.mean, features.scale, strict=True)
        }
        labels = self._logit_names(len(logits))
        if not self._parts:
            values = logits.tolist()
            return tuple(Logit(*both, ()) for both in zip(labels, values, strict=True))
        kernel, bias = self._view.output_weights

        def raw(name: str, value: float) -> float | None:
            if name not in scales:
                return None
            mean, scale = scales[name]
            # float32 was here: 7.9999997 words were 8.
            return round(value * scale + mean, 5) + 0.0

        def contributions(weights: np.ndarray) -> Iterator[Contribution]:
            ends = np.cumsum([size for _, size in self._parts])[:-1]
            for (name, size), values, of_part in zip(
                self._parts, np.split(weighed, ends), np.split(weights, ends), strict=True
            ):
                if size == 1:
                    value = float(values[0])
                    yield Contribution(name, value, float(of_part[0]), raw(name, value))
                else:
                    yield Contribution(name, float(values.astype(np.float64) @ of_part), 1.0)

        return tuple(
            Logit(
                label,
                float(logits[output]),
                (
                    *contributions(kernel[:, output]),
                    Contribution("bias", 1.0, float(bias[output])),
                ),
            )
            for output, label in enumerate(labels)
        )


def _attentions(found: LayerAttention, read: dict[str, int]) -> Iterator[Attention]:
    """The matrices of a layer's attention map for a batch of one pair: one a head.

    `read` says how many tokens the network reads of each sentence.
    """
    one = found.map
    read["joined"] = read["left"] + 1 + read["right"]

    def units(side: str, ranges: Iterable[tuple[int, int]]) -> Units:
        """The words of ranges of the layer's units, `(first, stop)` each."""
        most = read[side]
        return Units(
            side,
            tuple(
                (max(0, first - found.before), min(most, stop + found.after))
                for first, stop in ranges
            ),
        )

    def weights(values: object, chosen: slice | np.ndarray = slice(None)) -> np.ndarray | None:
        return None if values is None else _array(values)[0][chosen]

    matrices = _array(one.matrix)[0]
    rows: slice | np.ndarray = slice(None)
    ranges = [(place, place + 1) for place in range(max(matrices.shape[-2:]))]
    row_ranges = ranges[: matrices.shape[-2]]
    if one.row_units is not None:
        members = _array(one.row_units)[0]
        rows = members.any(axis=1)
        row_ranges = [(int(at[0]), int(at[-1]) + 1) for at in map(np.flatnonzero, members[rows])]
    with_heads = matrices.ndim == 3
    for number, matrix in enumerate(matrices if with_heads else matrices[None], start=1):
        yield Attention(
            layer=found.layer,
            name=one.name,
            head=number if with_heads else None,
            rows=units(one.rows, row_ranges),
            columns=units(one.columns, ranges[: matrix.shape[1]]),
            matrix=matrix[rows],
            row_weights=weights(one.row_weights, rows),
            column_weights=weights(one.column_weights),
        )


def _array(tensor: object) -> np.ndarray:
    from keras import ops

    return ops.convert_to_numpy(tensor)
