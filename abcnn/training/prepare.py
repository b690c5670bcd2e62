"""From labelled pairs to what training needs: vocabulary, vectors, features, encoded pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from abcnn.errors import InputError
from abcnn.features.antonyms import word_cosines
from abcnn.features.choice import choose_features
from abcnn.features.encoder import PairEncoder
from abcnn.features.extraction import Extraction
from abcnn.features.pair_features import PairFeatures, learn_words
from abcnn.pairs import PairBatch
from abcnn.readers.grades import (
    Grades,
    Scale,
    grade_numbers,
    grade_values,
    range_of,
    true_values,
)
from abcnn.readers.labels import label_names
from abcnn.tasks import Task
from abcnn.text.batches import EncodedPairs, Ragged, mixed_groups
from abcnn.text.lexicon import build_vocabulary, coverage, partly_trained
from abcnn.text.normalize import normalized
from abcnn.text.tokenizer import Tokenizer
from abcnn.text.vector_sets import (
    VectorFiles,
    outweighing,
    read_vector_sets,
    side_by_side,
    vector_files,
)
from abcnn.text.vectors import WordVectors
from abcnn.text.vocabulary import with_lower_case
from abcnn.text.word2vec import train_vectors
from abcnn.training.arrays import ArrayStore
from abcnn.training.corpus import CHUNK, Corpus, in_both_orders, read_corpus
from abcnn.training.options import RANKING_LOSSES, TrainingOptions, require_whole_grades
from abcnn.training.teacher import require_teachable, teacher_targets

PREPARED_BY = (
    *("tokenizer", "lowercase", "max_length", "frequent_words", "dim", "seed", "train_vectors"),
    *("features", "rest_network", "both_orders", "class_weight", "grade_range", "teacher_weight"),
    *("normalize_vectors", "train_frequent_words"),
)
"""The training options that decide what the pairs are prepared to."""

_NORMALIZED = {
    "none": "",
    "unit": "; brought to the length 1",
    "center": "; their mean subtracted, then brought to the length 1",
}


@dataclass(frozen=True)
class Prepared:
    """Training pairs in numbers, and the encoder that made them from text.

    `labels` are empty where pairs are graded, and `grades` None where they are not. `vectors`
    float32 `(vocabulary, dim)`; `label_weights` float32 `(labels,)` or None; `notes` are
    what the user and the model card are told of the vectors and a teacher, by name; `source` is the
    file; `given` pairs were in it: any others are these in the other order; `trained_words` bool
    `(vocabulary,)` are those whose vectors are trained, None for all or none of them.
    """

    labels: tuple[str, ...]
    encoder: PairEncoder
    vectors: np.ndarray
    pairs: EncodedPairs
    label_weights: np.ndarray | None
    notes: dict[str, str]
    source: str
    given: int
    grades: Grades | None = None
    trained_words: np.ndarray | None = None

    @property
    def scale(self) -> Scale:
        """What the pairs are judged by: `labels`, or `grades`."""
        return self.labels if self.grades is None else self.grades


def prepare(
    train: PairBatch | Corpus,
    task: Task,
    options: TrainingOptions,
    vectors: VectorFiles,
    *,
    store: ArrayStore | None = None,
    on_message: Callable[[str], None] = lambda message: None,
    extraction: Extraction | None = None,
) -> Prepared:
    """Fit everything on the training pairs, and encode them into the arrays of `store`.

    `options` have the task's defaults filled in. `vectors` of several files are put side by side;
    without any, word2vec is trained on the
    training text itself. Raises InputError for data that cannot be learnt from.
    """
    store = store or ArrayStore()
    tokenizer = Tokenizer(options.tokenizer, options.lowercase)
    corpus = read_corpus([train], tokenizer, store) if isinstance(train, PairBatch) else train
    if isinstance(train, PairBatch):
        scale = task_scale(train, task, options)
    else:
        scale = corpus_scale(corpus, task, options)
    labels = () if isinstance(scale, Grades) else scale
    if isinstance(scale, Grades):
        require_whole_grades(scale, options)
        on_message(f"grades from {scale}")
    else:
        on_message(f"labels, in this order: {', '.join(labels)}")
    given = len(corpus)
    if options.both_orders:
        corpus = in_both_orders(corpus, store)
    counts = corpus.counts()
    files = vector_files(vectors)
    if files:
        frequent = options.frequent_words
        sets = read_vector_sets(files, with_lower_case(counts), most_frequent=frequent)
    else:
        sets = (train_vectors(corpus.sentences(), dim=options.dim, seed=options.seed),)
    # Each by itself: so sets weigh alike, and where one lacks a word its zeros stay zeros.
    sets = tuple(normalized(one, options.normalize_vectors) for one in sets)
    if (warning := outweighing(sets)) is not None:
        on_message(warning)
    word_vectors = side_by_side(sets)
    source = _source_of(word_vectors, sets if files else (), corpus)
    source += _NORMALIZED[options.normalize_vectors]
    on_message(source)
    lexicon = build_vocabulary(
        counts,
        word_vectors,
        np.random.default_rng(options.seed),
        own_rows=(options.train_frequent_words or len(counts)) if options.train_vectors else 0,
        with_empty=options.rest_network,
    )
    covered = _covered(counts, word_vectors, sets)
    on_message(covered)
    encoder = PairEncoder(
        tokenizer,
        lexicon.vocabulary,
        _fit_features(
            corpus, task, options, word_vectors, on_message=on_message, extraction=extraction
        ),
        options.max_length or task.max_length,
        rests=options.rest_network,
        both_orders=options.both_orders,
    )
    pairs = _encode_corpus(corpus, scale, encoder, store)
    notes = {"vectors": source, "coverage": covered}
    if isinstance(train, PairBatch) and train.teacher is not None:
        require_teachable(options)
        targets = teacher_targets(train, scale, task)
        assert targets is not None
        pairs = replace(pairs, teacher=np.tile(targets, (len(pairs) // given, 1)))
        notes["teacher"] = f"column {train.teacher.column}, weight {options.teacher_weight:g}"
    _check_ranked(pairs, corpus.source, options)
    if pairs.truncated:
        cut = pairs.truncated * given // len(pairs)
        on_message(
            f"{cut:,} of {2 * given:,} training sentences are longer than "
            f"{encoder.max_length} tokens and cut there for the network (--max-length)"
        )
    return Prepared(
        labels=labels,
        encoder=encoder,
        vectors=lexicon.matrix,
        pairs=pairs,
        label_weights=label_weights(pairs, labels, options),
        notes=notes,
        source=corpus.source,
        given=given,
        grades=scale if isinstance(scale, Grades) else None,
        trained_words=(
            partly_trained(lexicon, counts, options.train_frequent_words)
            if options.train_frequent_words
            else None
        ),
    )


def check_loss(prepared: Prepared, options: TrainingOptions) -> None:
    """InputError when the loss cannot learn from what was prepared for another one."""
    if prepared.grades is not None:
        require_whole_grades(prepared.grades, options)
    _check_ranked(prepared.pairs, prepared.source, options)


def _check_ranked(pairs: EncodedPairs, source: str, options: TrainingOptions) -> None:
    if options.loss in RANKING_LOSSES and not _has_mixed_question(pairs):
        raise InputError(
            f"{source}: the {options.loss} loss needs a question with both a right and a "
            "wrong candidate; --loss pointwise needs none. Received: none in "
            f"{len(pairs):,} rows"
        )


def task_scale(train: PairBatch, task: Task, options: TrainingOptions) -> Scale:
    """What the pairs are judged by: the labels of the training pairs, or the range of their grades.

    Raises InputError as `task_labels` does; for a grade that is no finite number or outside the
    range that the options state, and grades that are all the same.
    """
    if not task.graded:
        return task_labels(train, task)
    values = grade_values(train, options.stated_grades)
    return options.stated_grades or range_of(values, train.source, train.label_column)


def corpus_scale(corpus: Corpus, task: Task, options: TrainingOptions) -> Scale:
    """As `task_scale`, of a corpus whose grades were found to be numbers when it was read."""
    if not task.graded:
        return corpus_labels(corpus, task)
    values = grade_numbers(corpus.label_names)
    return options.stated_grades or range_of(values, corpus.source, corpus.label_column)


def task_labels(train: PairBatch, task: Task) -> tuple[str, ...]:
    """The label names of the training pairs in their order, checked against the task.

    Raises InputError for labels all of one class, or for a third label where there are two.
    """
    assert train.labels is not None
    return _checked_labels(train.labels, len(train), train.source, train.label_column, task)


def corpus_labels(corpus: Corpus, task: Task) -> tuple[str, ...]:
    """As `task_labels`, of a corpus."""
    return _checked_labels(
        corpus.label_names, len(corpus), corpus.source, corpus.label_column, task
    )


def _checked_labels(
    found: Iterable[str], rows: int, source: str, column: str, task: Task
) -> tuple[str, ...]:
    labels = label_names(found)
    if len(labels) < 2:
        raise InputError(
            f"{source}: column `{column}` must hold at least two different "
            f"labels. Received: {labels[0]!r} in all {rows:,} rows"
        )
    if task.two_labels and len(labels) > 2:
        raise InputError(
            f"{source}: column `{column}` must hold two different labels for "
            f"{task.name}. Received: {', '.join(labels[:10])}"
        )
    return labels


def _fit_features(
    corpus: Corpus,
    task: Task,
    options: TrainingOptions,
    vectors: WordVectors,
    *,
    on_message: Callable[[str], None],
    extraction: Extraction | None,
) -> PairFeatures:
    """The features that `options` ask for, fitted on the training pairs.

    A right sentence follows from its left one when the label begins with "entail".
    """
    holds = np.array([name.lower().startswith("entail") for name in corpus.label_names], dtype=bool)
    names = choose_features(
        options.features or (), paper=task.paper, labelled=bool(holds.any()), on_message=on_message
    )
    statistics = learn_words(
        names,
        corpus.statistics(),
        corpus.chunks(),
        holds=holds[corpus.labels],
        cosine=word_cosines(vectors),
    )
    return PairFeatures.fit_chunks(names, statistics, corpus.chunks(), extraction=extraction)


def encode_labelled(pairs: PairBatch, scale: Scale, encoder: PairEncoder) -> EncodedPairs:
    """Pairs in numbers, with their labels or grades, and groups."""
    numbers: dict[str, int] = {}
    groups = [numbers.setdefault(group, len(numbers)) for group in pairs.ranking_groups]
    return replace(
        encoder(pairs.left, pairs.right),
        labels=_shares(true_values(pairs, scale), scale),
        groups=np.asarray(groups, dtype=np.int64),
    )


def _encode_corpus(
    corpus: Corpus, scale: Scale, encoder: PairEncoder, store: ArrayStore
) -> EncodedPairs:
    """What `encode_labelled` gives, chunk by chunk and without the text."""
    if isinstance(scale, Grades):
        numbers = _shares(grade_numbers(corpus.label_names), scale)
    else:
        numbers = np.array([scale.index(name) for name in corpus.label_names], np.int64)
    features = store.new("features", "float32", (len(encoder.features.names),))
    if encoder.features.names:
        for left, right in corpus.chunks():
            features.append(encoder.features(left, right))
    else:
        features.append(np.zeros((len(corpus), 0), np.float32))
    ids = np.array([encoder.vocabulary.lookup(word) for word in corpus.words], np.int32)
    return EncodedPairs(
        left=_looked_up(corpus.left, ids, encoder.max_length, store, "left_ids"),
        right=_looked_up(corpus.right, ids, encoder.max_length, store, "right_ids"),
        features=features.finish(),
        labels=numbers[corpus.labels],
        groups=corpus.groups,
        rests=_rests(corpus, encoder, store) if encoder.rests else (),
    )


def _shares(values: np.ndarray, scale: Scale) -> np.ndarray:
    return scale.shares(values) if isinstance(scale, Grades) else values


def _rests(corpus: Corpus, encoder: PairEncoder, store: ArrayStore) -> tuple[Ragged, Ragged]:
    """The rests of all pairs, chunk by chunk."""
    ids = [store.new(f"{side}_rest_ids", "int32") for side in ("left", "right")]
    lengths: tuple[list[np.ndarray], list[np.ndarray]] = ([], [])
    for left, right in corpus.chunks():
        for rest, found, counts in zip(encoder.rests_of(left, right), ids, lengths, strict=True):
            found.append(rest.ids)
            counts.append(rest.lengths)
    one, other = (
        Ragged(found.finish(), np.concatenate([[0], *counts]).cumsum())
        for found, counts in zip(ids, lengths, strict=True)
    )
    return one, other


def _looked_up(
    side: Ragged, ids: np.ndarray, max_length: int, store: ArrayStore, name: str
) -> Ragged:
    """Sentences of places in the corpus's words as word ids, cut to `max_length`."""
    found = store.new(name, "int32")
    for start in range(0, len(side), CHUNK):
        lengths, places = side.rows_of(np.arange(start, min(start + CHUNK, len(side))))
        position = np.arange(len(places)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        found.append(ids[places[position < max_length]])
    lengths = np.minimum(side.lengths, max_length)
    return Ragged(
        found.finish(),
        np.concatenate([[0], np.cumsum(lengths)]),
        truncated=int((side.lengths > max_length).sum()),
    )


def _has_mixed_question(pairs: EncodedPairs) -> bool:
    assert pairs.groups is not None
    assert pairs.labels is not None
    return mixed_groups(pairs.groups, pairs.labels).size > 0


def _source_of(joined: WordVectors, sets: Sequence[WordVectors], corpus: Corpus) -> str:
    """A line that says where the vectors come from: from files, or from the training text."""
    if not sets:
        return (
            f"vectors: word2vec, {joined.dim} dimensions, trained on the "
            f"{len(corpus.sentences()):,} training sentences themselves (none were given with "
            "--vectors)"
        )
    names = [Path(one.source).name for one in sets]
    if len(sets) > 1:
        names = [f"{name} ({one.dim})" for name, one in zip(names, sets, strict=True)]
    return (
        f"vectors: {len(joined):,} words of {joined.dim} dimensions kept from {' and '.join(names)}"
    )


def _covered(counts: Counter[str], joined: WordVectors, sets: Sequence[WordVectors]) -> str:
    """A line that says how much of the training text has vectors, of several sets of each too."""
    line = str(coverage(counts, joined.words))
    if len(sets) == 1:
        return line
    parts = (f"{Path(one.source).name} {coverage(counts, one.words).shares}" for one in sets)
    return f"{line} (of these {'; '.join(parts)})"


def label_weights(
    pairs: EncodedPairs, labels: tuple[str, ...], options: TrainingOptions
) -> np.ndarray | None:
    """The weights of the labels that `options` ask for, float32 `(labels,)`, or None.

    With balanced weights every label counts the same in all, and a pair 1 on average."""
    if options.class_weight == "none":
        return None
    counts = np.bincount(np.asarray(pairs.labels), minlength=len(labels))
    return (len(pairs) / (len(labels) * counts)).astype(np.float32)
