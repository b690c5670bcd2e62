"""The named models as values of one backbone."""

from abcnn.models.backbone import MODELS, abcnn1, abcnn2, abcnn3, backbone, bcnn
from abcnn.models.block import Block, BlockOutput

__all__ = ["MODELS", "Block", "BlockOutput", "abcnn1", "abcnn2", "abcnn3", "backbone", "bcnn"]
