"""A trained matcher on disk: a folder of JSON, text and arrays, nothing pickled."""

from abcnn.bundle.folder import (
    BUNDLE_FILES,
    CARD,
    load_bundle,
    read_config,
    read_history,
    read_metrics,
    save_bundle,
    was_bundle,
)
from abcnn.bundle.memory import bundle_bytes, matcher_of_bytes

__all__ = [
    "BUNDLE_FILES",
    "CARD",
    "bundle_bytes",
    "load_bundle",
    "matcher_of_bytes",
    "read_config",
    "read_history",
    "read_metrics",
    "save_bundle",
    "was_bundle",
]
