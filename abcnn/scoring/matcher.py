"""A trained matcher: scores pairs of sentences, from text to probabilities."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from os import PathLike
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from abcnn.errors import InputError
from abcnn.evaluation.calibration import claims, reliability
from abcnn.evaluation.classification import ClassificationMeasures, classification_measures
from abcnn.evaluation.comparison import Rules
from abcnn.evaluation.grading import GradeMeasures, grade_measures
from abcnn.evaluation.ranking import NoAnswer, RankingMeasures, Ties, ranking_measures
from abcnn.features.encoder import PairEncoder
from abcnn.network_config import ENGINES, NetworkConfig, model_name
from abcnn.pairs import Pair, PairBatch
from abcnn.readers.grades import Grades, Scale, true_values
from abcnn.scoring.calibration import Calibration
from abcnn.scoring.predictions import Predictions, decide, mean_logits
from abcnn.tasks import Task
from abcnn.text.batches import EncodedPairs, mean_of_orders, sorted_batches

if TYPE_CHECKING:
    import keras

    from abcnn.runtime import FoldedNetwork


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate at its rank (from 1); `index` is its place in the list that was given."""

    rank: int
    index: int
    candidate: str
    score: float


@dataclass(frozen=True)
class Matcher:
    """A network with everything it needs to read text and to decide.

    `labels` are the label names in their order, the positive one last where there are two; a
    matcher that grades pairs has none, but `grades`, the range of its scores;
    `threshold` is the probability from which the positive label is decided for; `calibration` maps
    the network's logits before that; `weights` are those of the network, by the names of
    `abcnn.network.named_weights`; `metrics` and `about` are what training measured and noted, as
    JSON values; `engine` is one of `ENGINES`.

    An ensemble has several networks of one `config`, whose mean logits are its logits: `weights`
    are those of the first, `others` those of the rest, with the arrays that they share in common.

    The two engines agree within 1e-5. A network that the fast one does not know
    (`abcnn.runtime.foldable`) is computed by Keras under either.
    """

    task: Task
    labels: tuple[str, ...]
    threshold: float
    encoder: PairEncoder
    config: NetworkConfig
    weights: Mapping[str, np.ndarray] = field(repr=False, compare=False)
    calibration: Calibration | None = field(default=None, repr=False)
    metrics: dict[str, Any] = field(default_factory=dict, repr=False)
    about: dict[str, Any] = field(default_factory=dict, repr=False)
    engine: str = "fast"
    grades: Grades | None = None
    others: tuple[Mapping[str, np.ndarray], ...] = field(default=(), repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.engine not in ENGINES:
            raise InputError(
                f"`engine` must be one of {', '.join(ENGINES)}. Received: {self.engine!r}"
            )

    @property
    def scale(self) -> Scale:
        """What pairs are judged by: `labels`, or `grades`."""
        return self.labels if self.grades is None else self.grades

    @property
    def members(self) -> tuple[Mapping[str, np.ndarray], ...]:
        """The weights of every network: one, or those of an ensemble."""
        return (self.weights, *self.others)

    @property
    def name(self) -> str:
        """The model, and of an ensemble of how many."""
        return model_name(self.config.model, len(self.members))

    @property
    def network(self) -> keras.Model:
        """The Keras network, of an ensemble the first; built when it is first asked for.

        To go on training it: a matcher of the new weights is
        `dataclasses.replace(matcher, weights=named_weights(network))`.
        """
        return self.networks[0]

    @cached_property
    def networks(self) -> tuple[keras.Model, ...]:
        """The Keras network of each of `members`."""
        from abcnn.network import build_network, set_named_weights

        networks = []
        for weights in self.members:
            network = build_network(self.config)
            set_named_weights(network, weights)
            networks.append(network)
        return tuple(networks)

    @cached_property
    def folded(self) -> tuple[FoldedNetwork, ...] | None:
        """What the fast engine computes with, one of `members` each; made when first asked for.

        None for the engine `keras`, and for a network that the fast one does not know.
        """
        if self.engine != "fast":
            return None
        # Here, since Numba takes half a second that Keras's engine need not wait for.
        from abcnn.runtime import fold_members, foldable

        return fold_members(self.config, self.members) if foldable(self.config) else None

    def predict(
        self, pairs: PairBatch | Iterable[Pair | tuple[str, str]], batch_size: int = 256
    ) -> Predictions:
        """Score pairs: a `PairBatch`, `Pair`s or `(left, right)` tuples; may be empty."""
        batch = pairs if isinstance(pairs, PairBatch) else PairBatch.of(pairs)
        encoded = self.encode(batch.left, batch.right)
        return self.decide(self.logits(encoded, batch_size))

    def decide(self, logits: np.ndarray) -> Predictions:
        """What logits `(pairs, outputs)` of the network say, calibrated: see `Predictions`."""
        return decide(logits, self.scale, self.threshold, self.calibration)

    def rank(self, question: str, candidates: Sequence[str]) -> list[Ranked]:
        """The candidates of a question, best first; equal scores keep their order.

        Raises InputError for entailment, whose scores say no order.
        """
        if not self.task.orders:
            raise InputError(
                f"`rank` needs a matcher with one score a pair. Received one for {self.task.name}"
            )
        scores = self.predict([(question, candidate) for candidate in candidates]).scores
        order = np.argsort(-scores, kind="stable")
        return [
            Ranked(rank, int(index), candidates[index], float(scores[index]))
            for rank, index in enumerate(order, start=1)
        ]

    def evaluate(
        self,
        pairs: PairBatch,
        *,
        ties: Ties = "expected",
        no_answer: NoAnswer = "skip",
        mixed_only: bool = False,
    ) -> RankingMeasures | ClassificationMeasures | GradeMeasures:
        """Measure the matcher on labelled pairs; the rules are those of `ranking_measures`.

        Raises InputError for pairs without labels, or with a label that the matcher does not know;
        for pairs that are to be graded, with a grade that is no number (`true_values`).
        """
        return self.measure(
            pairs, self.predict(pairs), ties=ties, no_answer=no_answer, mixed_only=mixed_only
        )

    def measure(
        self,
        pairs: PairBatch,
        predictions: Predictions,
        *,
        ties: Ties = "expected",
        no_answer: NoAnswer = "skip",
        mixed_only: bool = False,
    ) -> RankingMeasures | ClassificationMeasures | GradeMeasures:
        """Measure predictions that are there already, see `evaluate`."""
        if pairs.labels is None:
            raise InputError(f"{pairs.source}: expected labelled pairs. Received: no label column")
        labels = true_values(pairs, self.scale)
        if self.task.graded:
            return grade_measures(labels, predictions.scores)
        if not self.task.ranks:
            return classification_measures(labels, predictions.labels, self.labels)
        return ranking_measures(
            pairs.ranking_groups,
            labels,
            predictions.scores,
            candidate_ids=pairs.ranking_candidate_ids,
            ties=ties,
            no_answer=no_answer,
            mixed_only=mixed_only,
        )

    def record(
        self, pairs: PairBatch, predictions: Predictions, **rules: Unpack[Rules]
    ) -> dict[str, Any]:
        """What `measure` says and, where there are labels, the calibration error, for JSON."""
        found = self.measure(pairs, predictions, **rules).to_dict()
        error = self.calibration_error(pairs, predictions)
        return found if error is None else found | {"expected_calibration_error": error}

    def calibration_error(self, pairs: PairBatch, predictions: Predictions) -> float | None:
        """The expected calibration error of predictions, see `abcnn.evaluation.calibration`.

        None for grades, which are no probabilities.
        """
        if self.task.graded:
            return None
        labels = true_values(pairs, self.scale)
        said = claims(predictions.probabilities, predictions.labels, labels)
        return reliability(*said).expected_error

    def encode(self, left: Sequence[str], right: Sequence[str]) -> EncodedPairs:
        """What the network reads of pairs of sentences: `encoder`, in its fastest form."""
        return self._encode(left, right)

    @cached_property
    def _encode(self) -> Callable[[Sequence[str], Sequence[str]], EncodedPairs]:
        if self.engine != "fast":
            return self.encoder
        from abcnn.runtime import FastEncoder, encodable

        return FastEncoder(self.encoder) if encodable(self.encoder) else self.encoder

    def __reduce__(self) -> tuple:
        """Pickled, a matcher is its bundle's files: what a bundle holds is all there is to it."""
        from abcnn.bundle import bundle_bytes, matcher_of_bytes

        return matcher_of_bytes, (bundle_bytes(self), self.engine)

    def logits(
        self, pairs: EncodedPairs, batch_size: int = 256, threads: int | None = None
    ) -> np.ndarray:
        """The network's logits for encoded pairs, of an ensemble their mean: float32 `(pairs,
        outputs)`.

        `batch_size` matters to Keras only, `threads` to the fast engine only (None: one a
        processor). With that a pair's logits are the same to the last bit whatever other pairs are
        there.
        """
        if self.folded is None:
            most = self.encoder.max_length
            return mean_logits(
                [network_logits(network, pairs, most, batch_size) for network in self.networks]
            )
        from abcnn.runtime import logits

        return mean_logits(
            [
                mean_of_orders(partial(logits, folded, threads=threads), pairs)
                for folded in self.folded
            ]
        )

    def save(self, folder: str | PathLike[str]) -> None:
        """Write the matcher to a new folder, see `abcnn.bundle`."""
        from abcnn.bundle import save_bundle

        save_bundle(self, folder)


def network_logits(
    network: keras.Model, pairs: EncodedPairs, max_length: int, batch_size: int = 256
) -> np.ndarray:
    """Run a network over pairs in batches of like lengths: float32 `(pairs, outputs)`.

    Of pairs that are there in both orders it is the mean, see `mean_of_orders`.
    """

    def of_one_order(pairs: EncodedPairs) -> np.ndarray:
        logits = np.zeros((len(pairs), network.output_shape[-1]), dtype=np.float32)
        for indices in sorted_batches(pairs, batch_size):
            logits[indices] = network.predict_on_batch(pairs.inputs(indices, max_length))
        return logits

    return mean_of_orders(of_one_order, pairs)


def load(folder: str | PathLike[str], engine: str = "fast") -> Matcher:
    """Load a trained matcher from its folder, see `abcnn.bundle.load_bundle`."""
    from abcnn.bundle import load_bundle

    return load_bundle(folder, engine)
