"""The table of models."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from abcnn.models.attentive import attentive_rnn
from abcnn.models.average import average
from abcnn.models.backbone import abcnn1, abcnn2, abcnn3, bcnn
from abcnn.models.comparison import Comparison
from abcnn.models.decomposable import decomposable
from abcnn.models.hierarchical import hierarchical
from abcnn.models.recurrent import conditional_rnn, siamese_rnn
from abcnn.models.seq2seq import seq2seq
from abcnn.models.transformer import transformer


@dataclass(frozen=True)
class Model:
    """How to make a model.

    `build(**options)` gives a function from `(left, right, left_mask, right_mask)` to a
    `Comparison`; `options` names what it takes: fields of `NetworkConfig`, and `regularizer`. With
    `reads_ids` the function takes `left_ids` and `right_ids` behind the masks.
    """

    build: Callable[..., Callable[..., Comparison]]
    options: tuple[str, ...] = ()
    reads_ids: bool = False


_BLOCKS = (
    *("conv_layers", "filters", "width", "max_length"),
    *("match_score", "share_weights", "weight_all_pooling", "regularizer"),
)
_ATTENTIVE_BLOCKS = (*_BLOCKS, "pooled_attention")
_RECURRENT = ("cell", "hidden_dim", "both_directions", "regularizer")

MODELS: dict[str, Model] = {
    "average": Model(average),
    "bcnn": Model(bcnn, _BLOCKS),
    "abcnn-1": Model(abcnn1, _ATTENTIVE_BLOCKS),
    "abcnn-2": Model(abcnn2, _ATTENTIVE_BLOCKS),
    "abcnn-3": Model(abcnn3, _ATTENTIVE_BLOCKS),
    "decomposable": Model(decomposable, ("hidden_dim", "regularizer")),
    "transformer": Model(transformer, ("hidden_dim", "heads", "depth", "joint", "regularizer")),
    "siamese-rnn": Model(siamese_rnn, _RECURRENT),
    "conditional-rnn": Model(conditional_rnn, _RECURRENT),
    "attentive-rnn": Model(attentive_rnn, (*_RECURRENT, "attention", "window", "match_score")),
    "hierarchical": Model(
        hierarchical, (*_RECURRENT, "max_sentences", "sentence_ends"), reads_ids=True
    ),
    "seq2seq": Model(
        seq2seq,
        ("cell", "hidden_dim", "match_score", "target_words", "vocabulary", "regularizer"),
        reads_ids=True,
    ),
}
