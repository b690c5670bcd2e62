"""The pairs that are worth a look: the worst errors, and what was nearly decided otherwise."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from abcnn.errors import InputError
from abcnn.explanation import Explainer, Explanation
from abcnn.pairs import PairBatch
from abcnn.report.records import Case
from abcnn.scoring.predictions import Predictions


class CaseBook:
    """Finds cases among labelled pairs and what was predicted of them; `labels` are places, or
    grades."""

    def __init__(
        self, pairs: PairBatch, predictions: Predictions, labels: np.ndarray, explain: Explainer
    ):
        self.pairs, self.said, self.labels = pairs, predictions, labels
        self._explain = explain

    def worst_decisions(self, count: int) -> tuple[Case, ...]:
        """The wrong decisions whose true label was given the lowest probability."""
        truth = self.said.probabilities[np.arange(len(self.labels)), self.labels]
        wrong = np.flatnonzero(self.said.labels != self.labels)
        chosen = wrong[np.argsort(truth[wrong], kind="stable")][:count]
        return tuple(
            self._case(index, f"the true label was given a probability of {truth[index]:.4f}", True)
            for index in chosen
        )

    def near_decisions(self, count: int, threshold: float | None) -> tuple[Case, ...]:
        """The pairs whose score was nearest to the threshold, or whose two best labels were."""
        if threshold is not None:
            margins = np.abs(self.said.probabilities[:, 1] - threshold)
        else:
            best = np.sort(self.said.probabilities, axis=1)
            margins = best[:, -1] - best[:, -2]
        chosen = np.argsort(margins, kind="stable")[:count]
        return tuple(self._case(i, f"{margins[i]:.4f} from another label") for i in chosen)

    def worst_grades(self, count: int) -> tuple[Case, ...]:
        """The pairs whose score is furthest from the true grade."""
        errors = self.said.scores - self.labels
        chosen = np.argsort(-np.abs(errors), kind="stable")[:count]
        return tuple(
            self._case(i, f"{abs(errors[i]):.4f} too {'high' if errors[i] > 0 else 'low'}", True)
            for i in chosen
            if errors[i]
        )

    def worst_rankings(self, count: int) -> tuple[Case, ...]:
        """The wrong candidates that stood furthest above the best right one of their question,
        each followed by that one."""
        gaps = sorted(self._gaps(), key=lambda gap: gap[0], reverse=True)
        cases: list[Case] = []
        for gap, wrong, right, rank in [one for one in gaps if one[0] > 0][:count]:
            cases.append(self._case(wrong, f"first, {gap:.4f} above a right candidate", True))
            cases.append(self._case(right, f"right, and at rank {rank}", True))
        return tuple(cases)

    def near_rankings(self, count: int) -> tuple[Case, ...]:
        """The questions whose best wrong and best right candidates had nearly one score."""
        gaps = sorted(self._gaps(), key=lambda gap: abs(gap[0]))[:count]
        return tuple(
            self._case(
                wrong, f"wrong, {abs(gap):.4f} {'above' if gap > 0 else 'below'} a right one"
            )
            for gap, wrong, _, _ in gaps
        )

    def _gaps(self) -> Iterator[tuple[float, int, int, int]]:
        """A question with both kinds: best wrong score less best right one, their rows, the rank
        of the right one."""
        members: dict[str, list[int]] = {}
        for index, group in enumerate(self.pairs.ranking_groups):
            members.setdefault(group, []).append(index)
        scores = self.said.scores
        for rows in members.values():
            right = [row for row in rows if self.labels[row] == 1]
            wrong = [row for row in rows if self.labels[row] != 1]
            if right and wrong:
                best_right = max(right, key=lambda row: scores[row])
                best_wrong = max(wrong, key=lambda row: scores[row])
                above = sum(scores[row] > scores[best_right] for row in rows)
                gap = scores[best_wrong] - scores[best_right]
                yield float(gap), best_wrong, best_right, int(above) + 1

    def _case(self, index: int, note: str, explained: bool = False) -> Case:
        left, right = self.pairs.left[index], self.pairs.right[index]
        names = self.said.names
        score = float(self.said.scores[index])
        return Case(
            row=self.pairs.row(int(index)),
            left=left,
            right=right,
            label=names[self.labels[index]] if names else f"{self.labels[index]:g}",
            said=names[self.said.labels[index]] if names else f"{score:.2f}",
            score=score,
            note=note,
            explanation=_explained(self._explain, left, right) if explained else None,
        )


def _explained(
    explain: Callable[[str, str], Explanation], left: str, right: str
) -> Explanation | None:
    try:
        return explain(left, right)
    except InputError:  # a sentence without a word has nothing to show
        return None
