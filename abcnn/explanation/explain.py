"""From a matcher and a pair to an explanation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
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
from abcnn.scoring.predictions import mean_logits

if TYPE_CHECKING:
    from abcnn.scoring.matcher import Matcher
    from abcnn.text.batches import EncodedPairs


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

    Of an ensemble a matrix is the mean over its networks, and over the heads of each, which are not
    one another's. What its networks add to the mean logit is told of each network; features, which
    all read alike, with the mean of their weights. So the sum is exact as that of one network is.
    """

    def __init__(self, matcher: Matcher):
        self.matcher = matcher
        self._views = [NetworkView(network) for network in matcher.networks]
        self._parts = self._views[0].weighed_parts(matcher.encoder.features.names)

    def __call__(self, left: str, right: str) -> Explanation:
        """Explain one pair. Raises InputError for a sentence without a word."""
        matcher, encoder = self.matcher, self.matcher.encoder
        tokens = {"left": encoder.tokenizer(left), "right": encoder.tokenizer(right)}
        for side, text in (("left", left), ("right", right)):
            if not tokens[side]:
                raise InputError(f"`{side}` must hold a word. Received: {text!r}")
        encoded = encoder.of_tokens([tokens["left"]], [tokens["right"]])
        # As long as the pair and no longer: a matrix then holds no padding.
        members = [_read(view, encoded, encoder.max_length) for view in self._views]
        logits = mean_logits([of_member for of_member, _, _ in members])
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
            model=matcher.name,
            task=matcher.task.name,
            labels=matcher.labels,
            label=next(iter(said.label_names), None),
            score=float(said.scores[0]),
            probabilities=tuple(said.probabilities[0].tolist()),
            threshold=matcher.threshold if matcher.task.two_labels else None,
            left=sentences["left"],
            right=sentences["right"],
            attentions=_mean_attentions(
                [
                    [attention for one in found for attention in _attentions(one, read)]
                    for _, _, found in members
                ]
            ),
            logits=self._logits(logits[0], [weighed[0] for _, weighed, _ in members]),
            rests=rests,
        )

    def _logit_names(self, outputs: int) -> tuple[str, ...]:
        """What each logit speaks for: a label, a whole grade, or how far up the range it is."""
        grades = self.matcher.grades
        if grades is None:
            return self.matcher.labels[-outputs:]
        return ("the grade",) if outputs == 1 else tuple(map(str, grades.whole))

    def _logits(self, logits: np.ndarray, weighed: list[np.ndarray]) -> tuple[Logit, ...]:
        features = self.matcher.encoder.features
        scales = {
            name: (mean, scale)
            for name, mean, scale in zip(features.names, features.mean, features.scale, strict=True)
        }
        labels = self._logit_names(len(logits))
        if not self._parts:
            values = logits.tolist()
            return tuple(Logit(*both, ()) for both in zip(labels, values, strict=True))
        # `(networks, inputs, outputs)` and `(networks, outputs)`, each network's share of the mean.
        kernels, biases = (
            np.stack(weights) / np.float32(len(self._views))
            for weights in zip(*(view.output_weights for view in self._views), strict=True)
        )

        def raw(name: str, value: float) -> float | None:
            if name not in scales:
                return None
            mean, scale = scales[name]
            # float32 was here: 7.9999997 words were 8.
            return round(value * scale + mean, 5) + 0.0

        def contributions(weights: np.ndarray) -> Iterator[Contribution]:
            """`weights` `(networks, inputs)` of one output."""
            ends = np.cumsum([size for _, size in self._parts])[:-1]
            divided = [
                zip(np.split(values, ends), np.split(of_member, ends), strict=True)
                for values, of_member in zip(weighed, weights, strict=True)
            ]
            for (name, size), *of_members in zip(self._parts, *divided, strict=True):
                if name in scales:
                    value = float(of_members[0][0][0])
                    weight = float(sum(of_part[0] for _, of_part in of_members))
                    yield Contribution(name, value, weight, raw(name, value))
                    continue
                for number, (values, of_part) in enumerate(of_members, start=1):
                    own = f"{name}, network {number}" if len(of_members) > 1 else name
                    if size == 1:
                        yield Contribution(own, float(values[0]), float(of_part[0]))
                    else:
                        yield Contribution(own, float(values.astype(np.float64) @ of_part), 1.0)

        return tuple(
            Logit(
                label,
                float(logits[output]),
                (
                    *contributions(kernels[:, :, output]),
                    Contribution("bias", 1.0, float(biases[:, output].sum())),
                ),
            )
            for output, label in enumerate(labels)
        )


def _read(
    view: NetworkView, pair: EncodedPairs, max_length: int
) -> tuple[np.ndarray, np.ndarray, list[LayerAttention]]:
    """What a network says of one pair, see `NetworkView`."""
    logits, weighed, found = view(pair.inputs(np.array([0]), max_length, step=1))
    if pair.swapped is not None:
        # The output layer is linear: the mean of what it weighs gives the mean of its logits.
        others, others_weighed, _ = view(pair.swapped.inputs(np.array([0]), max_length, step=1))
        logits, weighed = (logits + others) / 2, (weighed + others_weighed) / 2
    return logits, weighed, found


def _mean_attentions(members: list[list[Attention]]) -> tuple[Attention, ...]:
    """The matrices of one network as they are; of several, each layer's mean over all of them."""
    if len(members) == 1:
        return tuple(members[0])
    alike: dict[tuple[str, str, str, str], list[Attention]] = {}
    for one in chain.from_iterable(members):
        key = one.layer, one.name, one.rows.side, one.columns.side
        alike.setdefault(key, []).append(one)

    def mean(arrays: list[np.ndarray | None]) -> np.ndarray | None:
        there = [array for array in arrays if array is not None]
        return np.mean(there, axis=0) if there else None

    return tuple(
        replace(
            same[0],
            head=None,
            matrix=np.mean([one.matrix for one in same], axis=0),
            row_weights=mean([one.row_weights for one in same]),
            column_weights=mean([one.column_weights for one in same]),
        )
        for same in alike.values()
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
