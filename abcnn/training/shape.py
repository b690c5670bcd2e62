"""From the options of a run and its prepared pairs to the shape of the network."""

from __future__ import annotations

from abcnn.models import MODELS
from abcnn.models.hierarchical import SENTENCE_ENDS
from abcnn.network import NetworkConfig
from abcnn.tasks import Task
from abcnn.training.options import TrainingOptions, model_match_score
from abcnn.training.prepare import Prepared


def outputs_of(task: Task, options: TrainingOptions, prepared: Prepared) -> int:
    """How many logits the network has."""
    if prepared.grades is not None:
        return len(prepared.grades.whole) if options.loss == "distribution" else 1
    return 1 if task.two_labels else len(prepared.labels)


def network_config(task: Task, options: TrainingOptions, prepared: Prepared) -> NetworkConfig:
    """What decides the network's shape."""
    return NetworkConfig(
        vocabulary=prepared.vectors.shape[0],
        dim=prepared.vectors.shape[1],
        features=len(prepared.encoder.features.names),
        outputs=outputs_of(task, options, prepared),
        scores=options.scores or task.scores,
        comparison=options.comparison,
        model=options.model,
        conv_layers=options.conv_layers,
        filters=options.filters,
        width=task.width if options.width is None else options.width,
        max_length=prepared.encoder.max_length,
        hidden_dim=options.hidden_dim,
        heads=options.heads,
        depth=options.depth,
        joint=options.joint,
        cell=options.cell,
        both_directions=options.both_directions,
        attention=options.attention,
        window=options.window,
        max_sentences=options.max_sentences,
        target_words=options.target_words,
        sentence_ends=_sentence_ends(options, prepared),
        match_score=options.match_score or model_match_score(options.model),
        share_weights=options.share_weights,
        weight_all_pooling=options.weight_all_pooling,
        pooled_attention=options.pooled_attention,
        rest_network=options.rest_network,
        train_vectors=bool(options.train_vectors),
        vector_dropout=options.vector_dropout,
        score_dropout=options.score_dropout,
        l2=options.l2,
    )


def _sentence_ends(options: TrainingOptions, prepared: Prepared) -> tuple[int, ...]:
    """The ids of the words that end a sentence, for a model that asks for them."""
    if "sentence_ends" not in MODELS[options.model].options:
        return ()
    vocabulary = prepared.encoder.vocabulary
    return tuple(vocabulary.lookup(word) for word in SENTENCE_ENDS if word in vocabulary)
