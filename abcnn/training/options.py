"""What a training run can be told, with the defaults of each task."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from abcnn.errors import InputError
from abcnn.features.choice import known_features
from abcnn.network_config import COMPARISONS, MODEL_OPTIONS, widths_of
from abcnn.tasks import Task

if TYPE_CHECKING:
    from abcnn.readers.grades import Grades

SIMILARITY_SCORES = ("euclidean", "manhattan", "cosine", "dot", "scaled_dot")
"""The scores of two sentence vectors: the match scores that have no weights."""

CHOICES: dict[str, tuple[str, ...]] = {
    "model": tuple(MODEL_OPTIONS),
    "match_score": (*SIMILARITY_SCORES, "bilinear", "additive"),
    "tokenizer": ("word", "whitespace", "character"),
    "attention": ("soft", "local-monotonic", "local-predictive", "hard"),
    "cell": ("rnn", "gru", "lstm"),
    "class_weight": ("none", "balanced"),
    "calibrate": ("none", "temperature", "isotonic"),
    "normalize_vectors": ("none", "unit", "center"),
    "refit": ("none", "logistic", "svm"),
    "optimizer": ("adam", "adamw", "adagrad", "sgd"),
    "schedule": ("constant", "linear", "cosine"),
}
"""The words that an option may be. Stated here, since what they name imports Keras."""

READ_IDS = frozenset({"hierarchical", "seq2seq"})
"""The models that read the ids of words, too, besides their vectors: `abcnn.models.MODELS`."""

RANKING_LOSSES = frozenset({"pairwise", "listwise", "hard-negative"})
"""The losses that compare the candidates of a question, which must then stand in one batch."""


@dataclass(frozen=True)
class TrainingOptions:
    """How a network is shaped and trained. None stands for the task's default, for `match_score`
    for the model's (`model_match_score`), and for `train_vectors` for this: vectors are trained
    when none are given or `train_frequent_words` says which, and frozen otherwise.

    Lengths are in tokens, `width` may be several, each with blocks of its own; dropouts and
    `dev_share` are shares in [0, 1); `word_dropout` is that of the words which are unknown to the
    network, not to the features, in a batch of training (`abcnn.training.word_dropout`); `patience`
    is the number of epochs without a better dev measure after which training stops,
    `frequent_words` the number of the vector file's first words that are kept besides those of the
    training text. `normalize_vectors` brings the first vectors of each file to the length 1, with
    "center" less their mean (`abcnn.text.normalize`). Of so many words as `train_frequent_words`,
    the training text's most frequent ones, the vectors are trained and the others' stay; 0 is all.
    Over all steps of `epochs` epochs, of each block's training with `layerwise`, the learning rate
    rises for the share `warmup` in [0, 1) and then is as `schedule` says
    (`abcnn.training.schedule`). `calibrate` says how scores are made probabilities on dev, see
    `abcnn.training.calibration`; after a ranking loss Platt's scaling comes first whatever it is.
    With `train_on_dev` a second training on train and dev follows, for as many epochs as were best
    on dev; it gives the network that is kept (`abcnn.training.run`). `grade_range` are the lowest
    and the highest grade of a task with grades; None reads them from the training pairs. With
    `both_orders` the network learns from each pair in both orders, and a score is the mean over
    both. `teacher_weight` is the share of a teacher in the loss, where the training pairs have one.
    What the model does not read (`MODEL_OPTIONS`) stays as it is by default.
    """

    model: str = "abcnn-3"
    conv_layers: int = 1
    filters: int = 50
    width: int | tuple[int, ...] | None = None
    max_length: int | None = None
    hidden_dim: int = 100
    heads: int = 4
    depth: int = 1
    joint: bool = False
    cell: str = "gru"
    both_directions: bool = False
    attention: str = "soft"
    window: int = 3
    max_sentences: int = 10
    target_words: int = 5000
    match_score: str | None = None
    share_weights: bool = True
    weight_all_pooling: bool = True
    pooled_attention: int = 0
    rest_network: bool = False
    train_vectors: bool | None = None
    train_frequent_words: int = 0
    vector_dropout: float = 0.0
    score_dropout: float = 0.0
    word_dropout: float = 0.0
    scores: tuple[str, ...] | None = None
    comparison: tuple[str, ...] = ()
    features: tuple[str, ...] | None = None
    tokenizer: str = "word"
    lowercase: bool = False
    frequent_words: int = 50_000
    normalize_vectors: str = "none"
    dim: int = 100
    loss: str | None = None
    class_weight: str = "none"
    teacher_weight: float = 0.5
    layerwise: bool = False
    refit: str = "none"
    optimizer: str = "adam"
    learning_rate: float | None = None
    schedule: str = "constant"
    warmup: float = 0.0
    l2: float = 0.0001
    batch_size: int = 32
    epochs: int = 30
    patience: int = 8
    dev_share: float = 0.1
    train_on_dev: bool = False
    both_orders: bool = False
    grade_range: tuple[float, float] | None = None
    calibrate: str = "none"
    seed: int = 0

    def for_task(self, task: Task) -> TrainingOptions:
        """These options with the task's defaults filled in, checked.

        Raises InputError, which names the option, what it must be and what it was.
        """
        options = self._filled(task)
        for name in (
            "conv_layers",
            "filters",
            "max_length",
            "hidden_dim",
            "heads",
            "depth",
            "window",
            "max_sentences",
            "target_words",
            "dim",
            "batch_size",
            "epochs",
            "patience",
        ):
            _require(getattr(options, name) >= 1, name, "at least 1", getattr(options, name))
        widths = widths_of(options.width if options.width is not None else ())
        _require(
            len(widths) > 0 and min(widths) >= 1 and len(set(widths)) == len(widths),
            "width",
            "at least 1" if len(widths) == 1 else "numbers of at least 1, each once",
            options.width,
        )
        for name, words in CHOICES.items():
            value = getattr(options, name)
            _require(value in words, name, f"one of {', '.join(words)}", value)
        options._check_model(task)
        for name in ("vector_dropout", "score_dropout", "word_dropout"):
            value = getattr(options, name)
            _require(0 <= value < 1, name, "at least 0 and below 1", value)
        known_features(options.features or (), task.paper)
        _require(
            bool(options.scores) and set(options.scores or ()) <= set(SIMILARITY_SCORES),
            "scores",
            f"one or more of {', '.join(SIMILARITY_SCORES)}",
            options.scores,
        )
        _require(
            len(set(options.comparison)) == len(options.comparison)
            and set(options.comparison) <= set(COMPARISONS),
            "comparison",
            f"none or some of {', '.join(COMPARISONS)}, each once",
            options.comparison,
        )
        _require(0 < options.dev_share < 1, "dev_share", "between 0 and 1", options.dev_share)
        rate = options.learning_rate
        _require(rate is not None and rate > 0, "learning_rate", "above 0", rate)
        _require(0 <= options.warmup < 1, "warmup", "at least 0 and below 1", options.warmup)
        _require(
            options.train_vectors is not False or options.train_frequent_words == 0,
            "train_frequent_words",
            "0 with frozen vectors (--freeze-vectors)",
            options.train_frequent_words,
        )
        share = options.teacher_weight
        _require(0 <= share <= 1, "teacher_weight", "from 0 to 1", share)
        for name in ("l2", "frequent_words", "pooled_attention", "train_frequent_words"):
            _require(getattr(options, name) >= 0, name, "at least 0", getattr(options, name))
        # What NumPy takes, and Keras with it.
        _require(0 <= options.seed < 2**32, "seed", f"from 0 to {2**32 - 1}", options.seed)
        _require(
            options.loss in task.losses,
            "loss",
            f"one of {', '.join(task.losses)} for {task.name}",
            options.loss,
        )
        _require(
            task.symmetric or not options.both_orders,
            "both_orders",
            f"False for {task.name}, whose pairs have a direction",
            options.both_orders,
        )
        if task.graded:
            options._check_graded(task)
        else:
            _require(
                options.grade_range is None,
                "grade_range",
                f"None for {task.name}, which has labels",
                options.grade_range,
            )
        _require(
            options.class_weight == "none" or options.loss == "pointwise",
            "class_weight",
            f"none with the {options.loss} loss, which compares the candidates of a question "
            "(labels have a weight with --loss pointwise)",
            options.class_weight,
        )
        return options

    def with_vectors(self, given: bool) -> TrainingOptions:
        """These options with `train_vectors` filled in, whether vectors are given or not."""
        if self.train_vectors is not None:
            return self
        return replace(self, train_vectors=not given or self.train_frequent_words > 0)

    def require_measure_of_dev(self, what: str) -> None:
        """Raise InputError when the network that is kept is not the one that dev measures."""
        if self.train_on_dev:
            raise InputError(
                f"`train_on_dev` must be False in {what}, which measures on dev. Received: True"
            )

    @property
    def scheduled(self) -> bool:
        """Whether the learning rate is another from step to step, so that `epochs` decides it."""
        return self.schedule != "constant" or self.warmup > 0

    def _check_graded(self, task: Task) -> None:
        """Refuse what only labels have, and a range that is none."""
        for name in ("class_weight", "refit", "calibrate"):
            _require(
                getattr(self, name) == "none",
                name,
                f"none for {task.name}, which has grades and no labels",
                getattr(self, name),
            )
        _require(
            self.model != "seq2seq",
            "model",
            f"another for {task.name}: seq2seq learns from pairs with the right label",
            self.model,
        )
        if (ends := self.grade_range) is not None:
            _require(
                len(ends) == 2 and all(map(math.isfinite, ends)) and ends[0] < ends[1],
                "grade_range",
                "two finite numbers, the lower first",
                ends,
            )
        if self.stated_grades is not None:
            require_whole_grades(self.stated_grades, self)

    @property
    def stated_grades(self) -> Grades | None:
        """The range of grades that the options state, None when they leave it to the data."""
        if self.grade_range is None:
            return None
        low, high = self.grade_range
        # Here, since it imports NumPy, and the commands read these options before they do.
        from abcnn.readers.grades import Grades

        return Grades(float(low), float(high), stated=True)

    def _filled(self, task: Task) -> TrainingOptions:
        return replace(
            self,
            width=task.width if self.width is None else self.width,
            max_length=task.max_length if self.max_length is None else self.max_length,
            scores=task.scores if self.scores is None else self.scores,
            features=task.features if self.features is None else self.features,
            learning_rate=(
                task.learning_rate if self.learning_rate is None else self.learning_rate
            ),
            loss=task.losses[0] if self.loss is None else self.loss,
            match_score=self.match_score or model_match_score(self.model),
        )

    def _check_model(self, task: Task) -> None:
        """Refuse an option that the model does not read, and a size that it cannot have."""
        read = MODEL_OPTIONS[self.model]
        defaults = TrainingOptions(model=self.model)._filled(task)
        for name in dict.fromkeys(chain.from_iterable(MODEL_OPTIONS.values())):
            value, default = getattr(self, name), getattr(defaults, name)
            readers = ", ".join(model for model, names in MODEL_OPTIONS.items() if name in names)
            _require(
                name in read or value == default,
                name,
                f"{default!r} with {self.model}, which does not read it (but {readers})",
                value,
            )
        _require(
            "heads" not in read or self.hidden_dim % self.heads == 0,
            "heads",
            f"a divisor of `hidden_dim`, {self.hidden_dim}",
            self.heads,
        )
        # What they read of the ids besides vectors would change: the words to be told, the words
        # that end a sentence.
        _require(
            self.word_dropout == 0 or self.model not in READ_IDS,
            "word_dropout",
            f"0 with {self.model}, which reads words as more than their vectors",
            self.word_dropout,
        )

    def to_dict(self) -> dict[str, Any]:
        """The options by name, ready for JSON."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


def require_whole_grades(grades: Grades, options: TrainingOptions) -> None:
    """InputError when the loss is over whole grades and the range is none of them."""
    _require(
        options.loss != "distribution" or bool(grades.whole),
        "loss",
        "mse, unless the range of grades has whole ends that are at most 100 apart (--range sets "
        f"another than {grades})",
        options.loss,
    )


def model_match_score(model: str) -> str:
    """The match score of a model unless told otherwise.

    The paper's; but not under a softmax, which makes scores of (0, 1] nearly equal.
    """
    return {"attentive-rnn": "additive", "seq2seq": "bilinear"}.get(model, "euclidean")


def _require(condition: bool, name: str, expected: str, received: object) -> None:
    if not condition:
        raise InputError(f"`{name}` must be {expected}. Received: {received!r}")
