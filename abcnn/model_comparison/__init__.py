"""Many models on one task under one budget: what each reaches on dev, costs and scores a second."""

from abcnn.model_comparison.compare import compare_models
from abcnn.model_comparison.plan import COMPARED
from abcnn.model_comparison.records import ModelRow, ModelRun, rows_of

__all__ = ["COMPARED", "ModelRow", "ModelRun", "compare_models", "rows_of"]
