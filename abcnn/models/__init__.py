"""The models: from two sentences of word vectors to what the output layer reads."""

from abcnn.models.average import average
from abcnn.models.backbone import abcnn1, abcnn2, abcnn3, backbone, bcnn
from abcnn.models.block import Block, BlockOutput
from abcnn.models.comparison import Comparison
from abcnn.models.decomposable import AttendCompare, decomposable
from abcnn.models.table import MODELS, Model

__all__ = [
    "MODELS",
    "AttendCompare",
    "Block",
    "BlockOutput",
    "Comparison",
    "Model",
    "abcnn1",
    "abcnn2",
    "abcnn3",
    "average",
    "backbone",
    "bcnn",
    "decomposable",
]
