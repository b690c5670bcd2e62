"""From labelled pairs to what training needs: vocabulary, vectors, features, encoded pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from abcnn.errors import InputError
from abcnn.features.encoder import PairEncoder
from abcnn.features.pair_features import PairFeatures
from abcnn.pairs import PairBatch
from abcnn.readers.labels import label_ids, label_names
from abcnn.tasks import Task
from abcnn.text.batches import EncodedPairs, mixed_groups
from abcnn.text.lexicon import build_vocabulary, coverage
from abcnn.text.tokenizer import Tokenizer
from abcnn.text.vectors import WordVectors, read_vectors
from abcnn.text.vocabulary import with_lower_case
from abcnn.text.word2vec import train_vectors
from abcnn.training.options import RANKING_LOSSES, TrainingOptions


@dataclass(frozen=True)
class Prepared:
    """Training pairs in numbers, and the encoder that made them from text.

    `vectors` float32 `(vocabulary, dim)`; `label_weights` float32 `(labels,)` or None; `notes` are
    what the user and the model card are told of the vectors, by name.
    """

    labels: tuple[str, ...]
    encoder: PairEncoder
    vectors: np.ndarray
    pairs: EncodedPairs
    label_weights: np.ndarray | None
    notes: dict[str, str]


def prepare(
    train: PairBatch,
    task: Task,
    options: TrainingOptions,
    vectors: str | Path | None,
    *,
    on_message: Callable[[str], None] = lambda message: None,
) -> Prepared:
    """Fit everything on the training pairs, and encode them.

    `options` have the task's defaults filled in. Without `vectors`, word2vec is trained on the
    training text itself. Raises InputError for data that cannot be learnt from.
    """
    assert train.labels is not None
    labels = task_labels(train, task)
    on_message(f"labels, in this order: {', '.join(labels)}")
    tokenizer = Tokenizer(options.tokenizer, options.lowercase)
    tokens = {text: tokenizer(text) for text in dict.fromkeys((*train.left, *train.right))}
    counts = Counter(word for sentence in tokens.values() for word in sentence)
    word_vectors, source = _word_vectors(list(tokens.values()), counts, options, vectors)
    on_message(source)
    lexicon = build_vocabulary(
        counts,
        word_vectors,
        np.random.default_rng(options.seed),
        own_rows_for_unknown=bool(options.train_vectors),
    )
    covered = str(coverage(counts, word_vectors.words))
    on_message(covered)
    encoder = PairEncoder(
        tokenizer,
        lexicon.vocabulary,
        PairFeatures.fit(
            options.features or (),
            [tokens[text] for text in train.left],
            [tokens[text] for text in train.right],
        ),
        options.max_length or task.max_length,
    )
    pairs = encode_labelled(train, labels, encoder)
    if options.loss in RANKING_LOSSES and not _has_mixed_question(pairs):
        raise InputError(
            f"{train.source}: the {options.loss} loss needs a question with both a right and a "
            "wrong candidate; --loss pointwise needs none. Received: none in "
            f"{len(train):,} rows"
        )
    if pairs.truncated:
        on_message(
            f"{pairs.truncated:,} of {2 * len(pairs):,} training sentences are longer than "
            f"{encoder.max_length} tokens and cut there for the network (--max-length)"
        )
    return Prepared(
        labels=labels,
        encoder=encoder,
        vectors=lexicon.matrix,
        pairs=pairs,
        label_weights=_label_weights(pairs, labels, options),
        notes={"vectors": source, "coverage": covered},
    )


def task_labels(train: PairBatch, task: Task) -> tuple[str, ...]:
    """The label names of the training pairs in their order, checked against the task.

    Raises InputError for labels all of one class, or for a third label where there are two.
    """
    assert train.labels is not None
    labels = label_names(train.labels)
    if len(labels) < 2:
        raise InputError(
            f"{train.source}: column `{train.label_column}` must hold at least two different "
            f"labels. Received: {labels[0]!r} in all {len(train):,} rows"
        )
    if task.two_labels and len(labels) > 2:
        raise InputError(
            f"{train.source}: column `{train.label_column}` must hold two different labels for "
            f"{task.name}. Received: {', '.join(labels[:10])}"
        )
    return labels


def encode_labelled(
    pairs: PairBatch, labels: tuple[str, ...], encoder: PairEncoder
) -> EncodedPairs:
    """Pairs in numbers, with their labels and groups."""
    numbers: dict[str, int] = {}
    groups = [numbers.setdefault(group, len(numbers)) for group in pairs.ranking_groups]
    return replace(
        encoder(pairs.left, pairs.right),
        labels=np.asarray(label_ids(pairs, labels), dtype=np.int64),
        groups=np.asarray(groups, dtype=np.int64),
    )


def _has_mixed_question(pairs: EncodedPairs) -> bool:
    assert pairs.groups is not None
    assert pairs.labels is not None
    return mixed_groups(pairs.groups, pairs.labels).size > 0


def _word_vectors(
    sentences: list[list[str]],
    counts: Counter[str],
    options: TrainingOptions,
    file: str | Path | None,
) -> tuple[WordVectors, str]:
    """The vectors of the training words, and a line that says where they come from."""
    if file is None:
        vectors = train_vectors(sentences, dim=options.dim, seed=options.seed)
        return vectors, (
            f"vectors: word2vec, {options.dim} dimensions, trained on the {len(sentences):,} "
            "training sentences themselves (none were given with --vectors)"
        )
    vectors = read_vectors(file, with_lower_case(counts), most_frequent=options.frequent_words)
    return vectors, (
        f"vectors: {len(vectors.words):,} words of {vectors.matrix.shape[1]} dimensions kept from "
        f"{Path(vectors.source).name}"
    )


def _label_weights(
    pairs: EncodedPairs, labels: tuple[str, ...], options: TrainingOptions
) -> np.ndarray | None:
    """With balanced weights every label counts the same in all, and a pair 1 on average."""
    if options.class_weight == "none":
        return None
    counts = np.bincount(np.asarray(pairs.labels), minlength=len(labels))
    return (len(pairs) / (len(labels) * counts)).astype(np.float32)
