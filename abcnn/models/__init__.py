"""The models: from two sentences of word vectors to what the output layer reads."""

from abcnn.models.attentive import attentive_rnn
from abcnn.models.average import average
from abcnn.models.backbone import abcnn1, abcnn2, abcnn3, backbone, bcnn
from abcnn.models.block import Block, BlockOutput
from abcnn.models.comparison import Comparison
from abcnn.models.decoding import Decoded, decode
from abcnn.models.decomposable import AttendCompare, decomposable
from abcnn.models.hierarchical import hierarchical
from abcnn.models.join_sentences import JoinSentences
from abcnn.models.recurrent import conditional_rnn, siamese_rnn
from abcnn.models.seq2seq import seq2seq
from abcnn.models.table import MODELS, Model
from abcnn.models.target_likelihood import TargetLikelihood
from abcnn.models.transformer import transformer
from abcnn.models.transformer_block import TransformerBlock

__all__ = [
    "MODELS",
    "AttendCompare",
    "Block",
    "BlockOutput",
    "Comparison",
    "Decoded",
    "JoinSentences",
    "Model",
    "TargetLikelihood",
    "TransformerBlock",
    "abcnn1",
    "abcnn2",
    "abcnn3",
    "attentive_rnn",
    "average",
    "backbone",
    "bcnn",
    "conditional_rnn",
    "decode",
    "decomposable",
    "hierarchical",
    "seq2seq",
    "siamese_rnn",
    "transformer",
]
