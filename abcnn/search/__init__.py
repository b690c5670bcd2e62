"""Options searched on dev: trials of one task under one budget, the best of them, its options."""

from abcnn.search.records import SearchResult, TrialRow
from abcnn.search.run import search
from abcnn.search.space import Choices, Dimension, Range, parse_dimension, search_space

__all__ = [
    "Choices",
    "Dimension",
    "Range",
    "SearchResult",
    "TrialRow",
    "parse_dimension",
    "search",
    "search_space",
]
