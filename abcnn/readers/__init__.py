"""Files of sentence pairs: known corpora and tables of any kind, to `PairBatch`."""

from abcnn.readers.columns import ColumnOptions, Selection
from abcnn.readers.formats import PAIR_FORMATS
from abcnn.readers.grades import Grades, scale_of, true_values
from abcnn.readers.labels import (
    label_ids,
    label_names,
    require_unique_candidates,
)
from abcnn.readers.reading import (
    ChunkPairs,
    PairTable,
    Reading,
    ReadOptions,
    open_pairs,
    pairs_of_chunk,
    read_pairs,
)

__all__ = [
    "PAIR_FORMATS",
    "ChunkPairs",
    "ColumnOptions",
    "Grades",
    "PairTable",
    "ReadOptions",
    "Reading",
    "Selection",
    "label_ids",
    "label_names",
    "open_pairs",
    "pairs_of_chunk",
    "read_pairs",
    "require_unique_candidates",
    "scale_of",
    "true_values",
]
